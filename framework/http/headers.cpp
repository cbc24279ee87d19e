#include "http/headers.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace foxwedge::http {

namespace {
char lower(char c) {
    return c >= 'A' && c <= 'Z' ? char(c + 32) : c;
}

bool is_token_char(unsigned char c) {
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
    return std::string_view("!#$%&'*+-.^_`|~").find(char(c)) != std::string_view::npos;
}
} // namespace

bool same_name(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                              [](char x, char y) { return lower(x) == lower(y); });
}

void Headers::add(std::string name, std::string value) {
    fields_.push_back({std::move(name), std::move(value)});
}

void Headers::remove(std::string_view name) {
    std::erase_if(fields_, [&](const Field& f) { return same_name(f.name, name); });
}

void Headers::set(std::string_view name, std::string value) {
    remove(name);
    fields_.push_back({std::string(name), std::move(value)});
}

std::optional<std::string_view> Headers::first(std::string_view name) const {
    for (const auto& f : fields_)
        if (same_name(f.name, name)) return f.value;
    return {};
}

std::optional<std::string> Headers::joined(std::string_view name) const {
    std::optional<std::string> all;
    for (const auto& f : fields_) {
        if (!same_name(f.name, name)) continue;
        if (all)
            all->append(", ").append(f.value);
        else
            all = f.value;
    }
    return all;
}

Status check_field(std::string_view name, std::string_view value) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_token_char))
        return permanent("invalid_request",
                         "'" + to_utf8(name) + "' is not the name of an HTTP header");
    for (unsigned char c : value)
        if (c == '\r' || c == '\n' || c == 0)
            return permanent("invalid_request", "the value of the HTTP header '" +
                                                    std::string(name) +
                                                    "' holds a line break or a NUL");
    return {};
}

std::string media_type(std::string_view content_type) {
    return lower_ascii(trimmed(content_type.substr(0, content_type.find(';'))));
}

Status HeadReader::line(std::string_view text, std::size_t limit) {
    bytes_ += text.size();
    if (bytes_ > limit)
        return permanent("response_too_large",
                         "the response's headers are over " + std::to_string(limit) + " bytes");
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    if (text.empty()) return {};
    if (text.starts_with("HTTP/")) {
        const auto blank = text.find(' ');
        const auto digits = blank == text.npos ? std::string_view{} : text.substr(blank + 1, 3);
        if (digits.size() != 3 || digits.find_first_not_of("0123456789") != digits.npos)
            return permanent("bad_response", "the answer does not start with an HTTP status line");
        status_ = (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
        headers_ = {};
        return {};
    }
    const auto colon = text.find(':');
    // Trailers and folded lines carry nothing that we use.
    if (colon == text.npos || colon == 0 || text.front() == ' ' || text.front() == '\t') return {};
    headers_.add(std::string(text.substr(0, colon)), std::string(trimmed(text.substr(colon + 1))));
    return {};
}

} // namespace foxwedge::http
