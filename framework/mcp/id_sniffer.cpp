#include "mcp/id_sniffer.hpp"

namespace foxwedge::mcp {
namespace {

constexpr std::size_t longest = 128;

} // namespace

void IdSniffer::feed(std::string_view bytes) {
    for (const char c : bytes) {
        if (taken_) return;
        if (string_)
            in_string(c);
        else
            outside(c);
    }
}

void IdSniffer::in_string(char c) {
    if ((is_key_ || take_) && text_.size() <= longest) text_.push_back(c);
    if (escaped_) {
        escaped_ = false;
    } else if (c == '\\') {
        escaped_ = true;
    } else if (c == '"') {
        string_ = false;
        if (take_)
            taken_ = true;
        else if (is_key_ && text_ != "id\"")
            is_key_ = false;
    }
}

void IdSniffer::outside(char c) {
    const bool number = (c >= '0' && c <= '9') || c == '-';
    if (take_ && !text_.empty() && !number) {
        taken_ = true;
        return;
    }
    switch (c) {
    case '"':
        string_ = true;
        is_key_ = depth_ == 1 && expect_key_;
        expect_key_ = false;
        text_.clear();
        if (take_) text_.push_back('"');
        break;
    case ':':
        // Only the key "id" left the flag set.
        if (is_key_) {
            take_ = true;
            text_.clear();
        }
        is_key_ = false;
        break;
    case '{':
    case '[':
        take_ = false;
        if (++depth_ == 1) expect_key_ = c == '{';
        break;
    case '}':
    case ']':
        --depth_;
        take_ = false;
        break;
    case ',':
        expect_key_ = depth_ == 1;
        take_ = false;
        break;
    default:
        if (take_ && number && text_.size() <= longest) text_.push_back(c);
    }
}

std::optional<std::string> IdSniffer::id() const {
    if (!taken_ || text_.empty() || text_.size() > longest) return std::nullopt;
    return text_;
}

} // namespace foxwedge::mcp
