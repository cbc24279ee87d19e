#include "base/pattern.hpp"

#include <optional>

#include <re2/re2.h>

#include "base/json.hpp"
#include "base/pattern_bits.hpp"
#include "base/pattern_translate.hpp"

namespace foxwedge {
namespace {

/// For one pattern's program and the states it visits: a schema may hold thousands of patterns.
constexpr std::int64_t most_memory = 2 << 20;
constexpr std::size_t longest_pattern = 16 * 1024;

Error refusal(std::string_view pattern, const char* code, const std::string& reason) {
    return permanent(code, "the pattern " + quoted(pattern.substr(0, 100)) + ": " + reason);
}

RE2::Options options() {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(most_memory);
    return options;
}

} // namespace

/// Simple sequences are matched here, whose setup and match cost a fraction of RE2's.
struct Pattern::Compiled {
    std::optional<BitMatcher> bits;
    std::optional<RE2> regex;
};

Pattern::Pattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view pattern) {
    if (pattern.size() > longest_pattern)
        return refusal(pattern, "pattern_too_complex", "it is longer than 16 KiB");
    auto translation = ecma::translate(pattern);
    auto place = translation.reason + " (at byte " + std::to_string(translation.offset) + ")";
    switch (translation.verdict) {
    case ecma::Verdict::translated:
        break;
    case ecma::Verdict::unsupported:
        return refusal(pattern, "unsupported_pattern", place);
    case ecma::Verdict::invalid:
        return refusal(pattern, "invalid_pattern", place);
    case ecma::Verdict::too_complex:
        return refusal(pattern, "pattern_too_complex", place);
    }
    auto compiled = std::make_unique<Compiled>();
    compiled->bits = BitMatcher::make(translation.sequence);
    if (compiled->bits) return Pattern(std::move(compiled));
    auto& regex = compiled->regex.emplace(translation.re2, options());
    if (regex.ok()) return Pattern(std::move(compiled));
    switch (regex.error_code()) {
    case RE2::ErrorRepeatSize:
    case RE2::ErrorPatternTooLarge:
        return refusal(pattern, "pattern_too_complex", regex.error());
    default: // its syntax is checked: what is left are scripts that RE2 has no table of
        return refusal(pattern, "unsupported_pattern", regex.error());
    }
}

bool Pattern::found_in(std::string_view text) const {
    if (compiled_->bits) return compiled_->bits->found_in(text);
    re2::StringPiece piece(text.data(), text.size());
    return compiled_->regex->Match(piece, 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

bool is_ecma_pattern(std::string_view pattern) {
    return ecma::translate(pattern).verdict != ecma::Verdict::invalid;
}

} // namespace foxwedge
