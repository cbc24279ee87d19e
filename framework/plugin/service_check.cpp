#include "base/secret.hpp"
#include "plugin/service.hpp"

namespace foxwedge::plugin {
namespace {

Result<std::string> secrets_in(foxwedge_str request) {
    FOXWEDGE_TRY(json, request_json(request));
    const auto text = string_member(json, "text");
    if (!text) return permanent("input_validation", "\"text\" must be a text");
    std::string out = "{\"secrets\":[";
    bool first = true;
    for (const auto& found : foxwedge::find_secrets(*text)) {
        if (!first) out += ',';
        first = false;
        out += "{\"kind\":" + quoted(found.kind) + ",\"from\":" + std::to_string(found.from) +
               ",\"to\":" + std::to_string(found.to) + "}";
    }
    return out + "]}";
}

foxwedge_status unavailable(const foxwedge_call*, const foxwedge_check*, foxwedge_str,
                            foxwedge_reply reply) noexcept {
    return answer(reply, permanent("unavailable", "this host has no judge for that"));
}

foxwedge_status find(const foxwedge_call*, const foxwedge_check*, foxwedge_str request,
                     foxwedge_reply reply) noexcept {
    try {
        return answer(reply, secrets_in(request));
    } catch (...) {
        return FOXWEDGE_E_INTERNAL;
    }
}

} // namespace

foxwedge_check make_check(PluginHost& self) {
    return {
        sizeof(foxwedge_check), 0, &self, unavailable, unavailable, unavailable, unavailable, find};
}

} // namespace foxwedge::plugin
