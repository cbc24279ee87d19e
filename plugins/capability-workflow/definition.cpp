#include "definition.hpp"

namespace workflow {
namespace {

using foxwedge::plugin::array, foxwedge::plugin::object;

std::string description(const Settings& settings) {
    return R"(Runs a JavaScript script that hands work to many agents and gives back the value that the script returns. It answers when the whole script has ended.

`script` is the body of an async function in plain JavaScript (no TypeScript, no import or export, no `export const meta`): use `await` at its top level and end it with `return VALUE`. The value must be JSON: objects, arrays, texts, finite numbers, true, false, null. No functions, dates, maps, class instances, holes, cycles or nested undefined.

These are there for the script:
- `await agent(prompt, {label, phase, schema, provider, model})`: one agent with your own tools and instructions and an empty history. The prompt must say everything that it needs to know. Without `schema` it gives the agent's final text; with `schema` (a JSON Schema with "type": "object") an object that fits. All options may be left out; any other option is an error. An agent that fails gives null: check for it.
- `await parallel([() => agent(…), () => agent(…)])`: takes functions, starts all, waits for all, gives their values in the same order; one that throws gives null.
- `await pipeline(items, stage1, stage2, …)`: each item goes through the stages by itself, without waiting for the others. A stage is called as `(previous, item, index)`; one that throws drops its item to null. Gives one value for each item, in order.
- `phase(title)`: what is started from now on belongs to this phase of the work. `log(message)`: a line for the people who watch.
- `args`: the object that you give as `args`. Wrap a bare list in a field: {"files": […]}.
- `await workflow(name, args)`: runs a workflow of the host's configuration by its name. `budget.left`: what is left of the budget, or null.

There are no timers, files, network, modules or console. Date and Math.random are the same each time that the script runs: after an interruption it runs again from the top, and what agents have already answered is given at once. So let nothing but args and answers decide which agents are asked, and in which order.

At most )" +
           std::to_string(settings.agents) + R"( agents in one run and )" +
           std::to_string(settings.box_limits.integer("items", 0)) +
           R"( items in one parallel or pipeline; a misuse of these functions ends the script with an error that says what to change.

Example:
phase("Review");
const found = await parallel(args.files.map((file) => () =>
  agent(`Review ${file} for mistakes.`, { label: file, schema: { type: "object", required: ["mistakes"],
    properties: { mistakes: { type: "array", items: { type: "string" } } } } })));
return args.files.map((file, i) => ({ file, mistakes: found[i] ? found[i].mistakes : null }));)";
}

std::string about_background(const std::string& tool) {
    return "\n\nWith `background: true` it answers at once with a runId, and the script goes on "
           "while you do other things. " +
           tool + "_poll gives its state or its value, " + tool +
           "_cancel ends it. It ends with your own work at the latest: fetch what you need before "
           "your final answer.";
}

Value parameters(bool background) {
    const auto field = [](const char* text) { return object({{"description", text}}); };
    Value meta = object({{"type", "object"},
                         {"description", "what the script is: {name, description, whenToUse?, "
                                         "phases?}; no other field"}});
    meta.set("properties",
             object({{"name", field("required text, in kebab-case: \"audit-modules\"")},
                     {"description", field("required text: what the script does, in one sentence")},
                     {"whenToUse", field("text")},
                     {"phases", field("list of {title, detail?, provider?, model?}: what people "
                                      "see of the progress; it chooses nothing")}}));
    Value out = object({{"type", "object"}, {"additionalProperties", false}});
    Value properties = object(
        {{"meta", std::move(meta)},
         {"script", object({{"type", "string"},
                            {"description", "body of an async function in plain JavaScript, ending "
                                            "in `return VALUE`"}})},
         {"args",
          object({{"type", "object"},
                  {"description", "the script's global `args`; wrap a bare list in a field"}})}});
    if (background)
        properties.set("background",
                       object({{"type", "boolean"},
                               {"description", "true: answer at once with a runId, do not wait"}}));
    out.set("properties", std::move(properties));
    out.set("required", array({"meta", "script"}));
    return out;
}

/// What polls or cancels: it takes a runId.
Value follower(std::string name, const char* title, const char* text, const char* effect,
               Value annotations) {
    Value run = object({{"type", "string"}, {"minLength", 1}});
    run.set("description", "as the call in the background answered it");
    Value schema = object({{"type", "object"}, {"additionalProperties", false}});
    schema.set("properties", object({{"runId", std::move(run)}}));
    schema.set("required", array({"runId"}));
    return object({{"name", std::move(name)},
                   {"title", title},
                   {"description", text},
                   {"inputSchema", std::move(schema)},
                   {"annotations", std::move(annotations)},
                   {"effect", effect},
                   {"parallelSafe", true}});
}

} // namespace

Value tool_list(const Settings& settings) {
    const std::string name = settings.tool_name;
    Value tool = object({{"name", name},
                         {"title", "Workflow"},
                         {"description", description(settings) +
                                             (settings.background ? about_background(name) : "")},
                         {"inputSchema", parameters(settings.background)},
                         {"annotations", object()},
                         {"effect", "idempotent"},
                         {"parallelSafe", true}});
    Value tools = array({std::move(tool)});
    if (settings.background) {
        tools.push(
            follower(name + "_poll", "Workflow: state",
                     "Tells at once how a workflow in the background stands; once it has ended, "
                     "its value or why it failed.",
                     "none", object({{"readOnlyHint", true}})));
        tools.push(
            follower(name + "_cancel", "Workflow: cancel",
                     "Cancels a workflow in the background and all its agents, and answers when "
                     "they have ended.",
                     "idempotent", object({{"idempotentHint", true}})));
    }
    Value section = object(
        {{"id", "tool:" + name},
         {"text", "Use the tool " + name +
                      " only when the user explicitly asks for a workflow, or for work on a large "
                      "scale that many agents are to share: then you write a script (the tool's "
                      "description says how) that hands the parts to agents, in phases, and "
                      "returns what they found. One or two delegations are better made by "
                      "calling your own workflow-backed tools directly."}});
    return object({{"tools", std::move(tools)}, {"sections", array({std::move(section)})}});
}

} // namespace workflow
