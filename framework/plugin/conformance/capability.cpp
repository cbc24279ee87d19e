#include <set>

#include "contracts/tool.hpp"
#include "plugin/conformance/example.hpp"
#include "plugin/conformance/kits.hpp"
#include "schema/schema.hpp"

namespace foxwedge::plugin::conformance {
namespace {

constexpr std::size_t most_tools = 100; // that are tried
const VerbRequest listing{Verb::list_tools, {}, {}, 0};

bool is_tool_name(std::string_view name) {
    if (name.empty() || name.size() > 64) return false;
    for (const char c : name)
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '_' && c != '-')
            return false;
    return true;
}

std::string problem_of_schema(const std::string& what, const Json& schema, bool of_object) {
    if (!schema.is_object()) return what + " is no object";
    if (of_object && string_member(schema, "type") != "object")
        return what + " must have \"type\": \"object\"";
    schema::CompileOptions options;
    options.strict_patterns = true;
    const auto compiled = schema::Schema::compile(schema, options);
    return compiled ? "" : what + ": " + compiled.error().message;
}

std::string problem_of_tools(const ToolList& list) {
    std::set<std::string> names;
    for (const auto& tool : list.tools) {
        if (!is_tool_name(tool.name))
            return "the name \"" + tool.name + "\" is not of A-Z, a-z, 0-9, _ and -, at most 64";
        if (!names.insert(tool.name).second) return "there are two tools called " + tool.name;
        if (tool.description.empty()) return tool.name + " has no description";
        if (tool.annotations.read_only == true && tool.effect != ToolEffect::unstated &&
            tool.effect != ToolEffect::none)
            return tool.name + " says that it reads only, and that it has the effect " +
                   to_string(tool.effect);
    }
    for (const auto& section : list.sections)
        if (section.id.empty() || section.text.empty()) return "a section without id or text";
    return {};
}

std::string problem_of_schemas(const ToolList& list) {
    for (const auto& tool : list.tools) {
        auto problem = problem_of_schema(tool.name + ": inputSchema", tool.input_schema, true);
        if (problem.empty() && !tool.output_schema.is_null())
            problem = problem_of_schema(tool.name + ": outputSchema", tool.output_schema, true);
        if (!problem.empty()) return problem;
    }
    return {};
}

/// What stands against the result of a call with good arguments.
std::string problem_of_result(const ToolDefinition& tool, const Told& told) {
    if (!told.problem.empty()) return told.problem;
    if (told.end.status == FOXWEDGE_E_INTERNAL) return "it ended with " + described(told);
    if (told.end.status != FOXWEDGE_OK)
        return told.end.said ? "" : "it ended with " + described(told) + ", and no set_error";
    const auto result = tool_result_from_json(told.result);
    if (!result) return "its result has another form: " + result.error().message;
    if (tool.output_schema.is_null() || result->is_error) return {};
    if (!result->structured) return "it has an outputSchema and gives no structuredContent";
    const auto compiled = schema::Schema::compile(tool.output_schema);
    if (!compiled) return {}; // told already
    for (const auto& violation : compiled->check(*result->structured))
        return "structuredContent" + violation.instance_pointer + ": " + violation.message;
    return {};
}

class Tool {
public:
    Tool(Trial& trial, Ledger& ledger, const ToolDefinition& tool, TrialStore& store)
        : trial_(trial), ledger_(ledger), tool_(tool), store_(store),
          example_(example_of(tool.input_schema)), effect_(tool.effect) {
        if (effect_ == ToolEffect::unstated) effect_ = effect_of(tool.annotations);
        manner_.store = &store;
        manner_.deadline = tool.timeout;
    }

    void check() {
        const auto id = "run." + tool_.name;
        if (example_) {
            with_good_arguments(id);
        } else {
            const auto* why = "no arguments could be made up from its inputSchema; put some into "
                              "\"examples\" there";
            ledger_.skip(id, "it runs with arguments that fit its inputSchema", why);
        }
        with_bad_arguments(id);
        const auto arguments = to_text(example_.value_or(JsonObject{}));
        check_leaving(trial_, ledger_, id, request(arguments), manner_);
        store_.discard();
    }

private:
    VerbRequest request(const std::string& arguments) const {
        return {Verb::run_tool, arguments, tool_.name, 0};
    }
    Told run(const std::string& arguments) { return trial_.call(request(arguments), manner_); }

