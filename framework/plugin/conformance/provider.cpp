#include <algorithm>
#include <array>
#include <set>

#include "contracts/provider.hpp"
#include "plugin/conformance/kits.hpp"

namespace foxwedge::plugin::conformance {
namespace {

constexpr std::string_view asked = "fw-asked", answered = "fw-answered", found = "fw-found",
                           asked_again = "fw-asked-again", system_text = "fw-system";

Message said(Role role, std::vector<Block> content) {
    return {role, std::move(content)};
}

GenerateRequest plain_request(const ProviderTraits& traits) {
    GenerateRequest request;
    request.model = traits.models.empty() ? "check-1" : traits.models.front().id;
    request.system = system_text;
    request.messages = {said(Role::user, {text_block(std::string(asked))})};
    request.idempotency_key = "check:1";
    return request;
}

/// A conversation that another provider's model had a part in, as a host hands it over: its opaque
/// data taken out, its ids and its broken arguments as they were.
GenerateRequest foreign_request(const ProviderTraits& traits) {
    auto request = plain_request(traits);
    Block thought;
    thought.type = Block::Type::reasoning;
    thought.text = "I should look that up.";
    if (!traits.tools || !traits.native_transcript) {
        request.messages.push_back(
            said(Role::assistant, {thought, text_block(std::string(answered))}));
        request.messages.push_back(said(Role::user, {text_block(std::string(asked_again))}));
        return request;
    }
    request.tools = {
        {"lookup", "Looks something up.",
         JsonObject{{"type", "object"},
                    {"properties", JsonObject{{"q", JsonObject{{"type", "string"}}}}}}}};
    const std::array<std::pair<const char*, const char*>, 3> calls{{
        {"toolu_01/\xc3\xa4:with spaces and a length that few vendors allow for an id, sixty-four",
         R"({"q":"one"})"},
        {"", R"({"q":)"},
        {"call_1", R"({"q":"two"})"},
    }};
    std::vector<Block> turn{thought, text_block(std::string(answered))}, results;
    for (const auto& [id, arguments] : calls) {
        Block call;
        call.type = Block::Type::tool_call;
        call.call_id = id;
        call.name = "lookup";
        call.arguments = arguments;
        turn.push_back(call);
        Block result;
        result.type = Block::Type::tool_result;
        result.call_id = id;
        result.name = "lookup";
        result.content = {text_block(std::string(found) + "-" + std::to_string(results.size()))};
        result.is_error = results.size() == 1;
        results.push_back(std::move(result));
    }
    request.messages.push_back(said(Role::assistant, std::move(turn)));
    request.messages.push_back(said(Role::tool, std::move(results)));
    request.messages.push_back(said(Role::user, {text_block(std::string(asked_again))}));
    return request;
}

class Kit {
public:
    Kit(Trial& trial, Ledger& ledger, const std::optional<Recorded>& answer)
        : trial_(trial), ledger_(ledger), answer_(answer) {}

    void check() {
        if (!describes()) return;
        const auto first = attempt(plain_request(traits_), unreachable());
        offline_ = first.requests.empty();
        if (offline_) {
            succeeds(first);
        } else {
            refuses_without_network(first);
            asks_as_documented(first);
            if (answer_)
                succeeds(attempt(plain_request(traits_),
                                 responding(answer_->status, answer_->headers, answer_->body)));
            else
                ledger_.skip("answer", "an answer of the vendor becomes a result",
                             "it asks the network; give a recorded response with --answer FILE");
        }
        counts();
        takes_over_a_transcript();
        if (!offline_) understands_refusals();
        leaves();
    }

private:
    Told attempt(const GenerateRequest& request, Vendor vendor, const Manner& manner = {}) {
        trial_.answer_with(std::move(vendor));
        const auto text = to_text(to_json(request));
        return trial_.call({Verb::generate, text, {}, 0}, manner);
    }

    bool describes() {
        const VerbRequest request{Verb::describe, {}, {}, 0};
        Manner outside_a_step;
        outside_a_step.step_key = "";
        const auto told = trial_.call(request, outside_a_step);
        auto problem = not_ok(told);
        if (problem.empty()) {
            const auto traits = provider_traits_from_json(told.result);
            if (traits)
                traits_ = *traits;
            else
                problem = traits.error().message;
        }
        if (problem.empty() && (!told.requests.empty() || told.asked > 0))
            problem = "it used the network or a service for it";
        if (!ledger_.note("describe", "describe says what the adapter can do, by itself", problem))
            return false;
        ledger_.note("describe.constant", "it says the same for the life of an instance",
                     not_the_same(told, trial_.call(request, outside_a_step)));
        // A host goes by both: half of it makes an adapter with tools that never sees one.
        ledger_.note("describe.tools", "what it says of tools has an effect",
                     traits_.tools && !traits_.native_transcript
                         ? "it says tools, but no nativeTranscript: hosts write the tools into the "
                           "prompt and send it none; say both, or neither"
                         : "");
        return true;
    }

