#include "conductor.hpp"

#include <algorithm>
#include <cstdlib>

#include "common/hash.hpp"
#include "common/text.hpp"

namespace workflow {
namespace {

using foxwedge::plugin::Failure;
using foxwedge::plugin::object;

constexpr std::size_t shown_characters = 60;
/// How an agent ends that `stop_all` has stopped.
constexpr std::string_view ended_with_its_script = "cancelled by parent";
/// Ends on record that the script is told of at a time, and how few of them call for more.
constexpr std::int64_t most_told = 128;
constexpr std::size_t fewest_told = 64;
/// Of a phase's title: it goes into the records of each agent below it.
constexpr std::size_t longest_phase = 200;

/// A line that names a request for people: its label, or how its prompt begins.
std::string headline(std::string_view text) {
    std::string line(capability_kit::first_code_points(text, shown_characters));
    for (char& c : line)
        if (static_cast<unsigned char>(c) < ' ' || c == ':') c = ' ';
    return line;
}

/// "12-3f09…-Review parser.c": the number and the digest identify, the rest is for people.
std::string key_of(std::int64_t id, std::string_view hook, const Value& arguments,
                   std::string_view title) {
    const std::string request = std::string(hook) + to_text(arguments);
    return std::to_string(id) + "-" + capability_kit::hash_text(request) +
           capability_kit::hash_text(request, 1) + "-" + headline(title);
}

/// What the script's process says of its end, with the place in the script.
Ended ended_by(const Value& error) {
    std::string message(error.string("message"));
    if (const auto line = error.integer("line", 0); line > 0) {
        message += " (line " + std::to_string(line);
        if (const auto column = error.integer("column", 0); column > 0)
            message += ", column " + std::to_string(column);
        message += ")";
    }
    return {std::string(error.string("code", "SCRIPT_ERROR")), std::move(message), error};
}

bool is_mistake_of_options(std::string_view code) {
    return code == "unknown_component" || code == "unknown_provider" || code == "unknown_name" ||
           code == "invalid_config" || code == "unknown_model";
}

} // namespace

void Conductor::give_up(const Reply& reply, const char* code) {
    const auto said = reply.failure();
    if (reply.status == FOXWEDGE_PARKED || reply.status == FOXWEDGE_E_CANCELLED ||
        reply.status == FOXWEDGE_E_UNKNOWN || reply.status == FOXWEDGE_E_TRANSIENT)
        throw said;
    if (said.code == "nondeterminism") throw Ended{"NONDETERMINISM", said.message, said.details};
    throw Ended{code, said.message, object({{"cause", said.code}})};
}

void Conductor::check_syntax(const std::string& script) {
    Value limits = settings_.box_limits;
    limits.set("checkOnly", true);
    services_.script
        .start(call_, object({{"source", script},
                              {"args", nullptr},
                              {"limits", std::move(limits)},
                              {"seed", ""},
                              {"now", 0}}))
        .value();
    const Value done = services_.script.next(call_).value()["done"];
    services_.script.kill(call_).value();
    if (const Value* error = done.find("error")) throw ended_by(*error);
}

Value Conductor::perform(const Value& job) {
    const Value& plan = job["plan"];
    concurrency_ = std::max<std::int64_t>(1, plan.integer("concurrency", 1));
    left_ = plan["budget"];
    const Value* const args = job.find("args");
    services_.script
        .start(call_, object({{"source", job.string("script")},
                              {"args", args ? *args : Value()},
                              {"limits", settings_.box_limits},
                              {"budget", left_},
                              {"seed", plan.string("seed")},
                              {"now", plan.integer("now", 0)}}))
        .value();
    try {
        Value value = conduct(plan);
        quiet();
        return object({{"agentsStarted", started_}, {"result", std::move(value)}});
    } catch (const Ended&) {
        stop_all();
        throw;
    }
}

Value Conductor::conduct(const Value&) {
    for (;;) {
        const Value next = services_.script.next(call_).value();
        if (const Value* done = next.find("done")) {
            if (const Value* value = done->find("value")) return *value;
            throw ended_by((*done)["error"]);
        }
        const Value& request = next["request"];
        if (request.string("hook") == "wait")
            deliver();
        else
            ask(request);
    }
}

void Conductor::ask(const Value& request) {
    const auto hook = request.string("hook");
    const auto id = request.integer("id", 0);
    const Value& arguments = request["arguments"];
    if (hook == "phase" || hook == "log") {
        call_.emit_progress(static_cast<double>(started_), static_cast<double>(settings_.agents),
                            arguments.string(hook == "phase" ? "title" : "message"));
        return;
    }
    Wanted wanted = hook == "agent" ? agent(id, arguments) : workflow(id, arguments);
    if (static_cast<std::int64_t>(open_.size()) < concurrency_)
        start(std::move(wanted));
    else
        waiting_.push_back(std::move(wanted));
}

Conductor::Wanted Conductor::agent(std::int64_t id, const Value& arguments) {
    const auto prompt = arguments.string("prompt");
    const auto label = arguments.string("label", prompt);
    Value request = object({{"key", key_of(id, "agent", arguments, label)}, {"prompt", prompt}});
    Value options = object();
    for (const char* name : {"provider", "model"})
        if (const auto text = arguments.string(name); !text.empty()) options.set(name, text);
    if (!options.object().empty()) request.set("options", std::move(options));
    if (const Value* schema = arguments.find("schema")) {
        check_schema(*schema);
        request.set("output", *schema);
    }
    if (!settings_.agent.empty()) request.set("agent", settings_.agent);
    request.set("seq", id);
    request.set("label", headline(label));
    if (const auto phase = arguments.string("phase"); !phase.empty())
        request.set("phase", capability_kit::first_code_points(phase, longest_phase));
    request.set("without", foxwedge::plugin::array({"workflow", "workflow_poll", "workflow_cancel",
                                                    "workflow-script_*"}));
    return {id, std::move(request)};
}

Conductor::Wanted Conductor::workflow(std::int64_t id, const Value& arguments) {
    const auto name = arguments.string("name");
    Value request = object({{"key", key_of(id, "workflow", arguments, name)}, {"workflow", name}});
    const Value* const args = arguments.find("args");
    request.set("input", args ? *args : Value());
    request.set("seq", id);
    request.set("label", headline(name));
    return {id, std::move(request)};
}

void Conductor::check_schema(const Value& schema) {
    if (schema.string("type") != "object")
        throw Ended{"UNSUPPORTED_SCHEMA",
                    "agent(): the schema must have \"type\": \"object\" at its root"};
    const Reply compiled = services_.check.compile(call_.raw(), object({{"schema", schema}}));
    if (!compiled.ok())
        throw Ended{"UNSUPPORTED_SCHEMA",
                    "agent(): the schema cannot be used: " + compiled.failure().message};
    services_.check.release(call_.raw(), compiled.value()["handle"]).value();
}

void Conductor::start(Wanted wanted) {
    const Reply reply = services_.agents.start(call_, wanted.request);
    if (!reply.ok()) give_up(reply, "AGENT_START");
    const Value started = reply.value();
    const int repeat = repeats_[wanted.id];
    if (repeat == 0) ++started_;
    open_.emplace(std::string(started.string("ticket")), std::move(wanted));
}

/// Waits for the next end, and gives it to the script.
void Conductor::deliver() {
    if (open_.empty())
        throw Ended{"SCRIPT_ERROR", "the script waits for something that never comes"};
    if (told_.size() < fewest_told) tell_ahead();
    const Reply reply = services_.agents.next(call_);
    if (!reply.ok()) give_up(reply, "AGENT_RESULT");
    const Value ended = reply.value();
    const auto at = open_.find(std::string(ended.string("ticket")));
    if (at == open_.end() || (!told_.empty() && told_.front() != at->second.id))
        throw Ended{"AGENT_RESULT", "a child ended that this script did not start"};
    Wanted wanted = std::move(at->second);
    open_.erase(at);
    if (!told_.empty()) {
        told_.pop_front();
        return start_following();
    }
    spend(ended["usage"]);
    bool again = false;
    Value value = value_of(ended, again);
    if (again) { // a budget or its script's own end had stopped it, and there is more of it now
        const auto repeat = ++repeats_[wanted.id];
        const std::string key(wanted.request.string("key"));
        const auto mark = key.find('~');
        wanted.request.set("key", key.substr(0, mark) + "~" + std::to_string(repeat));
        start(std::move(wanted));
        return deliver();
    }
    start_following();
    services_.script.answer(call_, answer(wanted.id, std::move(value))).value();
}

void Conductor::start_following() {
    if (waiting_.empty()) return;
    Wanted following = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(following));
}

