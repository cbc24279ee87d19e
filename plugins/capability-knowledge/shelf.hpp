// The two kinds of entries in one index.
#pragma once
#include <string>

namespace knowledge {

/// Documents and memories lie in one store and are listed and searched apart.
enum class Shelf : unsigned char { documents, memories };
inline constexpr Shelf shelves[] = {Shelf::documents, Shelf::memories};

/// The full-text table of a shelf.
inline std::string table_of(Shelf shelf) {
    return shelf == Shelf::documents ? "document_text" : "memory_text";
}

} // namespace knowledge