    void refuses_without_network(const Told& told) {
        auto problem = told.problem;
        if (problem.empty() && told.end.status != FOXWEDGE_E_TRANSIENT)
            problem = "it ended with " + described(told);
        ledger_.note("errors.no-connection",
                     "without a connection the host's own status is passed on: transient", problem);
    }

    void asks_as_documented(const Told& told) {
        std::string problem;
        std::set<std::string> names(trial_.component().secrets.begin(),
                                    trial_.component().secrets.end());
        for (const auto& request : told.requests) {
            const auto url = string_member(request, "url").value_or("");
            if (!url.starts_with("https://") && !url.starts_with("http://"))
                problem = "it asks for the address \"" + std::string(url) + "\"";
            if (const auto* headers = object_member(request, "headers"))
                for (const auto& [name, value] : *headers)
                    if (const auto secret = string_member(value, "secret");
                        secret && !names.contains(std::string(*secret)) && !configured(*secret))
                        problem = "it names the secret " + std::string(*secret) +
                                  ", which neither its descriptor nor its configuration has";
        }
        ledger_.note("request", "its requests have an address, and name secrets that it may name",
                     problem);
    }
    bool configured(std::string_view secret) const {
        return to_text(trial_.config()).find(to_text(Json(secret))) != std::string::npos;
    }

    void succeeds(const Told& told) {
        auto problem = not_ok(told);
        if (problem.empty()) {
            const auto generated = generated_from_json(told.result);
            problem = generated ? problem_of_answer(*generated) : generated.error().message;
            if (problem.empty()) problem = problem_of_preview(*generated, told.events);
        }
        ledger_.note("answer", "an answer of the vendor becomes a result", problem);
    }
    static std::string problem_of_answer(const Generated& answer) {
        static const std::set<std::string_view> stops{"end",     "tool_use",       "length",
                                                      "refusal", "content_filter", "pause"};
        if (!stops.contains(answer.stop)) return "its stop is \"" + answer.stop + "\"";
        if (answer.content.empty() && answer.stop != "refusal" && answer.stop != "content_filter")
            return "an answer without content is no answer: transient, empty_response";
        const auto& usage = answer.usage;
        for (const auto tokens :
             {usage.input, usage.output, usage.cache_read, usage.cache_write, usage.reasoning})
            if (tokens < 0) return "its usage is negative";
        for (const auto& block : answer.content)
            if (block.type == Block::Type::tool_call && block.name.empty())
                return "a tool call without a name";
        return {};
    }
    /// What was streamed is what the result says.
    std::string problem_of_preview(const Generated& answer,
                                   const std::vector<Event>& events) const {
        std::string text;
        for (const auto& event : events) {
            if (event.kind != EventKind::text) continue;
            const auto payload = parse_json(event.payload);
            const auto piece = string_member(*payload, "text");
            if (!piece) return "emitted a text without \"text\"";
            text += *piece;
        }
        std::string whole;
        for (const auto& block : answer.content)
            if (block.type == Block::Type::text) whole += block.text;
        if (!text.empty() && text != whole)
            return "it streamed the text \"" + text + "\" and then gave \"" + whole + "\"";
        if (text.empty() && !whole.empty() && traits_.streaming && streamed())
            return "it says that it streams, and emitted no text";
        return {};
    }
    bool streamed() const {
        return answer_ && to_text(answer_->headers).find("event-stream") != std::string::npos;
    }

    /// Optional; who offers it may need the network for it.
    void counts() {
        trial_.answer_with(unreachable());
        const auto text = to_text(to_json(plain_request(traits_)));
        const auto told = trial_.call({Verb::count_tokens, text, {}, 0});
        if (told.end.status == FOXWEDGE_E_UNSUPPORTED) return;
        auto problem = told.problem;
        const bool no_network = !told.requests.empty() && told.end.status == FOXWEDGE_E_TRANSIENT;
        if (problem.empty() && !no_network) {
            problem = not_ok(told);
            if (problem.empty() && integer_member(told.result, "tokens").value_or(-1) < 0)
                problem = "its result has no \"tokens\", from 0";
        }
        ledger_.note("count_tokens", "it says how many tokens a request would be", problem);
    }