void Conductor::tell_ahead() {
    if (!more_on_record_) return;
    const Reply reply =
        services_.agents.start(call_, object({{"ahead", most_told}, {"usage", left_.is_object()}}));
    if (!reply.ok()) give_up(reply, "AGENT_RESULT");
    const Value known = reply.value();
    more_on_record_ = known.boolean("more", false);
    Value answers = foxwedge::plugin::array();
    for (const Value& end : known["ends"].array()) {
        const auto id = std::strtoll(std::string(end.string("key")).c_str(), nullptr, 10);
        spend(end["usage"]);
        told_.push_back(id);
        answers.push(answer(id, end["value"]));
    }
    if (!answers.array().empty())
        services_.script.answer(call_, object({{"answers", std::move(answers)}})).value();
}

Value Conductor::answer(std::int64_t id, Value value) const {
    Value out = object({{"id", id}, {"value", std::move(value)}});
    if (left_.is_object()) out.set("budget", left_);
    return out;
}

/// What is left of the budget goes by what this script's own children have used: the same each time
/// that it runs.
void Conductor::spend(const Value& usage) {
    if (!left_.is_object()) return;
    const auto number = [&](const char* name) { return usage.number(name, 0); };
    const double input = number("input") + number("cacheRead") + number("cacheWrite");
    const double output = number("output");
    for (auto& [name, value] : left_.object()) {
        const double used = name == "inputTokens"    ? input
                            : name == "outputTokens" ? output
                            : name == "totalTokens"  ? input + output
                                                     : number("usd");
        value = std::max(0.0, value.number() - used);
    }
}

