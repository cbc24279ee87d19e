// The neutral transcript on its way to a wire format: call ids, arguments, texts, opaque data.
#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <foxwedge/json.hpp>

namespace provider_kit {

using foxwedge::plugin::Array;
using foxwedge::plugin::Value;

/// Call ids as the wire sees them. Models repeat ids from turn to turn, or give none; vendors
/// refuse such a history for ever after. An id that is taken, empty or oddly spelt is replaced,
/// the same way in the call and in its result, and the same way in each later request.
class WireIds {
public:
    /// A new assistant message begins.
    void turn() { open_.clear(); }
    std::string call(std::string_view id) {
        ++count_;
        std::string wire(id);
        if (!plain(id) || used_.count(wire) != 0) wire = "fw_" + std::to_string(count_);
        used_.insert(wire);
        open_.push_back({std::string(id), wire, false});
        return wire;
    }
    std::string result(std::string_view id) {
        const auto same = [&](const Open& o) { return o.id == id; };
        auto found = std::find_if(open_.begin(), open_.end(),
                                  [&](const Open& o) { return same(o) && !o.answered; });
        if (found == open_.end()) found = std::find_if(open_.begin(), open_.end(), same);
        if (found == open_.end()) return std::string(id);
        found->answered = true;
        return found->wire;
    }

private:
    struct Open {
        std::string id, wire;
        bool answered;
    };
    static bool plain(std::string_view id) {
        return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), [](char c) {
            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   c == '_' || c == '-';
        });
    }
    std::size_t count_ = 0;
    std::set<std::string, std::less<>> used_;
    std::vector<Open> open_;
};

/// A call's arguments as the object that vendors demand: blank is {}. What is no object was never
/// run; the model sees what it wrote, wrapped, beside the error that it got.
inline Value arguments_object(std::string_view text) {
    if (text.find_first_not_of(" \t\r\n") == text.npos) return foxwedge::plugin::object();
    try {
        auto value = Value::parse(text);
        if (value.is_object()) return value;
    } catch (const foxwedge::plugin::JsonError&) {
    }
    return foxwedge::plugin::object({{"invalid_arguments", text}});
}

/// A model's name without date or "-latest": what signed reasoning stays valid for.
inline std::string family_of(std::string_view model) {
    const auto digits = [](std::string_view s) {
        return std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    for (char mark : {'@', '-'})
        if (const auto at = model.rfind(mark); at != model.npos && at > 0) {
            const auto tail = model.substr(at + 1);
            if (tail == "latest" || (tail.size() == 8 && digits(tail)))
                return std::string(model.substr(0, at));
        }
    // 2024-08-06
    if (model.size() > 11 && model[model.size() - 11] == '-') {
        const auto tail = model.substr(model.size() - 10);
        if (tail[4] == '-' && tail[7] == '-' && digits(tail.substr(0, 4)) &&
            digits(tail.substr(5, 2)) && digits(tail.substr(8)))
            return std::string(model.substr(0, model.size() - 11));
    }
    return std::string(model);
}

/// The adapter's own data of a block, or null: data of another format or family is left out.
inline const Value& own_opaque(const Value& block, std::string_view format,
                               std::string_view family) {
    static const Value none;
    const auto& opaque = block["opaque"];
    if (!opaque.is_object() || opaque.string("format") != format) return none;
    const auto model = opaque.string("model");
    return model.empty() || model == family ? opaque : none;
}
inline Value make_opaque(std::string_view format, std::string_view family) {
    return foxwedge::plugin::object({{"format", format}, {"model", family}});
}

/// The text of an embedded resource or link, for wire formats that know none.
inline std::string resource_text(const Value& block) {
    if (block.string("type") == "resource_link") {
        std::string out = "[resource " + std::string(block.string("uri"));
        if (const auto name = block.string("name"); !name.empty()) out.append(": ").append(name);
        return out + "]";
    }
    const auto& resource = block["resource"];
    if (const auto* text = resource.find("text"); text && text->is_string()) return text->string();
    return "[resource " + std::string(resource.string("uri")) + ", " +
           std::string(resource.string("mimeType", "binary")) + ": not shown]";
}

/// Blocks as one text, for places where a wire format takes nothing else.
inline std::string plain_text(const Array& blocks) {
    std::string out;
    for (const auto& block : blocks) {
        const auto type = block.string("type");
        std::string piece;
        if (type == "text")
            piece = block.string("text");
        else if (type == "image" || type == "audio")
            piece = "[" + std::string(type) + " " + std::string(block.string("mimeType")) +
                    ": not shown]";
        else if (type == "resource" || type == "resource_link")
            piece = resource_text(block);
        if (!out.empty() && !piece.empty()) out += '\n';
        out += piece;
    }
    return out;
}

} // namespace provider_kit
