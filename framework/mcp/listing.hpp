// Lists that a stranger sends in pages, and tools that are usable or not. Pure.
#pragma once
#include <set>
#include <string>
#include <variant>

#include "base/json.hpp"
#include "contracts/tool.hpp"
#include "mcp/limits.hpp"

namespace foxwedge::mcp {

/// Collects the pages of one list. A cursor that is there means another page, an empty one too; a
/// page that brings nothing new although more are promised is a loop.
class Pages {
public:
    /// `items` is the member that holds the list ("tools"), `key` what names an item ("name").
    Pages(std::string items, std::string key, const Limits& limits)
        : items_(std::move(items)), key_(std::move(key)), limits_(limits) {}

    /// True if the next page is to be asked for with cursor().
    bool take(Json page);
    const std::string& cursor() const { return cursor_; }
    /// The items in order, each once: the first of a name wins.
    JsonArray& all() { return all_; }
    /// Empty: the list is whole. Else why it is not: "pagination_loop", "too_many_pages", …
    const std::string& incomplete() const { return incomplete_; }
    void cut_short(std::string reason) { incomplete_ = std::move(reason); }

private:
    std::string items_, key_;
    Limits limits_;
    JsonArray all_;
    std::set<std::string, std::less<>> seen_;
    std::string cursor_, incomplete_;
    std::size_t pages_ = 0;
};

/// One entry of tools/list made usable: a missing or empty schema is an empty object schema, a
/// union gets its type, texts are texts. Or the reason why the tool must be left out; its
/// neighbours stay.
std::variant<ToolDefinition, ToolList::Dropped> read_tool(const Json& raw,
                                                          std::vector<std::string>& warnings);

} // namespace foxwedge::mcp
