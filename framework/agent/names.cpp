#include "agent/names.hpp"

#include <initializer_list>

namespace foxwedge::agent {
namespace {

std::string glued(std::initializer_list<std::string_view> parts) {
    std::size_t size = 0;
    for (std::string_view part : parts) size += part.size();
    std::string out;
    out.reserve(size);
    for (std::string_view part : parts) out += part;
    return out;
}

std::string with_edit(std::string name, int edit) {
    if (edit > 0) name += ":edit:" + std::to_string(edit);
    return name;
}

} // namespace

Status check_id(std::string_view id) {
    if (id.empty()) return permanent("invalid_id", "an id may not be empty");
    if (id.size() > 128) return permanent("invalid_id", "an id may have at most 128 bytes");
    if (id.find(':') != std::string_view::npos)
        return permanent("invalid_id", "\"" + std::string(id) +
                                           "\": a ':' separates the parts of step names, so an id "
                                           "may not contain one");
    return {};
}

std::string tools_step(std::string_view id) {
    return glued({id, ":tools"});
}
std::string discovery_step(std::string_view id, std::string_view server) {
    return glued({id, ":mcp:", server, ":tools"});
}
std::string turn_step(std::string_view id, int n) {
    return glued({id, ":iter:", std::to_string(n)});
}
std::string gates_step(std::string_view turn) {
    return glued({turn, ":gates"});
}
std::string context_step(std::string_view turn) {
    return glued({turn, ":context"});
}
std::string repair_step(std::string_view turn, int n) {
    return glued({turn, ":repair:", std::to_string(n)});
}
std::string call_step(std::string_view turn, std::string_view call_id) {
    return glued({turn, ":tool:", call_id});
}
std::string approval_step(std::string_view call, int edit) {
    return with_edit(glued({call, ":approval"}), edit);
}
std::string result_approval_step(std::string_view call) {
    return glued({call, ":result:approval"});
}
std::string question_step(std::string_view call, std::string_view what, int n) {
    return glued({call, ":", what, ":", std::to_string(n)});
}
std::string guardrail_label(int k, std::string_view name) {
    return glued({std::to_string(k), "-", name});
}
std::string input_guardrail_step(std::string_view id, std::string_view label) {
    return glued({id, ":input:guardrail:", label});
}
std::string definition_guardrail_step(std::string_view id, std::string_view label,
                                      std::string_view tool) {
    return glued({id, ":tools:guardrail:", label, ":", tool});
}
std::string args_guardrail_step(std::string_view call, std::string_view label, int edit) {
    return with_edit(glued({call, ":args:guardrail:", label}), edit);
}
std::string result_guardrail_step(std::string_view call, std::string_view label) {
    return glued({call, ":result:guardrail:", label});
}
std::string output_guardrail_step(std::string_view turn, std::string_view label) {
    return glued({turn, ":guardrail:", label});
}

} // namespace foxwedge::agent
