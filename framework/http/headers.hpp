// HTTP header fields: ordered, names compared without regard to case.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace foxwedge::http {

struct Field {
    std::string name;
    std::string value;
};

/// The fields of one message in the order of the wire. Not synchronised.
class Headers {
public:
    Headers() = default;
    Headers(std::initializer_list<Field> fields) : fields_(fields) {}

    void add(std::string name, std::string value);
    /// Replaces every field of that name.
    void set(std::string_view name, std::string value);
    void remove(std::string_view name);
    /// The first value; nothing if there is none.
    std::optional<std::string_view> first(std::string_view name) const;
    /// All values, joined by ", " (RFC 9110, 5.3); nothing if there is none.
    std::optional<std::string> joined(std::string_view name) const;
    bool has(std::string_view name) const { return first(name).has_value(); }

    bool empty() const { return fields_.empty(); }
    auto begin() const { return fields_.begin(); }
    auto end() const { return fields_.end(); }

private:
    std::vector<Field> fields_;
};

/// True if the two are the same ASCII text but for case.
bool same_name(std::string_view, std::string_view) noexcept;

/// Refuses (`invalid_request`) names that are no tokens and values with line breaks or NUL: they
/// would smuggle a second header or request.
Status check_field(std::string_view name, std::string_view value);

/// The value of a media type without its parameters, in lower case: "text/event-stream".
std::string media_type(std::string_view content_type);

/// Collects the head of a response from its lines. Pure.
class HeadReader {
public:
    /// One line with or without its line end. A new status line starts over: informational answers
    /// (100, 103) come before the real one. Fails with `bad_response` on what is no HTTP and
    /// with `response_too_large` beyond `limit` bytes in all.
    Status line(std::string_view, std::size_t limit);
    int status() const { return status_; }
    const Headers& headers() const { return headers_; }

private:
    int status_ = 0;
    std::size_t bytes_ = 0;
    Headers headers_;
};

} // namespace foxwedge::http
