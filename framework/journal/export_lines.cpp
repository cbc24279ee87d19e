#include "journal/export_lines.hpp"

#include "base/text.hpp"

namespace foxwedge::journal {
namespace {

/// Members of one object; empty texts are left out.
class Line {
public:
    explicit Line(std::string_view type) { text("type", type); }
    Line& text(std::string_view name, std::string_view value) {
        if (!value.empty()) raw(name, quoted(value));
        return *this;
    }
    Line& number(std::string_view name, std::int64_t value) {
        return raw(name, std::to_string(value));
    }
    Line& raw(std::string_view name, std::string_view json) {
        out_ += out_.empty() ? '{' : ',';
        append_quoted(out_, name);
        out_ += ':';
        out_ += json;
        return *this;
    }
    std::string done() { return out_ + "}"; }

private:
    std::string out_;
};

std::int64_t millis(Time t) {
    return t.time_since_epoch().count();
}

std::string error_json(const Error& e) {
    return Line("error")
        .text("code", e.code)
        .text("message", e.message)
        .text("certainty", to_string(e.certainty))
        .number("retryAfterMs", e.retry_after.count())
        .text("details", e.details)
        .done();
}

std::string outcome_json(const Outcome& o) {
    Line line("outcome");
    // The text itself, so that an import gives the same bytes.
    line.text("value", o.value_json);
    if (o.error) line.raw("error", error_json(*o.error));
    if (o.tool_error) line.raw("toolError", "true");
    return line.done();
}

std::string text_of(const Json& j, std::string_view name) {
    return std::string(string_member(j, name).value_or(""));
}
std::int64_t number_of(const Json& j, std::string_view name) {
    return integer_member(j, name).value_or(0);
}
Time time_of(const Json& j, std::string_view name) {
    return Time(Millis(number_of(j, name)));
}

bool read_digest(const Json& j, std::string_view name, Digest& into) {
    const auto bytes = from_base64(text_of(j, name));
    if (!bytes || bytes->size() != into.size()) return false;
    std::copy(bytes->begin(), bytes->end(), into.begin());
    return true;
}

Error read_error(const Json& j) {
    Error e;
    e.code = text_of(j, "code");
    e.message = text_of(j, "message");
    for (const auto c : {Certainty::permanent, Certainty::not_done, Certainty::done_with_error,
                         Certainty::unknown})
        if (text_of(j, "certainty") == to_string(c)) e.certainty = c;
    e.retry_after = Millis(number_of(j, "retryAfterMs"));
    e.details = text_of(j, "details");
    return e;
}

Outcome read_outcome(const Json& j) {
    Outcome o;
    o.value_json = text_of(j, "value");
    if (const auto* e = member(j, "error")) o.error = read_error(*e);
    o.tool_error = bool_member(j, "toolError").value_or(false);
    return o;
}

Line& add_key(Line& line, const StepKey& key, std::uint32_t generation) {
    return line.text("lane", key.lane)
        .number("index", key.index)
        .text("name", key.name)
        .text("kind", key.kind)
        .text("inputs", to_base64(bytes_of(key.inputs)))
        .number("generation", generation);
}

bool read_key(const Json& j, StepKey& key, std::uint32_t& generation) {
    key.lane = text_of(j, "lane");
    key.index = static_cast<std::uint32_t>(number_of(j, "index"));
    key.name = text_of(j, "name");
    key.kind = text_of(j, "kind");
    generation = static_cast<std::uint32_t>(number_of(j, "generation"));
    return read_digest(j, "inputs", key.inputs) && !key.name.empty();
}

std::string list_json(const std::vector<std::string>& words) {
    std::string out = "[";
    for (const auto& w : words) out += (out.size() > 1 ? "," : "") + quoted(w);
    return out + "]";
}

std::vector<std::string> read_list(const Json& j, std::string_view name) {
    std::vector<std::string> words;
    if (const auto* list = array_member(j, name))
        for (const auto& w : *list)
            if (w.is_string()) words.emplace_back(view(w.get_string()));
    return words;
}

const char* to_text(Effect::Kind kind) {
    return kind == Effect::Kind::put ? "put" : kind == Effect::Kind::remove ? "remove" : "add";
}

std::string effects_json(const std::vector<Effect>& effects) {
    std::string out = "[";
    for (const auto& e : effects) {
        Line line(to_text(e.kind));
        line.text("collection", e.collection).text("key", to_base64(e.key));
        line.text("value", e.value_json).text("add", e.add_json);
        if (e.expect) line.number("expect", static_cast<std::int64_t>(*e.expect));
        out += (out.size() > 1 ? "," : "") + line.done();
    }
    return out + "]";
}

std::vector<Effect> read_effects(const Json& j, std::string_view name) {
    std::vector<Effect> effects;
    const auto* list = array_member(j, name);
    if (!list) return effects;
    for (const auto& one : *list) {
        Effect e;
        const auto type = text_of(one, "type");
        e.kind = type == "put"      ? Effect::Kind::put
                 : type == "remove" ? Effect::Kind::remove
                                    : Effect::Kind::add;
        e.collection = text_of(one, "collection");
        if (auto key = from_base64(text_of(one, "key"))) e.key = *std::move(key);
        e.value_json = text_of(one, "value");
        e.add_json = text_of(one, "add");
        if (const auto n = integer_member(one, "expect")) e.expect = static_cast<std::uint64_t>(*n);
        effects.push_back(std::move(e));
    }
    return effects;
}

const char* to_text(Gate::Status status) {
    switch (status) {
    case Gate::Status::pending:
        return "pending";
    case Gate::Status::decided:
        return "decided";
    case Gate::Status::expired:
        return "expired";
    case Gate::Status::cancelled:
        return "cancelled";
    }
    return "cancelled";
}

} // namespace

std::string export_header() {
    return Line("journal").number("version", export_version).done();
}

std::string export_run(const RunHead& h, const LiveRow& live, const std::string& forked_from) {
    Line line("run");
    line.text("id", h.id).text("host", h.host).text("workflow", h.workflow).text("key", h.key);
    line.text("parent", h.parent)
        .text("forkedFrom", forked_from)
        .text("status", to_string(h.status));
    line.number("created", millis(h.created)).number("updated", millis(h.updated));
    line.text("labels", h.labels_json).text("input", h.input_json).text("config", h.config_json);
    line.text("reason", h.reason).number("ended", static_cast<std::int64_t>(live.end));
    if (h.result) line.raw("result", outcome_json(*h.result));
    return line.done();
}

std::string export_record(const std::string& run, const Record& r) {
    Line line("record");
    line.text("run", run);
    add_key(line, r.key, r.generation);
    if (r.intent) line.raw("intent", "true");
    std::string attempts = "[";
    for (const auto& a : r.attempts) {
        Line one("attempt");
        one.number("number", a.number).number("started", millis(a.started));
        one.number("ended", millis(a.ended));
        if (a.error) one.raw("error", error_json(*a.error));
        attempts += (attempts.size() > 1 ? "," : "") + one.done();
    }
    line.raw("attempts", attempts + "]");
    if (r.outcome) line.raw("outcome", outcome_json(*r.outcome));
    line.text("checkpoint", r.checkpoint.empty() ? "" : to_base64(r.checkpoint));
    line.text("usage", r.usage_json).text("traceId", r.trace_id);
    return line.done();
}

std::string export_gate(const GateRow& row) {
    const Gate& g = row.gate;
    Line line("gate");
    line.text("id", g.id).text("run", g.run).text("root", g.root);
    add_key(line, row.key, row.generation);
    line.raw("path", list_json(g.path)).text("gateKind", g.kind).text("about", g.about_json);
    line.text("digest", to_base64(bytes_of(g.digest))).raw("allow", list_json(g.allow));
    line.number("asked", millis(g.asked)).text("onTimeout", g.on_timeout);
    if (g.deadline) line.number("deadline", millis(*g.deadline));
    line.text("status", to_text(g.status)).text("decision", g.decision_json);
    line.raw("onClose", effects_json(row.on_close));
    return line.done();
}

std::string export_item(const std::string& collection, const StoreItem& item) {
    Line line("item");
    line.text("collection", collection).text("key", to_base64(item.key));
    line.text("value", item.value_json)
        .number("revision", static_cast<std::int64_t>(item.revision));
    if (item.removed) line.raw("removed", "true");
    return line.done();
}

std::string export_signal(const std::string& run, std::string_view key, std::string_view value) {
    return Line("signal").text("run", run).text("key", key).text("value", value).done();
}

std::string export_damage(const std::string& what, const std::string& run,
                          const std::string& step) {
    return Line("damaged").text("what", what).text("run", run).text("step", step).done();
}

bool read_run(const Json& j, ImportedRun& into) {
    into.run.id = text_of(j, "id");
    into.run.host = text_of(j, "host");
    into.run.workflow = text_of(j, "workflow");
    into.run.key = text_of(j, "key");
    into.run.parent = text_of(j, "parent");
    into.run.forked_from = text_of(j, "forkedFrom");
    into.run.labels_json = text_of(j, "labels");
    into.run.input_json = text_of(j, "input");
    into.run.config_json = text_of(j, "config");
    into.reason = text_of(j, "reason");
    into.created = time_of(j, "created");
    into.updated = time_of(j, "updated");
    into.ended = static_cast<std::uint64_t>(number_of(j, "ended"));
    const auto status = run_status(text_of(j, "status"));
    if (status) into.status = *status;
    if (const auto* r = member(j, "result")) into.result = read_outcome(*r);
    return status.has_value();
}

bool read_record(const Json& j, Record& r) {
    if (!read_key(j, r.key, r.generation)) return false;
    r.intent = bool_member(j, "intent").value_or(false);
    if (const auto* attempts = array_member(j, "attempts"))
        for (const auto& one : *attempts) {
            Attempt a;
            a.number = static_cast<int>(number_of(one, "number"));
            a.started = time_of(one, "started");
            a.ended = time_of(one, "ended");
            if (const auto* e = member(one, "error")) a.error = read_error(*e);
            r.attempts.push_back(std::move(a));
        }
    if (const auto* o = member(j, "outcome")) r.outcome = read_outcome(*o);
    if (auto bytes = from_base64(text_of(j, "checkpoint"))) r.checkpoint = *std::move(bytes);
    r.usage_json = text_of(j, "usage");
    r.trace_id = text_of(j, "traceId");
    return true;
}

bool read_gate(const Json& j, GateRow& row) {
    Gate& g = row.gate;
    if (!read_key(j, row.key, row.generation) || !read_digest(j, "digest", g.digest)) return false;
    g.id = text_of(j, "id");
    g.run = text_of(j, "run");
    g.root = text_of(j, "root");
    g.step = row.key.name;
    g.path = read_list(j, "path");
    g.kind = text_of(j, "gateKind");
    g.about_json = text_of(j, "about");
    g.allow = read_list(j, "allow");
    g.asked = time_of(j, "asked");
    g.on_timeout = text_of(j, "onTimeout");
    if (member(j, "deadline")) g.deadline = time_of(j, "deadline");
    for (const auto s : {Gate::Status::pending, Gate::Status::decided, Gate::Status::expired,
                         Gate::Status::cancelled})
        if (text_of(j, "status") == to_text(s)) g.status = s;
    g.decision_json = text_of(j, "decision");
    row.on_close = read_effects(j, "onClose");
    return true;
}

bool read_item(const Json& j, std::string& collection, StoreItem& item) {
    collection = text_of(j, "collection");
    auto key = from_base64(text_of(j, "key"));
    if (!key || key->empty()) return false;
    item.key = *std::move(key);
    item.value_json = text_of(j, "value");
    item.revision = static_cast<std::uint64_t>(number_of(j, "revision"));
    item.removed = bool_member(j, "removed").value_or(false);
    return true;
}

} // namespace foxwedge::journal