/// What the script gets. A child that failed in an ordinary way is null.
Value Conductor::value_of(const Value& ended, bool& again) {
    const auto status = ended.string("status");
    const auto reason = ended.string("stopReason", "final");
    if (reason == "budget") {
        if (!ended.boolean("recorded", false))
            throw Ended{"BUDGET", "the budget is used up", object({{"run", ended["ticket"]}})};
        again = true;
        return nullptr;
    }
    if (status == "succeeded" && reason == "final") return ended["value"];
    const Value& error = ended["error"];
    if (status == "cancelled" && error.string("message") == ended_with_its_script) {
        again = true;
        return nullptr;
    }
    if (is_mistake_of_options(error.string("code")))
        throw Ended{"AGENT_START", std::string(error.string("message")),
                    object({{"cause", error.string("code")}, {"run", ended["ticket"]}})};
    return nullptr;
}

/// No child outlives its script. Of one that has failed their ends are not taken: on record, they
/// would stand where it asks for something else when it runs again, with more of what it lacked.
bool Conductor::stop_all() noexcept {
    try {
        services_.script.kill(call_);
        for (int again = 0; again < 2; ++again) // the second time waits for the end
            for (const auto& [ticket, wanted] : open_)
                if (!services_.agents.cancel(call_, ticket).ok()) return false;
        return true;
    } catch (const std::exception&) { // nothing more can be done for them here
        return false;
    }
}

/// The same after a value, where the ends are the last things that it asks for.
void Conductor::quiet() noexcept {
    if (!stop_all()) return;
    try {
        while (!open_.empty()) {
            const Reply reply = services_.agents.next(call_);
            if (!reply.ok()) return; // the run ends, and they with it
            open_.erase(std::string(reply.value().string("ticket")));
        }
    } catch (const std::exception&) { // nothing more can be done for them here
    }
}

} // namespace workflow
