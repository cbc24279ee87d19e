#include "schema/uri.hpp"

#include <optional>

namespace foxwedge::schema {
namespace {

struct Parts {
    std::string_view scheme;
    std::optional<std::string_view> authority;
    std::string_view path;
    std::optional<std::string_view> query;
    std::optional<std::string_view> fragment;
};

Parts parts_of(std::string_view uri) {
    Parts parts;
    if (auto at = uri.find('#'); at != std::string_view::npos) {
        parts.fragment = uri.substr(at + 1);
        uri = uri.substr(0, at);
    }
    if (auto at = uri.find('?'); at != std::string_view::npos) {
        parts.query = uri.substr(at + 1);
        uri = uri.substr(0, at);
    }
    auto colon = uri.find(':');
    if (colon != std::string_view::npos && colon != 0 &&
        uri.substr(0, colon).find('/') == uri.npos) {
        parts.scheme = uri.substr(0, colon);
        uri = uri.substr(colon + 1);
    }
    if (uri.starts_with("//")) {
        auto end = uri.find('/', 2);
        parts.authority = uri.substr(2, end == uri.npos ? uri.npos : end - 2);
        uri = end == uri.npos ? std::string_view() : uri.substr(end);
    }
    parts.path = uri;
    return parts;
}

std::string without_dots(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        auto end = path.find('/', path[0] == '/' ? 1 : 0);
        auto segment = path.substr(0, end);
        path = end == std::string_view::npos ? std::string_view() : path.substr(end);
        auto name = segment.starts_with('/') ? segment.substr(1) : segment;
        if (name == "." || name == "..") {
            if (name == "..") {
                auto last = out.rfind('/');
                out.erase(last == std::string::npos ? 0 : last);
            }
            if (path.empty() && segment.starts_with('/')) out += '/';
        } else {
            out += segment;
        }
    }
    return out;
}

std::string merged(const Parts& base, std::string_view path) {
    if (base.authority && base.path.empty()) return "/" + std::string(path);
    auto last = base.path.rfind('/');
    auto folder =
        last == std::string_view::npos ? std::string_view() : base.path.substr(0, last + 1);
    return std::string(folder) + std::string(path);
}

std::string joined(const Parts& parts, std::string_view path) {
    std::string uri;
    if (!parts.scheme.empty()) (uri += parts.scheme) += ':';
    if (parts.authority) (uri += "//") += *parts.authority;
    uri += path;
    if (parts.query) (uri += '?') += *parts.query;
    if (parts.fragment) (uri += '#') += *parts.fragment;
    return uri;
}

} // namespace

std::string resolved(std::string_view base, std::string_view reference) {
    auto target = parts_of(reference);
    if (!target.scheme.empty()) return std::string(reference);
    auto from = parts_of(base);
    target.scheme = from.scheme;
    if (target.authority) return joined(target, without_dots(target.path));
    target.authority = from.authority;
    if (target.path.empty()) {
        if (!target.query) target.query = from.query;
        return joined(target, from.path);
    }
    if (target.path[0] == '/') return joined(target, without_dots(target.path));
    return joined(target, without_dots(merged(from, target.path)));
}

SplitUri split_fragment(std::string_view uri) {
    auto at = uri.find('#');
    if (at == std::string_view::npos) return {uri, {}};
    return {uri.substr(0, at), uri.substr(at + 1)};
}

std::string percent_decoded(std::string_view text) {
    auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        int high = text[i] == '%' && i + 2 < text.size() ? digit(text[i + 1]) : -1;
        int low = high >= 0 ? digit(text[i + 2]) : -1;
        if (low >= 0) {
            out += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

} // namespace foxwedge::schema
