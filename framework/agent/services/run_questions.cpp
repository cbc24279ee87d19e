#include "agent/services/run_questions.hpp"

#include <algorithm>

#include "agent/loop/model_step.hpp"
#include "agent/names.hpp"
#include "contracts/form.hpp"
#include "schema/schema.hpp"

namespace foxwedge::agent {
namespace {

std::string from_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(std::strtol(std::string(hex.substr(i, 2)).c_str(), nullptr, 16));
    return bytes;
}

/// How often a person may answer what does not fit the form.
constexpr int form_tries = 5;

/// From here on the lane gives errors where it would unwind: what stands between (a connection that
/// is held open) must be left in order.
class WithoutUnwinding {
public:
    explicit WithoutUnwinding(run::Run& lane) : lane_(lane) { lane_.unwinds(false); }
    ~WithoutUnwinding() { lane_.unwinds(true); }

private:
    run::Run& lane_;
};

/// Why `content` does not fit the form; "" where it does.
std::string misfit_of(const JsonObject& content, const Json* requested) {
    if (!requested || !requested->is_object()) return {};
    const auto schema = schema::Schema::compile(*requested);
    if (!schema) return {}; // the server's own mistake; it sees what was said
    std::string text;
    for (const auto& each : schema->check(Json(content)))
        text += (text.empty() ? "" : "; ") + each.instance_pointer + " " + each.message;
    return text;
}

bool is_url(const Json& params) {
    return string_member(params, "mode") == "url";
}

/// The blocks of a sampling message: MCP has one, or a list.
Json as_list(const Json& content) {
    return content.is_array() ? content : Json(JsonArray{content});
}

Result<GenerateRequest> request_of(const Json& params) {
    GenerateRequest request;
    request.system = string_member(params, "systemPrompt").value_or("");
    request.max_tokens = integer_member(params, "maxTokens");
    request.temperature = number_member(params, "temperature");
    request.tool_choice = "none";
    const JsonArray* messages = array_member(params, "messages");
    if (!messages) return permanent("invalid_params", "sampling/createMessage has no messages");
    for (const Json& each : *messages) {
        const Json* content = member(each, "content");
        JsonObject message{{"role", string_member(each, "role").value_or("user")}};
        message["content"] = content ? as_list(*content) : Json(JsonArray());
        FOXWEDGE_TRY(read, message_from_json(Json(std::move(message))));
        request.messages.push_back(std::move(read));
    }
    return request;
}

Json sampled(const Generated& answer) {
    JsonObject out{{"role", "assistant"}, {"model", answer.model}};
    out["stopReason"] = answer.stop == "length" ? "maxTokens" : "endTurn";
    out["content"] = JsonObject{{"type", "text"}, {"text", text_of(answer.content)}};
    return out;
}

} // namespace

RunQuestions::RunQuestions(run::StepCall& step, std::string step_name, Asker asker, World& world)
    : step_(step), name_(std::move(step_name)), asker_(std::move(asker)), world_(world) {
    const auto saved = parse_json(step_.checkpoint().empty() ? "{}" : step_.checkpoint());
    if (!saved) return;
    if (const Json* kept = member(*saved, "kept")) kept_ = *kept;
    if (const JsonArray* asked = array_member(*saved, "asked"))
        for (const Json& each : *asked)
            asked_.push_back({std::string(string_member(each, "kind").value_or("")),
                              std::string(string_member(each, "digest").value_or(""))});
}

Json RunQuestions::kept() const {
    return kept_;
}

Status RunQuestions::keep(const Json& what) {
    kept_ = what;
    return save();
}

Status RunQuestions::save() {
    JsonArray asked;
    for (const auto& each : asked_)
        asked.push_back(JsonObject{{"kind", each.kind}, {"digest", each.digest}});
    JsonObject all;
    all["asked"] = std::move(asked);
    all["kept"] = kept_;
    return step_.save_checkpoint(to_text(Json(std::move(all))));
}

std::string RunQuestions::step_name(std::size_t index) const {
    const auto& kind = asked_[index].kind;
    const auto before = std::count_if(asked_.begin(), asked_.begin() + static_cast<long>(index),
                                      [&](const Asked& each) { return each.kind == kind; });
    return question_step(name_, kind, static_cast<int>(before));
}

Result<std::string> RunQuestions::place(const Asked& question) {
    const auto known = std::find(asked_.begin() + static_cast<long>(next_), asked_.end(), question);
    const auto index = static_cast<std::size_t>(known - asked_.begin());
    if (known == asked_.end()) {
        asked_.push_back(question);
        FOXWEDGE_CHECK(save());
    }
    while (next_ < index) FOXWEDGE_CHECK(pass_over(next_++));
    ++next_;
    return step_name(index);
}

Status RunQuestions::close() {
    const WithoutUnwinding quietly(step_.lane());
    while (next_ < asked_.size()) FOXWEDGE_CHECK(pass_over(next_++));
    return {};
}

