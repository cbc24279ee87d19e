// Regular expressions from strangers: ECMA-262 syntax, run in linear time. The only door to RE2.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace foxwedge {

/// An immutable compiled pattern. Any thread.
class Pattern {
public:
    /// Translates ECMA-262 (with the u flag) to RE2 and compiles it with a memory cap. What RE2
    /// cannot express (look-around, back-references) is `unsupported_pattern`, a mistake
    /// `invalid_pattern`, too large `pattern_too_complex`.
    static Result<Pattern> compile(std::string_view ecma);
    /// True if the pattern occurs anywhere in `text`, as JSON Schema's `pattern` means it.
    bool found_in(std::string_view text) const;

    Pattern(Pattern&&) noexcept;
    Pattern& operator=(Pattern&&) noexcept;
    ~Pattern();

private:
    struct Compiled;
    explicit Pattern(std::unique_ptr<Compiled>);
    std::unique_ptr<Compiled> compiled_;
};

/// True if `ecma` is a pattern that ECMA-262 accepts (format "regex").
bool is_ecma_pattern(std::string_view ecma);

} // namespace foxwedge
