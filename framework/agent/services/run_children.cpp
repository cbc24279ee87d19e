#include "agent/services/run_children.hpp"

#include <algorithm>

#include "agent/calls/workflow_call.hpp"

namespace foxwedge::agent {
namespace {

Error refused(std::string message) {
    return permanent("input_validation", std::move(message));
}

/// The configuration for a child whose agent is asked with other options.
Result<std::string> config_with(const run::Run& lane, const std::string& agent,
                                const JsonObject& options) {
    const std::string text = config_of_child(lane);
    if (options.empty()) return text;
    FOXWEDGE_TRY(config, parse_json(text));
    const auto* const agents = object_member(config, "agents");
    if (!agents || !agents->contains(agent))
        return refused("options go with an agent; the configuration has none called \"" + agent +
                       "\"");
    auto& entry = config.get_object()["agents"].get_object()[agent].get_object();
    for (const auto& [name, value] : options) entry[name] = value;
    return to_text(config);
}

struct Wanted {
    std::string key, workflow;
    JsonObject options;
};

Result<Wanted> wanted_of(const Json& request, const std::string& caller) {
    const auto key = string_member(request, "key");
    if (!key || key->empty()) return refused("a child needs a \"key\", a text of its own");
    const auto agent = string_member(request, "agent"),
               workflow = string_member(request, "workflow");
    if (agent && workflow) return refused("a child is either an \"agent\" or a \"workflow\"");
    Wanted out{std::string(*key), std::string(agent ? *agent : workflow.value_or(caller)), {}};
    if (out.workflow.empty())
        return refused("no agent calls here: name one in \"agent\" or \"workflow\"");
    if (const auto* const options = object_member(request, "options")) out.options = *options;
    if (const auto* const output = member(request, "output")) out.options["output"] = *output;
    if (workflow && !out.options.empty())
        return refused("\"options\" and \"output\" go with an agent, not with a workflow");
    return out;
}

} // namespace

Result<Json> RunChildren::start(const Json& request) {
    FOXWEDGE_TRY(wanted, wanted_of(request, caller_.agent));
    if (const auto known = tickets_.find(wanted.key); known != tickets_.end())
        return Json(JsonObject{{"ticket", known->second}});
    if (caller_.path.size() >= deepest_agent)
        return permanent("too_deep", "agents start agents " + std::to_string(deepest_agent - 1) +
                                         " deep at most");
    run::Run& lane = step_.lane();
    run::ChildSpec child;
    child.name = name_ + ":child:" + wanted.key;
    child.workflow = wanted.workflow;
    const Json* const input = member(request, "input");
    child.input_json = input ? to_text(*input) : "null";
    FOXWEDGE_TRY(config, config_with(lane, wanted.workflow, wanted.options));
    child.config_json = std::move(config);
    child.labels_json = labels_of_child(lane.head(), caller_.path, caller_.budget);
    if (const auto prompt = string_member(request, "prompt")) {
        FOXWEDGE_TRY(labels, parse_json(child.labels_json));
        labels.get_object()["prompt"] = *prompt;
        child.labels_json = to_text(labels);
    }
    lane.unwinds(false); // the caller may be a plugin, which no exception may cross
    auto started = lane.start_child(child);
    lane.unwinds(true);
    if (!started) return std::move(started).error();
    tickets_[wanted.key] = *started;
    return Json(JsonObject{{"ticket", *started}});
}

Result<Json> RunChildren::next() {
    run::Run& lane = step_.lane();
    lane.unwinds(false);
    auto ended = lane.next_child(name_ + ":ended:" + std::to_string(given_));
    lane.unwinds(true);
    if (!ended) return std::move(ended).error();
    ++given_;
    JsonObject answer{{"ticket", ended->run}, {"status", to_string(ended->status)}};
    const auto value = parse_json(ended->outcome.value_json);
    const Json* const usage = value ? member(*value, "usage") : nullptr;
    const Spent spent = usage ? spent_from_json(*usage) : Spent();
    answer["usage"] = to_json(spent);
    spent_ += spent;
    if (ended->outcome.error)
        answer["error"] = JsonObject{{"code", ended->outcome.error->code},
                                     {"message", ended->outcome.error->message}};
    // An agent's result says how it stopped; a plain workflow's is its value.
    const Json* const final = value ? member(*value, "final") : nullptr;
    const auto reason = value ? string_member(*value, "stopReason") : std::nullopt;
    if (reason) answer["stopReason"] = *reason;
    if (value && !ended->outcome.error) answer["value"] = final && reason ? *final : *value;
    return Json(std::move(answer));
}

Status RunChildren::cancel(const Json& request) {
    const auto ticket = string_member(request, "ticket");
    const auto is_it = [&](const auto& one) { return one.second == *ticket; };
    if (!ticket || std::none_of(tickets_.begin(), tickets_.end(), is_it))
        return refused("this call has started no child \"" + std::string(ticket.value_or("")) +
                       "\"");
    if (!world_.cancel) return permanent("unavailable", "this host ends no children");
    auto done = world_.cancel(*ticket);
    // One that has ended already is what was wanted.
    if (!done && done.error().code != "run_finished") return done;
    return {};
}

} // namespace foxwedge::agent
