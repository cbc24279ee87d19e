#include "base/secret.hpp"
#include "plugin/judges.hpp"
#include "plugin/service.hpp"

namespace foxwedge::plugin {
namespace {

Error bad_handle(std::string_view key) {
    return permanent("input_validation",
                     "\"" + std::string(key) + "\" must be one that compile gave",
                     R"({"pointer":)" + foxwedge::quoted("/" + std::string(key)) + "}");
}

Result<std::uint64_t> handle_in(const Json& json, std::string_view key = "handle") {
    const auto* handle = member(json, key);
    if (handle && handle->is_int64() && handle->get_int64() > 0)
        return static_cast<std::uint64_t>(handle->get_int64());
    return bad_handle(key);
}

std::vector<std::string> names_in(const Json& json) {
    std::vector<std::string> names;
    if (const auto* list = array_member(json, "names"))
        for (const auto& name : *list)
            if (name.is_string()) names.emplace_back(foxwedge::view(name.get_string()));
    return names;
}

Result<std::string> compile_for(PluginHost& host, const Json& json) {
    Result<std::uint64_t> handle =
        permanent("input_validation", "there is no \"schema\" and no \"rule\" to compile");
    if (const auto* schema = member(json, "schema"))
        handle = host.judges().compile_schema(*schema);
    else if (const auto rule = string_member(json, "rule"))
        handle = host.judges().compile_rule(*rule, names_in(json));
    if (!handle) return std::move(handle).error();
    return "{\"handle\":" + std::to_string(*handle) + "}";
}

Result<std::string> release_for(PluginHost& host, const Json& json) {
    FOXWEDGE_TRY(handle, handle_in(json));
    FOXWEDGE_CHECK(host.judges().release(handle));
    return std::string();
}

std::string verdict_text(const std::vector<schema::Violation>& violations) {
    std::string out = violations.empty() ? "{\"valid\":true,\"violations\":["
                                         : "{\"valid\":false,\"violations\":[";
    for (std::size_t i = 0; i < violations.size(); ++i) {
        if (i) out += ',';
        out += "{\"instancePointer\":" + foxwedge::quoted(violations[i].instance_pointer) +
               ",\"schemaPointer\":" + foxwedge::quoted(violations[i].schema_pointer) +
               ",\"message\":" + foxwedge::quoted(violations[i].message) + "}";
    }
    return out + "]}";
}

Result<std::string> validate_for(PluginHost& host, const Json& json) {
    const auto* instance = member(json, "instance");
    if (!instance) return permanent("input_validation", "there is no \"instance\" to validate");
    if (const auto* schema = member(json, "schema")) {
        FOXWEDGE_TRY(judge, host.judges().schema_for(*schema));
        return verdict_text(judge->check(*instance));
    }
    FOXWEDGE_TRY(handle, handle_in(json));
    FOXWEDGE_TRY(judge, host.judges().schema_of(handle));
    return verdict_text(judge->check(*instance));
}

Result<std::string> find_for(PluginHost&, const Json& json) {
    const auto text = string_member(json, "text");
    if (!text) return permanent("input_validation", "\"text\" must be a text");
    std::string out = "{\"secrets\":[";
    bool first = true;
    for (const auto& found : foxwedge::find_secrets(*text)) {
        if (!first) out += ',';
        first = false;
        out += "{\"kind\":" + foxwedge::quoted(found.kind) +
               ",\"from\":" + std::to_string(found.from) + ",\"to\":" + std::to_string(found.to) +
               "}";
    }
    return out + "]}";
}

Result<CompiledRule> rule_in(PluginHost& host, const Json& json, const JsonObject& values) {
    if (const auto text = string_member(json, "rule")) {
        std::vector<std::string> names;
        for (const auto& [name, value] : values) names.emplace_back(name);
        return host.judges().rule_for(*text, std::move(names));
    }
    FOXWEDGE_TRY(handle, handle_in(json, member(json, "handle") ? "handle" : "ruleHandle"));
    return host.judges().rule_of(handle);
}

Result<std::string> evaluate_for(PluginHost& host, const Json& json) {
    const auto* values = object_member(json, "values");
    if (!values) return permanent("input_validation", "\"values\" must be an object");
    FOXWEDGE_TRY(rule, rule_in(host, json, *values));
    auto value = rule->evaluate(*values);
    if (!value) {
        // The rule did its work and has no answer: not a mistake in the request.
        value.error().certainty = Certainty::done_with_error;
        return std::move(value).error();
    }
    return "{\"value\":" + to_text(*value) + "}";
}

/// One function of the service. They are pure: no call is needed, and one that is given only learns
/// of the error.
template <Result<std::string> (*Function)(PluginHost&, const Json&)>
foxwedge_status judge(const foxwedge_call* call, const foxwedge_check* self, foxwedge_str request,
                      foxwedge_reply reply) noexcept {
    try {
        auto& host = *static_cast<PluginHost*>(self->host_data);
        auto json = request_json(view(request));
        auto outcome = json ? Function(host, *json) : Result<std::string>(json.error());
        if (!outcome && call)
            if (const CallPin pin(call); pin) pin->note_service_error(outcome.error());
        return answer(reply, outcome);
    } catch (...) {
        return FOXWEDGE_E_INTERNAL;
    }
}

} // namespace

foxwedge_check make_check(PluginHost& self) {
    return {sizeof(foxwedge_check),
            0,
            &self,
            judge<compile_for>,
            judge<release_for>,
            judge<validate_for>,
            judge<evaluate_for>,
            judge<find_for>};
}

} // namespace foxwedge::plugin
