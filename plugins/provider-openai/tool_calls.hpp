// Tool calls of a Chat Completions stream, put together from pieces that servers label in their
// own ways. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <foxwedge/json.hpp>

namespace openai {

using foxwedge::plugin::Value;

struct ToolCall {
    std::string id, name, arguments;
};

/// Order is that of first appearance; gaps between indices do not matter.
class ToolCalls {
public:
    /// One piece {"index"?, "id"?, "function": {"name"?, "arguments"?}}; the number of the call
    /// that it belongs to.
    std::size_t add(const Value& piece) {
        const auto& function = piece["function"];
        const auto id = piece.string("id");
        const auto name = function.string("name");
        const auto at = place_of(piece.integer("index", -1), id, name);
        auto& call = calls_[at].call;
        if (call.id.empty()) call.id = id;
        if (call.name.empty()) call.name = name; // some servers repeat it with every piece
        const auto& arguments = function["arguments"];
        if (arguments.is_string())
            call.arguments += arguments.string();
        else if (arguments.is_object())
            call.arguments += to_text(arguments);
        return at;
    }
    bool empty() const { return calls_.empty(); }
    std::vector<ToolCall> take() const {
        std::vector<ToolCall> out;
        for (const auto& entry : calls_) out.push_back(entry.call);
        return out;
    }

private:
    struct Entry {
        std::int64_t index;
        ToolCall call;
    };
    /// A new id at a used index opens a new call: the server counts wrongly, not the model. A
    /// missing index goes on with the open call unless an id or a name starts another one.
    std::size_t place_of(std::int64_t index, std::string_view id, std::string_view name) {
        for (auto i = calls_.size(); i-- > 0;) {
            const auto& entry = calls_[i];
            const bool another = !id.empty() && !entry.call.id.empty() && entry.call.id != id;
            if (index >= 0) {
                if (entry.index != index) continue;
                if (!another) return i;
            } else {
                if (!id.empty() && entry.call.id == id) return i;
                if (id.empty() && name.empty()) return i;
            }
            break;
        }
        calls_.push_back({index, {}});
        return calls_.size() - 1;
    }
    std::vector<Entry> calls_;
};

} // namespace openai
