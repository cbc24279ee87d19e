// The workflow tool. A call of it starts a run of the script's own and waits; that run, by its
// host, comes back here as "script:run", where the script is conducted.
#include <chrono>
#include <string>
#include <string_view>

#include <foxwedge/plugin.hpp>

#include "conductor.hpp"
#include "definition.hpp"
#include "meta.hpp"
#include "result.hpp"
#include "settings.hpp"

namespace workflow {

using namespace foxwedge::plugin;

constexpr std::string_view plan_verb = "script:plan", run_verb = "script:run";

/// Reached by a script that may have done nothing wrong: with more of it the script can end.
bool is_cap(std::string_view code) {
    for (const auto cap : {"AGENT_CAP", "ITEM_CAP", "BUDGET", "MEMORY", "TIMEOUT"})
        if (code == cap) return true;
    return false;
}

class Workflows : public Capability {
public:
    static constexpr bool concurrent = true;

    Workflows(const Host& host, const Value& config)
        : settings_(config), services_{host.agents(), host.script(), host.check()} {}

    Value tools() override { return tool_list(settings_); }

    Value run(std::string_view tool, const Value& arguments, Call& call) override {
        if (tool == settings_.tool_name) return run_tool(arguments, call);
        if (settings_.background && tool == settings_.tool_name + "_poll")
            return poll(arguments, call);
        if (settings_.background && tool == settings_.tool_name + "_cancel")
            return cancel(arguments, call);
        // Not in the list: only the host's own runs of scripts ask for these.
        if (tool == plan_verb) return ended_or([&] { return plan(arguments, call); });
        if (tool == run_verb)
            return ended_or([&] {
                const Settings settings = settings_.lowered(arguments["limits"]);
                Conductor conductor(services_, settings, call);
                return object(
                    {{"content", array()}, {"structuredContent", conductor.perform(arguments)}});
            });
        throw Failure(FOXWEDGE_E_UNSUPPORTED, "unknown_tool",
                      "there is only " + settings_.tool_name);
    }

private:
    template <class Body>
    static Value ended_or(Body&& body) {
        try {
            return body();
        } catch (const Ended& ended) {
            return failed(ended.code, ended.message, ended.more);
        }
    }

    /// What must be the same whenever the script runs again, decided once and recorded by the host.
    Value plan(const Value& job, Call& call) const {
        const Settings settings = settings_.lowered(job["limits"]);
        Conductor(services_, settings, call).check_syntax(std::string(job.string("script")));
        const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count();
        return object({{"content", array()},
                       {"structuredContent", object({{"concurrency", settings.concurrency},
                                                     {"now", now},
                                                     {"seed", std::string(call.step_key())}})}});
    }

    Value run_tool(const Value& arguments, Call& call) const {
        const Value& meta = arguments["meta"];
        const auto problems = meta_problems(meta);
        return presented(arguments, problems.empty()
                                        ? perform(arguments, call)
                                        : failed("META_INVALID", "Error: " + problems));
    }

    Value perform(const Value& arguments, Call& call) const {
        if (call.cancelled()) return failed("CANCELLED", "Error: workflow run was cancelled");
        const auto name = arguments["meta"].string("name");
        const bool background = settings_.background && arguments.boolean("background", false);
        Value input = object();
        for (const auto& [member, value] : arguments.object())
            if (member != "background") input.set(member, value);
        Value request =
            object({{"key", "script"}, {"workflow", "script:" + settings_.agent}, {"label", name}});
        request.set("input", std::move(input));
        if (background) request.set("detached", true);
        const Reply started = services_.agents.start(call, request);
        if (started.code() == "no_agent")
            return failed("AGENT_START", "Error: workflow tool requires a calling agent "
                                         "(exec.agent was undefined)");
        if (started.code() == "no_turn")
            return failed("INVALID_ARGUMENT",
                          "Error: only a run that an agent's turn starts can be in the background: "
                          "leave `background` out");
        const Value ticket = started.value()["ticket"];
        if (background)
            return standing(ticket.string(), "running",
                            called(name) + " started in the background: runId " +
                                std::string(ticket.string()) + ".");
        return result_of(name, services_.agents.next(call).value());
    }

    /// How a background run stands now, or what it came to.
    Value poll(const Value& arguments, Call& call) const {
        const Reply found = find(arguments, false, call);
        if (found.code() == "unknown_run") return unknown(arguments);
        const Value run = found.value();
        const auto status = run.string("status"), name = run.string("label");
        // Parked or not: that is the host's affair.
        if (status == "running" || status == "ready" || status == "waiting")
            return standing(run.string("ticket"), "running", called(name) + " is running.");
        return result_of(name, run);
    }

    /// Answers when script and agents are quiet.
    Value cancel(const Value& arguments, Call& call) const {
        const Reply known = find(arguments, false, call);
        if (known.code() == "unknown_run") return unknown(arguments);
        services_.agents.cancel(call, known.value()["ticket"]).value();
        const Value run = find(arguments, true, call).value();
        const auto status = run.string("status"), name = run.string("label");
        return standing(run.string("ticket"), status,
                        called(name) + (status == "cancelled"
                                            ? " is cancelled."
                                            : " had ended before: " + std::string(status) + "."));
    }

    static std::string called(std::string_view name) {
        return "workflow \"" + std::string(name) + "\"";
    }

    Reply find(const Value& arguments, bool wait, Call& call) const {
        return services_.agents.start(
            call, object({{"find", arguments.string("runId")}, {"wait", wait}}));
    }

    static Value unknown(const Value& arguments) {
        return failed("INVALID_ARGUMENT", "Error: no workflow was started in the background here "
                                          "with runId " +
                                              quoted(arguments.string("runId")));
    }

    Value result_of(std::string_view name, const Value& ended) const {
        const std::string run(ended.string("ticket"));
        const auto status = ended.string("status");
        if (status == "succeeded")
            return completed(name, run, ended.integer("agentsStarted", 0), ended["value"],
                             settings_.max_result_chars);
        const Value& error = ended["error"];
        std::string message(error.string("message"));
        const Value where = object({{"run", run}});
        if (status == "cancelled")
            return failed("CANCELLED",
                          "Error: workflow run was cancelled" +
                              (message.empty() ? std::string() : " (" + message + ")"),
                          where);
        if (status != "failed")
            return failed("SCRIPT_ERROR",
                          "Error: workflow run ended abnormally (" + std::string(status) + ")",
                          where);
        const auto code = error.string("code", "SCRIPT_ERROR");
        if (is_cap(code))
            message += " (run " + run + " keeps what is done; foxwedge resume --retry " + run +
                       " goes on with it, with --set for another limit)";
        if (code == "SCRIPT_PARSE") return failed(code, "Error: " + message, where);
        return failed(code,
                      "Error: workflow run failed: " +
                          (message.empty() ? std::string("unknown error") : message),
                      where);
    }

    const Settings settings_;
    const Conductor::Services services_;
};

} // namespace workflow

FOXWEDGE_PLUGIN(foxwedge::plugin::component<workflow::Workflows>("workflow-script"));
