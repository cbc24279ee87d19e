// A reader of its own: Boost.JSON's has no positions and lets duplicate keys and overflow pass.
// Values gather on one stack; an array or object takes its share when it closes, at its exact size.
#include "base/json.hpp"

#include <deque>
#include <string>
#include <vector>

#include "base/json_lexis.hpp"
#include "base/json_number.hpp"

namespace foxwedge {
namespace {

struct Frame {
    std::size_t values; ///< size of the stack of values where this one began
    std::size_t keys;
    bool object;
};

/// Kept by each thread: a small text must not pay for growing the stacks anew.
struct Stacks {
    std::vector<Json> values;
    std::vector<std::string_view> keys;
    std::vector<Frame> frames;
    std::deque<std::string> unescaped; ///< what keys with escapes point into
    std::string buffer;

    void clear() {
        constexpr std::size_t worth_keeping = 4096;
        values.clear();
        keys.clear();
        frames.clear();
        if (!unescaped.empty()) unescaped.clear();
        if (values.capacity() > worth_keeping) std::vector<Json>().swap(values);
        if (keys.capacity() > worth_keeping) std::vector<std::string_view>().swap(keys);
        if (buffer.capacity() > worth_keeping) std::string().swap(buffer);
    }
};

class Reader {
public:
    Reader(std::string_view text, const JsonLimits& limits, const boost::json::storage_ptr& storage,
           Stacks& stacks)
        : text_(text), at_(text.data()), end_(at_ + text.size()), depth_(limits.depth),
          storage_(storage), stacks_(stacks) {}

    Result<Json> read() {
        bool fine = run();
        if (fine && blanks() != end_) fine = fail(at_, "there is more text behind the value");
        if (!fine)
            return lexis::mistake(text_, static_cast<std::size_t>(mistake_ - text_.data()),
                                  reason_);
        return std::move(stacks_.values.back());
    }

private:
    bool fail(const char* where, const char* reason) {
        mistake_ = where;
        reason_ = reason;
        return false;
    }
    bool fail_expecting(const char* reason) {
        return fail(at_, at_ == end_ ? "the text ends too early" : reason);
    }

    const char* blanks() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
        return at_;
    }

    bool run() {
        do {
            bool opened = false;
            if (!value(opened)) return false;
            if (opened) continue;
            while (!stacks_.frames.empty()) {
                bool more = false;
                if (!next(more)) return false;
                if (more) break;
            }
        } while (!stacks_.frames.empty());
        return true;
    }

    /// One scalar, or the opening of a container; an empty container is whole at once.
    bool value(bool& opened) {
        if (blanks() == end_) return fail_expecting("");
        switch (*at_) {
        case '{':
            return open(true, '}', opened);
        case '[':
            return open(false, ']', opened);
        case '"': {
            auto text = lexis::read_string(at_, end_, stacks_.buffer);
            if (!text.end) return fail(text.mistake, text.reason);
            at_ = text.end;
            stacks_.values.emplace_back(
                boost::json::string_view(text.value.data(), text.value.size()), storage_);
            return true;
        }
        case 't':
            return word("true", true);
        case 'f':
            return word("false", false);
        case 'n':
            return word("null", nullptr);
        default:
            return number();
        }
    }

    template <class T>
    bool word(std::string_view expected, T meaning) {
        if (std::string_view(at_, static_cast<std::size_t>(end_ - at_))
                .substr(0, expected.size()) != expected)
            return fail(at_, "a JSON value was expected here");
        at_ += expected.size();
        stacks_.values.emplace_back(meaning, storage_);
        return true;
    }

    bool number() {
        using Kind = number::Literal::Kind;
        auto literal = number::read(at_, end_);
        switch (literal.kind) {
        case Kind::int64:
            stacks_.values.emplace_back(literal.i, storage_);
            break;
        case Kind::uint64:
            stacks_.values.emplace_back(literal.u, storage_);
            break;
        case Kind::real:
            stacks_.values.emplace_back(literal.d, storage_);
            break;
        case Kind::too_large:
            return fail(at_, "this number is beyond the range of a double");
        case Kind::none:
            return fail(at_, "a JSON value was expected here");
        }
        at_ = literal.end;
        return true;
    }