    void takes_over_a_transcript() {
        const auto request = foreign_request(traits_);
        const auto told = attempt(request, unreachable());
        auto problem = told.problem;
        if (problem.empty() &&
            (told.end.status == FOXWEDGE_E_INTERNAL || told.end.status == FOXWEDGE_E_INVALID))
            problem = "it ended with " + described(told);
        if (problem.empty() && !offline_) problem = missing_from(told, request);
        ledger_.note("transcript.foreign",
                     "a transcript that another provider had a part in goes out whole", problem);
    }
    std::string missing_from(const Told& told, const GenerateRequest& request) const {
        if (told.requests.empty()) return "it asked for nothing";
        const auto sent = to_text(told.requests.back());
        std::vector<std::string> expected{std::string(system_text), std::string(asked),
                                          std::string(answered), std::string(asked_again)};
        if (!request.tools.empty())
            for (int n = 0; n < 3; ++n)
                expected.push_back(std::string(found) + "-" + std::to_string(n));
        for (const auto& text : expected)
            if (sent.find(text) == std::string::npos) return "the text \"" + text + "\" is missing";
        return {};
    }

    struct Refusal {
        int status;
        const char* id;
        std::set<foxwedge_status> right;
        const char* code;
    };
    void understands_refusals() {
        static const std::vector<Refusal> refusals{
            {400, "bad-request", {FOXWEDGE_E_INVALID}, nullptr},
            {401, "unauthorized", {FOXWEDGE_E_INVALID}, "unauthorized"},
            {429, "rate-limited", {FOXWEDGE_E_TRANSIENT}, "rate_limited"},
            {500, "server-error", {FOXWEDGE_E_UNKNOWN, FOXWEDGE_E_TRANSIENT}, nullptr},
            {503, "overloaded", {FOXWEDGE_E_TRANSIENT, FOXWEDGE_E_UNKNOWN}, nullptr},
        };
        for (const auto& refusal : refusals) {
            const auto told = attempt(
                plain_request(traits_),
                responding(refusal.status,
                           JsonObject{{"content-type", "application/json"}, {"retry-after", "7"}},
                           R"({"error":{"message":"no","type":"no"}})"));
            ledger_.note(std::string("errors.") + refusal.id,
                         "HTTP status " + std::to_string(refusal.status) +
                             " has the status and the code that agents know",
                         problem_of_refusal(refusal, told));
        }
        const auto event_stream = JsonObject{{"content-type", "text/event-stream"}};
        is_no_answer("errors.cut-off", "a stream that ends before its last event is no answer",
                     attempt(plain_request(traits_), responding(200, event_stream, "")));
        is_no_answer("errors.garbage", "what is no answer of the vendor is no result",
                     attempt(plain_request(traits_),
                             responding(200, JsonObject{{"content-type", "text/html"}},
                                        "<html>proxy</html>")));
    }
    static std::string problem_of_refusal(const Refusal& refusal, const Told& told) {
        if (!told.problem.empty()) return told.problem;
        if (!refusal.right.contains(told.end.status)) return "it ended with " + described(told);
        if (refusal.code && told.code() != refusal.code) return "it ended with " + described(told);
        if (refusal.status != 429) return {};
        const auto details = parse_json(told.end.said->details);
        if (!details || integer_member(*details, "retryAfterMs") != 7000)
            return "its details do not say retryAfterMs 7000, as the header Retry-After did";
        return {};
    }
    void is_no_answer(const char* id, const char* promise, const Told& told) {
        auto problem = told.problem;
        if (problem.empty() && told.end.status == FOXWEDGE_OK)
            problem = "it took that for an answer: " + to_text(told.result);
        ledger_.note(id, promise, problem);
    }

    void leaves() {
        trial_.answer_with(silent());
        const auto text = to_text(to_json(plain_request(traits_)));
        check_leaving(trial_, ledger_, "generate", {Verb::generate, text, {}, 0});
    }

    Trial& trial_;
    Ledger& ledger_;
    const std::optional<Recorded>& answer_;
    ProviderTraits traits_;
    bool offline_ = false;
};

} // namespace

void check_provider(Trial& trial, Ledger& ledger, const std::optional<Recorded>& answer) {
    Kit(trial, ledger, answer).check();
}

} // namespace foxwedge::plugin::conformance
