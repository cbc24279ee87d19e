// Child runs as steps of their parent.
#include <algorithm>

#include "base/id.hpp"
#include "base/text.hpp"
#include "journal/rules.hpp"
#include "run/lane.hpp"

namespace foxwedge::run {
namespace {

std::string error_text(const Error& error) {
    std::string text = R"({"code":)" + quoted(error.code) + R"(,"message":)" +
                       quoted(error.message) + R"(,"certainty":")" + to_string(error.certainty) +
                       "\"";
    if (!error.details.empty()) text += R"(,"details":)" + error.details;
    return text + "}";
}

/// The recorded form of a child's end.
std::string end_text(const journal::ChildEnd& end) {
    std::string text =
        R"({"run":)" + quoted(end.child) + R"(,"status":")" + to_string(end.status) + "\"";
    if (!end.outcome.value_json.empty()) text += R"(,"value":)" + end.outcome.value_json;
    if (end.outcome.error) text += R"(,"error":)" + error_text(*end.outcome.error);
    return text + "}";
}

Result<ChildResult> end_of(const std::string& text) {
    FOXWEDGE_TRY(json, parse_json(text));
    ChildResult result;
    result.run = string_member(json, "run").value_or("");
    result.status = journal::run_status(string_member(json, "status").value_or(""))
                        .value_or(journal::RunStatus::failed);
    if (const Json* const value = member(json, "value"))
        result.outcome.value_json = to_text(*value);
    if (const Json* const error = member(json, "error")) {
        Error cause = permanent(std::string(string_member(*error, "code").value_or("failed")),
                                std::string(string_member(*error, "message").value_or("")));
        const auto certainty = string_member(*error, "certainty").value_or("permanent");
        for (const auto c : {Certainty::not_done, Certainty::done_with_error, Certainty::unknown})
            if (certainty == to_string(c)) cause.certainty = c;
        if (const Json* const details = member(*error, "details"))
            cause.details = to_text(*details);
        result.outcome.error = std::move(cause);
    }
    return result;
}

Digest inputs_of(const ChildSpec& spec) {
    return sha256(spec.workflow + '\0', spec.input_json);
}

/// Of a child's end, which is asked for and not asked anything.
const Digest& no_inputs() {
    static const Digest digest = sha256("null");
    return digest;
}

std::string child_id(const journal::RunHead& parent, std::string_view step,
                     std::uint32_t generation) {
    const std::string place =
        parent.id + "/" + std::string(step) + "#" + std::to_string(generation);
    return derived_id(parent.root.empty() ? parent.id : parent.root, sha256(place));
}

} // namespace

journal::NewRun Lane::new_run(const ChildSpec& spec, const std::string& id) const {
    journal::NewRun child;
    child.id = id;
    child.host = head().host;
    child.parent = head().id;
    child.workflow = spec.workflow;
    child.input_json = spec.input_json;
    child.config_json = spec.config_json.empty() ? head().config_json : spec.config_json;
    child.labels_json = spec.labels_json.empty() ? head().labels_json : spec.labels_json;
    return child;
}

Status Lane::create_child(const journal::StepKey& key, std::uint32_t generation,
                          const ChildSpec& spec, const std::string& id) {
    const auto child = new_run(spec, id);
    FOXWEDGE_CHECK(journal::check_new_run(child, journal::Limits()));
    // The step is begun and the child created in one transaction.
    require(run_.write([&] {
        journal::Batch batch;
        batch.children.push_back({key, generation, child});
        return batch;
    }),
            spec.name);
    if (run_.watched()) run_.tell(Event::Kind::step_started, key, 1);
    return {};
}

Result<ChildResult> Lane::child(const ChildSpec& spec) {
    return guarded<ChildResult>(spec.name, [&]() -> Result<ChildResult> {
        const auto key = key_of(spec.name, "child", inputs_of(spec));
        FOXWEDGE_TRY(decision, take(key, false));
        if (decision.standing == Standing::recorded) {
            if (decision.record->outcome->error) return *decision.record->outcome->error;
            return end_of(decision.record->outcome->value_json);
        }
        const Time started = run_.now();
        const auto id = child_id(head(), spec.name, decision.generation);
        if (decision.standing == Standing::fresh)
            FOXWEDGE_CHECK(create_child(key, decision.generation, spec, id));
        std::string end;
        wait(spec.name, {{journal::Wait::On::child, {}, id}}, [&] {
            const auto ended = run_.activation().end_of(id);
            if (ended) end = end_text(*ended);
            return ended.has_value();
        });
        FOXWEDGE_CHECK(settle(key, decision.generation, started, {std::nullopt, end, false}));
        return end_of(end);
    });
}

void Lane::settle_later(std::optional<journal::ChildStart> start, const journal::StepKey& key,
                        std::uint32_t generation, Time started, std::string value_json,
                        std::vector<journal::Effect> effects) {
    Pending pending;
    pending.start = std::move(start);
    pending.end.key = key;
    pending.end.generation = generation;
    pending.end.attempt = {1, started, run_.now(), std::nullopt};
    pending.end.outcome = journal::Outcome{std::nullopt, std::move(value_json), false};
    pending.end.effects = std::move(effects);
    pending_.push_back(std::move(pending));
}

