// plugins check: a plugin held to the contract, for its author and for who is to trust it.
#include <fstream>
#include <sstream>

#include "output.hpp"
#include "plugin/conformance/check.hpp"
#include "process/supervisor.hpp"

namespace foxwedge::cli {
namespace {

namespace kit = plugin::conformance;

Result<std::string> content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    if (in) out << in.rdbuf();
    if (!in) return permanent("not_found", path + " cannot be read");
    return std::move(out).str();
}

Result<Json> json_from(const std::string& text) {
    if (text.empty() || text.front() != '@') return parse_json(text);
    FOXWEDGE_TRY(content, content_of(text.substr(1)));
    return parse_json(content);
}

/// "[ID=]JSON": an equals sign inside the JSON does not count.
Status take_config(const std::string& argument, std::map<std::string, Json>& configs) {
    const auto equals = argument.find('=');
    const bool named = equals != std::string::npos &&
                       plugin::is_plugin_id(std::string_view(argument).substr(0, equals));
    auto config = json_from(named ? argument.substr(equals + 1) : argument);
    if (!config || !config->is_object())
        return permanent("usage", "--component-config " + argument + ": " +
                                      (config ? "must be an object" : config.error().message));
    configs[named ? argument.substr(0, equals) : ""] = std::move(*config);
    return {};
}

Result<kit::Recorded> recorded_from(const std::string& path) {
    FOXWEDGE_TRY(content, content_of(path));
    auto json = parse_json(content);
    if (!json) return permanent("usage", path + ": " + json.error().message);
    const auto body = string_member(*json, "body");
    if (!body)
        return permanent("usage", path + R"( must be {"status": 200, "headers": {}, "body": "…"})");
    kit::Recorded recorded;
    recorded.status = static_cast<int>(integer_member(*json, "status").value_or(200));
    recorded.headers = JsonObject{};
    if (const auto* headers = object_member(*json, "headers")) recorded.headers = *headers;
    recorded.body = *body;
    return recorded;
}

Result<kit::CheckOptions> options_from(const PluginCheckArgs& args) {
    kit::CheckOptions options;
    options.host_version = FOXWEDGE_VERSION;
    options.longest = std::chrono::seconds(args.seconds);
    for (const auto& config : args.configs) FOXWEDGE_CHECK(take_config(config, options.configs));
    if (!args.answer.empty()) {
        FOXWEDGE_TRY(answer, recorded_from(args.answer));
        options.answer = std::move(answer);
    }
    return options;
}

void print_report(const kit::Report& found) {
    print(inked(found.id.empty() ? found.path : found.id + " " + found.version, Ink::bold) + "  " +
          found.title);
    if (!found.sha256.empty()) print("sha256 " + found.sha256);
    std::string sealed;
    for (const auto& means : found.sealed_by) sealed += (sealed.empty() ? "" : ", ") + means;
    print("checked by foxwedge " + found.host_version + " for ABI " +
          std::to_string(FOXWEDGE_ABI_MAJOR) + "." + std::to_string(FOXWEDGE_ABI_MINOR) +
          (sealed.empty() ? "" : ", sealed by " + sealed));
    std::string subject;
    for (const auto& finding : found.findings) {
        if (finding.subject != subject) print("\n" + inked(subject = finding.subject, Ink::bold));
        const auto mark = finding.outcome == kit::Outcome::passed   ? inked("ok     ", Ink::green)
                          : finding.outcome == kit::Outcome::failed ? inked("FAILED ", Ink::red)
                                                                    : inked("skipped", Ink::yellow);
        print("  " + mark + "  " + finding.id + ": " + finding.promise);
        if (!finding.detail.empty()) print("           " + finding.detail);
    }
    print("\n" + std::string(found.conforms() ? "conforms" : "does not conform") + ": " +
          std::to_string(found.count(kit::Outcome::passed)) + " passed, " +
          std::to_string(found.count(kit::Outcome::failed)) + " failed, " +
          std::to_string(found.count(kit::Outcome::skipped)) + " skipped");
}

} // namespace

int plugins_check(const Globals& globals, const PluginCheckArgs& args) {
    const auto options = options_from(args);
    if (!options) {
        report(globals, options.error());
        return usage;
    }
    process::Supervisor children;
    const auto found = kit::check_plugin(args.file, children, *options);
    if (!found) {
        const auto code = report(globals, found.error());
        const bool of_usage =
            found.error().code == "unknown_component" || found.error().code == "invalid_config";
        return of_usage ? usage : code == failed ? fault : code;
    }
    if (globals.json)
        print(to_text(to_json(*found)));
    else
        print_report(*found);
    return found->conforms() ? succeeded : failed;
}

} // namespace foxwedge::cli
