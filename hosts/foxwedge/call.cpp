// call: one tool by its id, as a durable run.
#include "compose/workflows.hpp"
#include "hosts.hpp"
#include "output.hpp"
#include "session.hpp"

namespace foxwedge::cli {
namespace {

/// The text of the tool's result, for people.
std::string shown(const Json& result) {
    std::string out;
    if (const auto* content = array_member(result, "content"))
        for (const auto& block : *content) {
            if (!out.empty()) out += '\n';
            out +=
                string_member(block, "text")
                    .value_or("(" + std::string(string_member(block, "type").value_or("?")) + ")");
        }
    return out;
}

} // namespace

int call(const Globals& globals, const CallArgs& args) {
    auto host = host_of_file(globals, args.config);
    if (!host) return report(globals, host.error());
    auto arguments = json_argument(args.arguments.empty() ? "{}" : args.arguments);
    if (!arguments) return report(globals, arguments.error());
    compose::StartRequest request;
    request.name = std::string(compose::call_prefix) + args.tool;
    request.input_json = *arguments;
    request.conversation = args.conversation;
    request.user = args.user.empty() ? os_user() : args.user;
    auto begun = (*host)->begin(request);
    if (!begun) return report(globals, begun.error());
    run::Finished finished;
    const int exit = run_in_foreground(globals, **host, *std::move(begun), {}, &finished);
    if (finished.how != run::Ended::succeeded) return exit;
    const auto value = parse_json(finished.outcome.value_json);
    const Json result = value ? *value : Json();
    print(globals.json ? to_text(result) : shown(result));
    return bool_member(result, "isError").value_or(false) ? failed : succeeded;
}

} // namespace foxwedge::cli