    void with_good_arguments(const std::string& id) {
        const auto arguments = to_text(*example_);
        const auto first = run(arguments);
        auto problem = problem_of_result(tool_, first);
        if (!problem.empty()) problem += " (with " + arguments + ")";
        if (!ledger_.note(id, "it runs with arguments that fit its inputSchema", problem)) return;
        const auto written = store_.writes();
        const bool may_write = effect_ == ToolEffect::store || effect_ == ToolEffect::once ||
                               effect_ == ToolEffect::idempotent || effect_ == ToolEffect::unstated;
        ledger_.note(id + ".effect", "it writes to the store only if its effect allows that",
                     written > 0 && !may_write ? "it wrote, and its effect is \"none\"" : "");
        if (effect_ != ToolEffect::store) return;
        // The host throws attempts away, as after a crash: what remains is the store alone.
        store_.discard();
        const auto again = run(arguments);
        const bool same = again.end.status == first.end.status && store_.writes() == written;
        ledger_.note(id + ".again",
                     "an attempt that was thrown away has left nothing behind: the next one does "
                     "the same",
                     same ? ""
                          : "first " + described(first) + " with " + std::to_string(written) +
                                " keys written, then " + described(again) + " with " +
                                std::to_string(store_.writes()));
        store_.commit();
    }

    void with_bad_arguments(const std::string& id) {
        // The host lets none of these through; a plugin that is called otherwise stays whole.
        std::vector<Json> wrong{JsonObject{}, JsonObject{{"\xf0\x9f\xa6\x8a", JsonArray{}}}};
        if (example_ && example_->is_object())
            for (const auto& [key, value] : example_->get_object()) {
                auto odd = *example_;
                odd.get_object()[key] = value.is_string() ? Json(7) : Json("\xe2\x80\xae odd");
                wrong.push_back(std::move(odd));
            }
        std::string problem;
        for (const auto& arguments : wrong) {
            const auto text = to_text(arguments);
            problem = run(text).problem;
            store_.discard();
            if (!problem.empty()) {
                problem += " (with " + text + ")";
                break;
            }
        }
        ledger_.note(id + ".bad-arguments",
                     "arguments that do not fit its inputSchema bring it to no harm", problem);
    }

    Trial& trial_;
    Ledger& ledger_;
    const ToolDefinition& tool_;
    TrialStore& store_;
    const std::optional<Json> example_;
    ToolEffect effect_;
    Manner manner_;
};

} // namespace

void check_capability(Trial& trial, Ledger& ledger) {
    TrialStore store(trial.setting().folder);
    Manner outside_a_step;
    outside_a_step.step_key = "";
    const auto told = trial.call(listing, outside_a_step);
    if (!ledger.note("tools.listed", "list_tools gives a list of tools", not_ok(told))) return;
    const auto list = tool_list_from_json(told.result);
    ledger.note("tools.form", "its tools have names of their own, and descriptions",
                list ? problem_of_tools(*list) : list.error().message);
    if (!list) return;
    ledger.note("tools.schemas", "its schemas can be compiled, and describe objects",
                problem_of_schemas(*list));
    ledger.note("tools.constant", "its tools are the same for the life of an instance",
                not_the_same(told, trial.call(listing, outside_a_step)));
    Manner in_a_step;
    in_a_step.store = &store;
    const auto stranger = trial.call({Verb::run_tool, "{}", "no_tool_has_this_name", 0}, in_a_step);
    auto problem = stranger.problem;
    if (problem.empty() && stranger.ok() &&
        !bool_member(stranger.result, "isError").value_or(false))
        problem = "it ran";
    ledger.note("tools.unknown", "a tool that it does not have is refused", problem);
    for (std::size_t n = 0; n < list->tools.size() && n < most_tools; ++n)
        Tool(trial, ledger, list->tools[n], store).check();
}

} // namespace foxwedge::plugin::conformance