    bool open(bool object, char close, bool& opened) {
        if (stacks_.frames.size() >= depth_) return fail(at_, "arrays and objects nest too deeply");
        ++at_;
        if (blanks() != end_ && *at_ == close) {
            ++at_;
            if (object)
                stacks_.values.emplace_back(boost::json::object_kind, storage_);
            else
                stacks_.values.emplace_back(boost::json::array_kind, storage_);
            return true;
        }
        stacks_.frames.push_back({stacks_.values.size(), stacks_.keys.size(), object});
        opened = true;
        return !object || key();
    }

    bool key() {
        if (blanks() == end_ || *at_ != '"')
            return fail_expecting("a key in quotes was expected here");
        auto text = lexis::read_string(at_, end_, stacks_.buffer);
        if (!text.end) return fail(text.mistake, text.reason);
        at_ = text.end;
        stacks_.keys.push_back(text.escaped ? stacks_.unescaped.emplace_back(text.value)
                                            : text.value);
        if (blanks() == end_ || *at_ != ':') return fail_expecting("\":\" was expected here");
        ++at_;
        return true;
    }

    /// Behind a value: a comma (more) or the end of the container, which is then built.
    bool next(bool& more) {
        bool object = stacks_.frames.back().object;
        if (blanks() != end_) {
            if (*at_ == ',') {
                ++at_;
                more = true;
                return !object || key();
            }
            if (*at_ == (object ? '}' : ']')) {
                ++at_;
                return object ? close_object() : close_array();
            }
        }
        return fail_expecting(object ? "\",\" or \"}\" was expected here"
                                     : "\",\" or \"]\" was expected here");
    }

    bool close_array() {
        auto from = stacks_.frames.back().values;
        stacks_.frames.pop_back();
        JsonArray array(storage_);
        array.reserve(stacks_.values.size() - from);
        for (auto i = from; i < stacks_.values.size(); ++i)
            array.emplace_back(std::move(stacks_.values[i]));
        return close(from, std::move(array));
    }

    bool close_object() {
        auto [from, keys, object] = stacks_.frames.back();
        stacks_.frames.pop_back();
        JsonObject members(storage_);
        members.reserve(stacks_.values.size() - from);
        for (auto i = from; i < stacks_.values.size(); ++i) {
            auto key = stacks_.keys[keys + i - from];
            if (!members.emplace(key, std::move(stacks_.values[i])).second)
                return fail(at_ - 1, "two members of this object have the same key");
        }
        stacks_.keys.resize(keys);
        return close(from, std::move(members));
    }

    template <class Container>
    bool close(std::size_t from, Container&& container) {
        stacks_.values.erase(stacks_.values.begin() + static_cast<std::ptrdiff_t>(from),
                             stacks_.values.end());
        stacks_.values.emplace_back(std::forward<Container>(container));
        return true;
    }

    std::string_view text_;
    const char* at_;
    const char* end_;
    std::size_t depth_;
    const boost::json::storage_ptr& storage_;
    Stacks& stacks_;
    const char* mistake_ = nullptr;
    const char* reason_ = nullptr;
};

} // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits,
                        boost::json::storage_ptr storage) {
    if (text.size() > limits.bytes)
        return lexis::mistake({}, 0,
                              "the text has " + std::to_string(text.size()) +
                                  " bytes, the limit is " + std::to_string(limits.bytes));
    thread_local Stacks stacks;
    struct Cleared {
        Stacks& stacks;
        ~Cleared() { stacks.clear(); }
    } cleared{stacks};
    return Reader(text, limits, storage, stacks).read();
}

} // namespace foxwedge
