#include "recordings.hpp"

#include <algorithm>

#include "shared_data.hpp"

namespace provider_test {

std::vector<Recording> recordings(const std::vector<std::string>& prefixes) {
    std::vector<Recording> all;
    const auto folder = foxwedge::test::shared_data("wire");
    if (!folder) return all;
    for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
        const auto name = entry.path().stem().string();
        const bool wanted =
            std::any_of(prefixes.begin(), prefixes.end(),
                        [&](const std::string& p) { return name.rfind(p, 0) == 0; });
        if (!wanted || entry.path().extension() != ".json") continue;
        all.push_back({name, Value::parse(foxwedge::test::read_file(entry.path())),
                       Value::parse(foxwedge::test::read_file(*folder / "expected" /
                                                              entry.path().filename()))});
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    BOOST_TEST(!all.empty());
    return all;
}

void play(Rig& rig, const Recording& recording, std::size_t piece) {
    rig.answer(recording.status(), recording.content_type(), recording.body(), piece);
    for (const auto& [name, value] : recording.exchange["response"]["headers"].object())
        if (value.is_string()) rig.header(name, value.string());
}

namespace {

/// The neutral word for a vendor's stop reason.
std::string stop_of(const Value& expected) {
    const std::string theirs(expected.string("stop_reason", expected.string("status")));
    const std::pair<std::string_view, std::string_view> table[] = {
        {"end_turn", "end"},
        {"stop_sequence", "end"},
        {"tool_use", "tool_use"},
        {"max_tokens", "length"},
        {"pause_turn", "pause"},
        {"refusal", "refusal"},
        {"stop", "end"},
        {"tool_calls", "tool_use"},
        {"function_call", "tool_use"},
        {"length", "length"},
        {"content_filter", "content_filter"},
        {"completed", "end"},
        {"incomplete", "length"},
        {"STOP", "end"},
        {"MAX_TOKENS", "length"},
        {"SAFETY", "content_filter"},
        {"MODEL_ARMOR", "content_filter"},
        {"UNEXPECTED_TOOL_CALL", "tool_use"},
    };
    const auto& refusal = expected["refusal"];
    if (refusal.is_string() && !refusal.string().empty()) return "refusal";
    if (!expected.string("block_reason").empty()) return "content_filter";
    const bool calls = !expected.array("tool_calls").empty();
    for (const auto& [from, to] : table)
        if (theirs == from) return std::string(to == "end" && calls ? "tool_use" : to);
    return theirs;
}

void check_error(const Recording& r, const Outcome& outcome) {
    const auto& error = r.expected["error"];
    std::string code = "invalid_request";
    foxwedge_status status = FOXWEDGE_E_INVALID;
    const auto http = error.integer("status", 0);
    if (http == 401 || http == 403) code = "unauthorized";
    if (http == 429) {
        code = "rate_limited";
        status = FOXWEDGE_E_TRANSIENT;
    }
    if (error.string("code") == "tool_use_failed") { // a fresh sample may do better
        code = "empty_response";
        status = FOXWEDGE_E_TRANSIENT;
    }
    BOOST_TEST(outcome.code == code, r.name << ": " << outcome.code << " " << outcome.message);
    BOOST_TEST(outcome.status == status, r.name);
    if (http != 0) BOOST_TEST(outcome.details.integer("httpStatus", 0) == http, r.name);
    BOOST_TEST(!outcome.message.empty(), r.name);
}

void check_usage(const Recording& r, const Value& usage) {
    const auto& theirs = r.expected["usage"];
    if (!theirs.is_object()) return; // nothing was reported
    const auto cached = theirs.integer("cache_read", 0);
    // The SDK's figure includes what came from the cache, but for Anthropic; ours never does.
    const bool apart = r.exchange.string("provider") == "anthropic";
    BOOST_TEST(usage.integer("input", 0) == theirs.integer("input", 0) - (apart ? 0 : cached),
               r.name);
    BOOST_TEST(usage.integer("cacheRead", 0) == cached, r.name);
    if (theirs.find("cache_write"))
        BOOST_TEST(usage.integer("cacheWrite", 0) == theirs.integer("cache_write", 0), r.name);
    if (theirs.find("reasoning") && theirs["reasoning"].is_integer())
        BOOST_TEST(usage.integer("reasoning", 0) == theirs.integer("reasoning", 0), r.name);
    const auto output = theirs.integer("output", 0);
    // Gemini counts thoughts beside the answer, we count them within.
    const bool beside = r.exchange.string("provider") == "gemini";
    BOOST_TEST(usage.integer("output", 0) == output + (beside ? theirs.integer("reasoning", 0) : 0),
               r.name);
}

void check_calls(const Recording& r, const Value& calls) {
    const auto& theirs = r.expected.array("tool_calls");
    BOOST_REQUIRE_MESSAGE(calls.array().size() == theirs.size(), r.name);
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        const auto& ours = calls.array()[i];
        if (theirs[i].find("id") && theirs[i]["id"].is_string())
            BOOST_TEST(ours.string("id") == theirs[i].string("id"), r.name);
        BOOST_TEST(ours.string("name") == theirs[i].string("name"), r.name);
        const Value none = object();
        const auto* arguments = theirs[i].find("arguments");
        BOOST_TEST((ours["arguments"] == (arguments ? *arguments : none)),
                   r.name << ": " << to_text(ours["arguments"]));
    }
}

} // namespace

void check_as_expected(const Recording& r, const Outcome& outcome) {
    if (r.expected.find("error")) return check_error(r, outcome);
    BOOST_REQUIRE_MESSAGE(outcome.status == FOXWEDGE_OK,
                          r.name << ": " << outcome.code << " " << outcome.message);
    const auto& result = outcome.result;
    // A refusal's words are all the text there is.
    const auto text =
        std::string(r.expected.string("text")) + std::string(r.expected.string("refusal"));
    BOOST_TEST(text_of(result) == text, r.name);
    BOOST_TEST(text_of(result, "reasoning") == r.expected.string("reasoning"), r.name);
    BOOST_TEST(result.string("stop") == stop_of(r.expected), r.name);
    if (!r.expected.string("model").empty())
        BOOST_TEST(result.string("model") == r.expected.string("model"), r.name);
    check_calls(r, calls_of(result));
    check_usage(r, result["usage"]);
    if (!r.expected.array("blocks").empty()) // Anthropic's: none is lost
        BOOST_TEST(result.array("content").size() == r.expected.array("blocks").size(), r.name);
    // What streamed past is the same text as what is kept.
    if (r.content_type().rfind("text/event-stream", 0) == 0)
        BOOST_TEST(Rig::preview(outcome) == r.expected.string("text"), r.name);
}

} // namespace provider_test
