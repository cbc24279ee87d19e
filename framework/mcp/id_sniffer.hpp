// Finds the top-level "id" of a JSON object that is too large or too broken to be read.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace foxwedge::mcp {

/// Follows one JSON object through any number of pieces in constant memory. Never fails: what
/// cannot be followed has no id.
class IdSniffer {
public:
    void feed(std::string_view bytes);
    /// The literal of the first top-level "id": digits, or a string with its quotes. Only if it is
    /// at most 128 bytes long and was complete.
    std::optional<std::string> id() const;

private:
    void in_string(char);
    void outside(char);

    int depth_ = 0;
    bool string_ = false, escaped_ = false;
    bool expect_key_ = false; ///< the next string at depth 1 is a key
    bool is_key_ = false;     ///< the current string is one
    bool take_ = false;       ///< the value of "id" is coming
    bool taken_ = false;
    std::string text_;
};

} // namespace foxwedge::mcp
