#include "base/secret.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"

namespace foxwedge {
namespace {

constexpr std::size_t shortest_secret = 8;

std::string url_encoded(std::string_view value, const char* digits) {
    std::string text;
    for (char c : value) {
        auto byte = static_cast<unsigned char>(c);
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     std::string_view("-._~").find(c) != std::string_view::npos;
        if (plain)
            text += c;
        else
            (text += '%') += {digits[byte >> 4], digits[byte & 15]};
    }
    return text;
}

/// The part of the base64 of any text holding `value` behind `shift` (0 to 2) other bytes that
/// depends on `value` alone.
std::string base64_core(std::string_view value, std::size_t shift) {
    auto encoded = to_base64(std::string(shift, '\0').append(value));
    auto from = (shift * 8 + 5) / 6;
    auto to = (shift + value.size()) * 8 / 6;
    return encoded.substr(from, to - from);
}

std::string url_safe(std::string text) {
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    return text;
}

std::vector<std::string> forms(const std::string& value) {
    auto literal = quoted(value);
    std::vector<std::string> all{value, url_encoded(value, "0123456789ABCDEF"),
                                 url_encoded(value, "0123456789abcdef"),
                                 literal.substr(1, literal.size() - 2)};
    for (std::size_t shift = 0; shift < 3; ++shift) {
        all.push_back(base64_core(value, shift));
        all.push_back(url_safe(all.back()));
    }
    // Whole and alone, its padding goes with it.
    for (auto whole = to_base64(value); !whole.empty() && whole.back() == '='; whole.pop_back())
        all.push_back(whole);
    return all;
}

struct Hit {
    std::size_t at;
    const Masker::Known* needle;
};

} // namespace

Masker::Masker(std::vector<Known> known) {
    for (const auto& [name, value] : known) {
        if (value.size() < shortest_secret) continue;
        for (auto& form : forms(value)) {
            bool there = std::any_of(needles_.begin(), needles_.end(),
                                     [&](const Known& needle) { return needle.value == form; });
            if (!there) needles_.push_back({name, std::move(form)});
        }
    }
}

std::string Masker::masked(std::string_view text) const {
    std::vector<Hit> hits;
    for (const auto& needle : needles_)
        for (auto at = text.find(needle.value); at != std::string_view::npos;
             at = text.find(needle.value, at + 1))
            hits.push_back({at, &needle});
    if (hits.empty()) return std::string(text);
    std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
        return a.at != b.at ? a.at < b.at : a.needle->value.size() > b.needle->value.size();
    });
    std::string result;
    std::size_t done = 0;
    for (const auto& [at, needle] : hits) {
        auto end = at + needle->value.size();
        if (at >= done) {
            result.append(text.substr(done, at - done));
            result.append("[redacted:").append(needle->name).append("]");
        }
        // Where two secrets overlap, the rest of the second goes too.
        done = std::max(done, end);
    }
    return result.append(text.substr(done));
}

bool Masker::holds_secret(std::string_view text) const {
    return std::any_of(needles_.begin(), needles_.end(), [&](const Known& needle) {
        return text.find(needle.value) != std::string_view::npos;
    });
}

} // namespace foxwedge