void Lane::flush() {
    constexpr std::size_t most = 64; // well within what one commit takes
    if (pending_.empty()) return;
    auto all = std::exchange(pending_, {});
    for (std::size_t from = 0; from < all.size(); from += most)
        write_pending(std::span(all).subspan(from, std::min(most, all.size() - from)));
    flushed_ = std::chrono::steady_clock::now();
}

bool Lane::gather() {
    constexpr Millis together{5};
    const auto since =
        std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - flushed_);
    if (pending_.empty() || since >= together) return false;
    run_.pause(together - since);
    return true;
}

void Lane::write_pending(std::span<Pending> some) {
    const auto write = [&](auto&& fill) {
        const auto name = some.front().end.key.name;
        require(run_.write([&] {
            journal::Batch batch;
            for (const auto& one : some) fill(one, batch);
            return batch;
        }),
                name);
    };
    // A step is begun, its child created, before it has an outcome; and together with the ends that
    // stand before it: a record has no holes, wherever its host dies.
    write([](const Pending& one, journal::Batch& batch) {
        if (one.start)
            batch.children.push_back(*one.start);
        else
            batch.completions.push_back(one.end);
    });
    if (run_.watched())
        for (const auto& one : some)
            if (one.start) run_.tell(Event::Kind::step_started, one.end.key, 1);
    if (std::any_of(some.begin(), some.end(),
                    [](const auto& one) { return one.start.has_value(); }))
        write([](const Pending& one, journal::Batch& batch) {
            if (one.start) batch.completions.push_back(one.end);
        });
    if (run_.watched())
        for (const auto& one : some)
            run_.tell(Event::Kind::step_finished, one.end.key, 1, &*one.end.outcome);
}

Result<std::string> Lane::start_child(const ChildSpec& spec) {
    return guarded<std::string>(spec.name, [&]() -> Result<std::string> {
        const auto key = key_of(spec.name, "child-start", inputs_of(spec));
        FOXWEDGE_TRY(decision, take(key, false));
        const auto id = child_id(head(), spec.name, decision.generation);
        if (decision.standing != Standing::recorded) {
            std::optional<journal::ChildStart> start;
            if (decision.standing == Standing::fresh) {
                start = journal::ChildStart{key, decision.generation, new_run(spec, id)};
                FOXWEDGE_CHECK(journal::check_new_run(start->run, journal::Limits()));
            }
            settle_later(std::move(start), key, decision.generation, run_.now(), quoted(id),
                         spec.effects ? spec.effects(id) : std::vector<journal::Effect>());
        }
        children_.insert(id);
        return id;
    });
}

Status Lane::create_children() {
    if (pending_.empty()) return {};
    const auto done = guarded<bool>("children", [&]() -> Result<bool> {
        flush();
        return true;
    });
    if (!done) return done.error();
    return {};
}

std::optional<journal::ChildEnd> Lane::take_end() {
    const auto mine = [&](const journal::ChildEnd& end) { return children_.contains(end.child); };
    auto at = std::find_if(ends_.begin(), ends_.end(), mine);
    if (at == ends_.end()) {
        auto fresh = run_.activation().inbox(ends_read_);
        if (!fresh.empty()) ends_read_ = fresh.back().sequence;
        const auto before = static_cast<std::ptrdiff_t>(ends_.size());
        ends_.insert(ends_.end(), std::make_move_iterator(fresh.begin()),
                     std::make_move_iterator(fresh.end()));
        at = std::find_if(ends_.begin() + before, ends_.end(), mine);
    }
    if (at == ends_.end()) return std::nullopt;
    auto end = std::move(*at);
    ends_.erase(at);
    return end;
}

Status Lane::pass_child_end(std::string_view name, std::string_view child) {
    const auto passed = guarded<bool>(name, [&]() -> Result<bool> {
        FOXWEDGE_TRY(decision, take(key_of(name, "child-end", no_inputs()), false));
        if (decision.standing != Standing::recorded)
            return permanent("misuse", "the end of no child is on record as " + std::string(name));
        if (const auto at = children_.find(child); at != children_.end()) children_.erase(at);
        return true;
    });
    if (!passed) return passed.error();
    return {};
}

Result<ChildResult>
Lane::next_child(std::string_view name,
                 const std::function<std::vector<journal::Effect>(const ChildResult&)>& effects) {
    return guarded<ChildResult>(name, [&]() -> Result<ChildResult> {
        if (children_.empty())
            return permanent("no_children", "every child that was started here has been given");
        const auto key = key_of(name, "child-end", no_inputs());
        FOXWEDGE_TRY(decision, take(key, false));
        if (decision.standing == Standing::recorded) {
            FOXWEDGE_TRY(result, end_of(decision.record->outcome->value_json));
            children_.erase(result.run);
            return result;
        }
        const Time started = run_.now();
        auto ended = take_end();
        if (!ended && gather()) ended = take_end();
        if (!ended) {
            flush();
            std::vector<journal::Wait> waits;
            for (const auto& id : children_) waits.push_back({journal::Wait::On::child, {}, id});
            wait(name, std::move(waits), [&] {
                ended = take_end();
                return ended.has_value();
            });
        }
        const std::string text = end_text(*ended);
        FOXWEDGE_TRY(result, end_of(text));
        settle_later(std::nullopt, key, decision.generation, started, text,
                     effects ? effects(result) : std::vector<journal::Effect>());
        children_.erase(result.run);
        return result;
    });
}

} // namespace foxwedge::run