/// Steps over a question that an earlier attempt asked and this one does not.
Status RunQuestions::pass_over(std::size_t index) {
    const std::string name = step_name(index);
    Digest digest{};
    const std::string bytes = from_hex(asked_[index].digest);
    std::copy_n(bytes.begin(), std::min(bytes.size(), digest.size()), digest.begin());
    if (asked_[index].kind == "input") {
        run::GateSpec spec;
        spec.name = name;
        spec.kind = "input";
        spec.digest = digest;
        return step_.lane().withdraw(spec);
    }
    run::StepOptions options;
    options.kind = "model";
    options.inputs_digest = digest;
    auto answer = step_.lane().step(name, options, [](run::StepCall&) -> Result<run::StepValue> {
        return permanent("not_asked", "the question was not asked again");
    });
    if (!answer)
        return answer.error().code == std::string(parked_code) ? Status(answer.error()) : Status();
    if (const auto usage = parse_json(answer->usage_json)) spent_ += spent_from_json(*usage);
    return {};
}

Result<Json> RunQuestions::ask(std::string_view method, const Json& params,
                               std::optional<Millis> hold, const std::stop_token& taken_back) {
    const WithoutUnwinding quietly(step_.lane());
    if (method == "elicitation/create") return elicit(params, hold, taken_back);
    if (method == "sampling/createMessage") return sample(params, taken_back);
    return permanent("not_allowed", "nobody here answers " + std::string(method));
}

run::GateSpec RunQuestions::gate(const std::string& name, const Json& params,
                                 std::optional<Millis> hold, const std::string& misfit) const {
    run::GateSpec spec;
    spec.name = name;
    spec.kind = "input";
    JsonObject about = asker_.about;
    about["summary"] = string_member(params, "message").value_or("the server needs input");
    if (const Json* schema = member(params, "requestedSchema")) about["schema"] = *schema;
    if (const auto url = string_member(params, "url")) about["url"] = *url;
    if (!misfit.empty()) about["reason"] = "the answer before did not fit: " + misfit;
    spec.about_json = to_text(Json(std::move(about)));
    spec.digest = sha256(canonical_text(params));
    spec.path = asker_.path;
    // Consent is all that a page somewhere else needs; a form is answered, or its defaults
    // approved.
    const bool defaults_do = misfit_of(with_defaults({}, member(params, "requestedSchema")),
                                       member(params, "requestedSchema"))
                                 .empty();
    if (is_url(params) || defaults_do) spec.allow.push_back("approve");
    if (!is_url(params)) spec.allow.push_back("respond");
    spec.allow.push_back("reject");
    if (hold) {
        spec.held = true;
        spec.timeout = *hold;
        spec.on_timeout = "reject";
    }
    return spec;
}

Result<Json> RunQuestions::elicit(const Json& params, std::optional<Millis> hold,
                                  const std::stop_token& taken_back) {
    const Json* form = member(params, "requestedSchema");
    std::string misfit;
    for (int tries = 0; tries < form_tries;) {
        FOXWEDGE_TRY(name, place({"input", to_hex(sha256(canonical_text(params)))}));
        auto question = gate(name, params, hold, misfit);
        question.taken_back = taken_back;
        FOXWEDGE_TRY(decision, step_.lane().ask(question));
        const auto answer = string_member(decision, "answer").value_or("");
        // It was taken back, now or by an earlier attempt, or one in between did not ask it: nobody
        // has said anything, so it is asked anew where somebody still wants to know.
        if (string_member(decision, "decidedBy") == "system:cancel") {
            if (taken_back.stop_requested()) return permanent(taken_back_code, "it was taken back");
            continue;
        }
        ++tries;
        if (string_member(decision, "decidedBy") == "system:timeout")
            return Json{{"action", "cancel"}, {"unanswered", true}};
        if (answer != "approve" && answer != "respond") return Json{{"action", "decline"}};
        if (is_url(params)) return Json{{"action", "accept"}};
        const JsonObject* given = object_member(decision, "value");
        JsonObject content = with_defaults(given ? *given : JsonObject(), form);
        misfit = misfit_of(content, form);
        if (!misfit.empty()) continue;
        JsonObject accepted{{"action", "accept"}};
        accepted["content"] = std::move(content);
        return Json(std::move(accepted));
    }
    return Json{{"action", "cancel"}};
}

Result<Json> RunQuestions::sample(const Json& params, const std::stop_token& taken_back) {
    if (asker_.provider.empty() || !world_.provider)
        return permanent("not_allowed", "the config names no provider under `sampling`");
    FOXWEDGE_TRY(request, request_of(params));
    if (world_.model_of) request.model = world_.model_of(asker_.provider);
    ModelAsk ask;
    ask.inputs = sha256(canonical_text(to_json(request)));
    ask.retry = asker_.retry;
    ask.ledger = asker_.ledger;
    ask.may_be_cut = true; // the server is told
    ask.taken_back = taken_back;
    if (!asker_.path.empty()) ask.agent = asker_.path.back();
    ask.provider = [this] { return world_.provider(asker_.provider); };
    ask.request = [&]() -> Result<GenerateRequest*> { return &request; };
    for (;;) {
        FOXWEDGE_TRY(name, place({"sampling", to_hex(ask.inputs)}));
        ask.name = name;
        auto said = model_step(step_.lane(), ask, world_);
        if (said) {
            spent_ += said->spent;
            return sampled(said->answer);
        }
        // An earlier attempt took it back: it is asked anew.
        if (said.error().code != taken_back_code || taken_back.stop_requested())
            return std::move(said).error();
    }
}

} // namespace foxwedge::agent
