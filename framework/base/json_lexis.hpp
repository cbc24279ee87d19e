// What the strict reader and the reader of written-by-people JSON share: strings and mistakes.
#pragma once
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace foxwedge::lexis {

/// A read string: a view of the text where it had no escapes, else of `buffer`.
struct Text {
    std::string_view value;
    const char* end = nullptr;     ///< behind the closing quote; null after a mistake
    const char* mistake = nullptr; ///< where
    const char* reason = nullptr;  ///< what
    bool escaped = false;          ///< value lies in the buffer
};

/// Reads the string whose opening quote is at `at`. Lone surrogates become U+FFFD.
Text read_string(const char* at, const char* end, std::string& buffer);

/// The error `invalid_json` for a mistake at `offset` of `text`.
Error mistake(std::string_view text, std::size_t offset, std::string_view reason);

} // namespace foxwedge::lexis
