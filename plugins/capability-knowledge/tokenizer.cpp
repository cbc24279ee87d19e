#include "tokenizer.hpp"

#include <array>
#include <memory>
#include <utility>

namespace knowledge {

bool is_unspaced(std::int32_t c) {
    constexpr std::pair<std::int32_t, std::int32_t> ranges[] = {
        {0x0E00, 0x0EFF},   // Thai, Lao
        {0x1000, 0x109F},   // Myanmar
        {0x1100, 0x11FF},   // Hangul Jamo
        {0x1780, 0x17FF},   // Khmer
        {0x3005, 0x3007},   // iteration marks, ideographic zero
        {0x3041, 0x30FF},   // Hiragana, Katakana
        {0x3105, 0x312F},   // Bopomofo
        {0x3131, 0x318E},   // Hangul compatibility Jamo
        {0x31F0, 0x31FF},   // Katakana extensions
        {0x3400, 0x4DBF},   // Han
        {0x4E00, 0x9FFF},   // Han
        {0xAC00, 0xD7A3},   // Hangul syllables
        {0xF900, 0xFAFF},   // Han, compatibility
        {0xFF66, 0xFF9F},   // halfwidth Katakana
        {0x20000, 0x3FFFF}, // Han, the rarer ones
    };
    if (c < ranges[0].first) return false; // most of what there is
    for (const auto& [from, to] : ranges)
        if (c >= from && c <= to) return true;
    return false;
}

namespace {

using Receive = int (*)(void*, int, const char*, int, int, int);

/// SQLite's tokenizer for the words that spaces separate.
struct Spaced {
    fts5_tokenizer api{};
    Fts5Tokenizer* made = nullptr;
    ~Spaced() {
        if (made) api.xDelete(made);
    }
};

/// A part of the text on its way to FTS5: offsets are those of the whole.
struct Part {
    void* context;
    Receive receive;
    int offset;
};

int receive_part(void* data, int flags, const char* token, int size, int from, int to) {
    const auto& part = *static_cast<const Part*>(data);
    return part.receive(part.context, flags, token, size, from + part.offset, to + part.offset);
}

/// Pairs of neighbours, and at the place of each pair its first character alone, so that every
/// character is found too. A question of several characters asks for the pairs alone.
int take_pairs(std::string_view run, int flags, const Part& part) {
    const bool asks = (flags & FTS5_TOKENIZE_QUERY) != 0;
    for (std::size_t at = 0; at < run.size();) {
        const auto size = character_at(run, at).size;
        const auto next = at + size;
        // The place is the first character's, so that places never overlap.
        const auto take = [&](int how, std::size_t bytes) {
            return part.receive(part.context, how, run.data() + at, static_cast<int>(bytes),
                                part.offset + static_cast<int>(at),
                                part.offset + static_cast<int>(next));
        };
        int result = SQLITE_OK;
        if (next < run.size()) {
            result = take(0, size + character_at(run, next).size);
            if (result == SQLITE_OK && !asks) result = take(FTS5_TOKEN_COLOCATED, size);
        } else if (!asks || at == 0) {
            result = take(0, size);
        }
        if (result != SQLITE_OK) return result;
        at = next;
    }
    return SQLITE_OK;
}

int tokenize(Fts5Tokenizer* self, void* context, int flags, const char* text, int size,
             Receive receive) {
    auto& spaced = *reinterpret_cast<Spaced*>(self);
    const std::string_view whole(text, text ? static_cast<std::size_t>(size) : 0);
    int result = SQLITE_OK;
    each_run(whole, [&](std::size_t from, std::size_t to, bool unspaced) {
        if (result != SQLITE_OK) return;
        Part part{context, receive, static_cast<int>(from)};
        const auto run = whole.substr(from, to - from);
        result = unspaced ? take_pairs(run, flags, part)
                          : spaced.api.xTokenize(spaced.made, &part, flags, run.data(),
                                                 static_cast<int>(run.size()), receive_part);
    });
    return result;
}

int create(void* data, const char**, int, Fts5Tokenizer** made) {
    auto* fts5 = static_cast<fts5_api*>(data);
    auto spaced = std::make_unique<Spaced>();
    void* user = nullptr;
    int result = fts5->xFindTokenizer(fts5, "porter", &user, &spaced->api);
    if (result != SQLITE_OK) return result;
    std::array<const char*, 3> arguments{"unicode61", "remove_diacritics", "2"};
    result = spaced->api.xCreate(user, arguments.data(), static_cast<int>(arguments.size()),
                                 &spaced->made);
    if (result != SQLITE_OK) return result;
    *made = reinterpret_cast<Fts5Tokenizer*>(spaced.release());
    return SQLITE_OK;
}

void destroy(Fts5Tokenizer* self) {
    delete reinterpret_cast<Spaced*>(self);
}

} // namespace

fts5_api* fts5_of(Database& database) {
    fts5_api* found = nullptr;
    auto ask = database.prepare("SELECT fts5(?1)");
    sqlite3_bind_pointer(ask.raw(), 1, &found, "fts5_api_ptr", nullptr);
    ask.step();
    if (!found) throw SqlError(SQLITE_READONLY, "this SQLite was built without FTS5");
    return found;
}

Tokenizer::Tokenizer(Database& database) {
    Fts5Tokenizer* made = nullptr;
    const int result = create(fts5_of(database), nullptr, 0, &made);
    if (result != SQLITE_OK) throw SqlError(result, "the tokenizer cannot be made");
    made_.reset(made);
}

void Tokenizer::Delete::operator()(Fts5Tokenizer* made) const {
    destroy(made);
}

void Tokenizer::each_token(std::string_view text, Text how, void* taker,
                           void (*take)(void*, const Token&)) const {
    struct Receiver {
        void* to;
        void (*give)(void*, const Token&);
    } receiver{taker, take};
    const auto receive = [](void* data, int flags, const char* token, int size, int from, int to) {
        const auto& each = *static_cast<Receiver*>(data);
        each.give(each.to, {{token, static_cast<std::size_t>(size)},
                            static_cast<std::size_t>(from),
                            static_cast<std::size_t>(to),
                            (flags & FTS5_TOKEN_COLOCATED) != 0});
        return SQLITE_OK;
    };
    const int flags = how == Text::question ? FTS5_TOKENIZE_QUERY : FTS5_TOKENIZE_DOCUMENT;
    const int result = tokenize(made_.get(), &receiver, flags, text.data(),
                                static_cast<int>(text.size()), receive);
    if (result != SQLITE_OK) throw SqlError(result, "a text cannot be taken apart");
}

void add_tokenizer(Database& database) {
    fts5_api* fts5 = fts5_of(database);
    fts5_tokenizer ours{create, destroy, tokenize};
    const int result =
        fts5->xCreateTokenizer(fts5, std::string(tokenizer_name).c_str(), fts5, &ours, nullptr);
    if (result != SQLITE_OK) throw SqlError(result, "the tokenizer cannot be added");
}

} // namespace knowledge
