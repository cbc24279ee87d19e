#include "agent/prompt.hpp"

#include "base/text.hpp"

namespace foxwedge::agent {
namespace {

/// Reads a text piece by piece: `literal` gets what stands as it is, `placeholder` the path of each
/// `${input.a.b}` into the input, "" for `${input}`.
template <typename Literal, typename Placeholder>
Status read_pieces(std::string_view text, Literal literal, Placeholder placeholder) {
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("$${")) {
            literal("${");
            at += 3;
            continue;
        }
        const std::size_t end = rest.find('}');
        if ((rest.starts_with("${input}") || rest.starts_with("${input.")) && end != rest.npos) {
            const auto path = rest.substr(2, end - 2); // "input" or "input.a.b"
            FOXWEDGE_CHECK(placeholder(path == "input" ? std::string_view() : path.substr(6)));
            at += end + 1;
            continue;
        }
        literal(text.substr(at++, 1));
    }
    return {};
}

Result<std::string> value_of(std::string_view path, const Json& input) {
    const Json* here = &input;
    if (!path.empty()) {
        for (std::string_view part : split(path, '.')) {
            here = member(*here, part);
            if (!here)
                return permanent("missing_input", "the input has no \"" + std::string(path) +
                                                      "\", which the prompt asks for");
        }
    }
    return here->is_string() ? std::string(view(here->get_string())) : to_text(*here);
}

Status fill_strings(Json& value, const Json& input) {
    if (value.is_string()) {
        FOXWEDGE_TRY(text, filled_text(view(value.get_string()), input));
        value = text;
    } else if (value.is_array()) {
        for (Json& one : value.get_array()) FOXWEDGE_CHECK(fill_strings(one, input));
    } else if (value.is_object()) {
        for (auto& entry : value.get_object()) FOXWEDGE_CHECK(fill_strings(entry.value(), input));
    }
    return {};
}

} // namespace

Result<std::string> filled_text(std::string_view text, const Json& input) {
    std::string out;
    FOXWEDGE_CHECK(read_pieces(
        text, [&](std::string_view as_it_is) { out += as_it_is; },
        [&](std::string_view path) -> Status {
            FOXWEDGE_TRY(value, value_of(path, input));
            out += value;
            return {};
        }));
    return out;
}

void add_input_paths(const Json& prompt, std::set<std::string>& paths) {
    if (prompt.is_string()) {
        (void)read_pieces(
            view(prompt.get_string()), [](std::string_view) {},
            [&](std::string_view path) -> Status {
                paths.emplace(path);
                return {};
            });
    } else if (prompt.is_array()) {
        for (const Json& each : prompt.get_array()) add_input_paths(each, paths);
    } else if (prompt.is_object()) {
        for (const auto& [key, each] : prompt.get_object()) add_input_paths(each, paths);
    }
}

Status fill_input(AgentOptions& options, const Json& input) {
    FOXWEDGE_TRY(instructions, filled_text(options.instructions, input));
    options.instructions = std::move(instructions);
    return fill_strings(options.prompt, input);
}

Result<std::vector<Message>> task_of(const AgentOptions& options, std::string_view input_json) {
    if (options.prompt.is_array()) return messages_from_json(options.prompt, "/prompt");
    std::string text;
    if (options.prompt.is_string()) {
        text = view(options.prompt.get_string());
    } else if (options.prompt.is_null()) {
        FOXWEDGE_TRY(input, parse_json(input_json.empty() ? "null" : input_json));
        if (input.is_null())
            return permanent("missing_prompt",
                             "the agent has no task: give one with --prompt or --input, or as "
                             "`prompt` of the agent in the config");
        text = input.is_string() ? std::string(view(input.get_string())) : to_text(input);
    } else {
        return permanent("invalid_prompt", "a prompt is a text or a list of messages");
    }
    return std::vector<Message>{{Role::user, {text_block(std::move(text))}}};
}

} // namespace foxwedge::agent
