// A reader of its own: Boost.JSON's has no positions and lets duplicate keys and overflow pass.
// Boost's value_stack builds the values, at their exact size.
#include "base/json.hpp"

#include <set>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/json/value_stack.hpp>

#include "base/json_lexis.hpp"
#include "base/json_number.hpp"

namespace foxwedge {
namespace {

boost::json::string_view boosted(std::string_view text) {
    return {text.data(), text.size()};
}

/// Builds the value. The stack keeps the last of duplicate keys, so members are counted.
class Builder {
public:
    explicit Builder(boost::json::storage_ptr storage) : stack_({}, room_, sizeof room_) {
        stack_.reset(std::move(storage));
    }

    void string(std::string_view text) { stack_.push_string(boosted(text)); }
    void number(std::int64_t value) { stack_.push_int64(value); }
    void number(std::uint64_t value) { stack_.push_uint64(value); }
    void number(double value) { stack_.push_double(value); }
    void boolean(bool value) { stack_.push_bool(value); }
    void null() { stack_.push_null(); }
    bool key(std::string_view text) {
        stack_.push_key(boosted(text));
        return true;
    }
    void begin_object() {}
    void array(std::size_t count) { stack_.push_array(count); }
    void object(std::size_t count) {
        members_ += count;
        stack_.push_object(count);
    }

    Json release() { return stack_.release(); }
    std::size_t members() const { return members_; }

private:
    unsigned char room_[4096]; ///< small texts cost no allocation besides their values
    boost::json::value_stack stack_;
    std::size_t members_ = 0;
};

/// Builds nothing, but knows a key that was there before.
class DuplicateFinder {
public:
    void string(std::string_view) {}
    void number(std::int64_t) {}
    void number(std::uint64_t) {}
    void number(double) {}
    void boolean(bool) {}
    void null() {}
    void begin_object() { open_.emplace_back(); }
    bool key(std::string_view text) { return open_.back().emplace(text).second; }
    void array(std::size_t) {}
    void object(std::size_t count) {
        if (count != 0) open_.pop_back();
    }

private:
    std::vector<std::set<std::string>> open_;
};

template <class Sink>
class Reader {
public:
    Reader(std::string_view text, std::size_t depth, Sink& sink)
        : at_(text.data()), end_(at_ + text.size()), depth_(depth), sink_(sink) {}

    bool read() {
        return run() && (blanks() == end_ || fail(at_, "there is more text behind the value"));
    }
    const char* mistake() const { return mistake_; }
    const char* reason() const { return reason_; }

private:
    struct Frame {
        std::size_t count;
        bool object;
    };

    bool fail(const char* where, const char* reason) {
        mistake_ = where;
        reason_ = reason;
        return false;
    }
    bool fail_expecting(const char* reason) {
        return fail(at_, at_ == end_ ? "the text ends too early" : reason);
    }

    const char* blanks() {
        while (at_ != end_ && static_cast<unsigned char>(*at_) <= ' ' &&
               (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'))
            ++at_;
        return at_;
    }

    bool run() {
        do {
            bool opened = false;
            if (!value(opened)) return false;
            if (opened) continue;
            while (!frames_.empty()) {
                bool more = false;
                if (!next(more)) return false;
                if (more) break;
            }
        } while (!frames_.empty());
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
            std::string_view text;
            if (!string(text)) return false;
            sink_.string(text);
            return true;
        }
        case 't':
            return word("true") && (sink_.boolean(true), true);
        case 'f':
            return word("false") && (sink_.boolean(false), true);
        case 'n':
            return word("null") && (sink_.null(), true);
        default:
            return number();
        }
    }

    bool string(std::string_view& text) {
        const char* from = at_ + 1;
        const char* stop = lexis::skip_plain(from, end_);
        if (stop != end_ && *stop == '"') { // most strings
            text = {from, static_cast<std::size_t>(stop - from)};
            at_ = stop + 1;
            return true;
        }
        auto whole = lexis::read_string(at_, end_, buffer_);
        if (!whole.end) return fail(whole.mistake, whole.reason);
        text = whole.value;
        at_ = whole.end;
        return true;
    }

    bool word(std::string_view expected) {
        std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
        if (!rest.starts_with(expected)) return fail(at_, "a JSON value was expected here");
        at_ += expected.size();
        return true;
    }

    bool number() {
        using Kind = number::Literal::Kind;
        auto literal = number::read(at_, end_);
        switch (literal.kind) {
        case Kind::int64:
            sink_.number(literal.i);
            break;
        case Kind::uint64:
            sink_.number(literal.u);
            break;
        case Kind::real:
            sink_.number(literal.d);
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
        if (frames_.size() >= depth_) return fail(at_, "arrays and objects nest too deeply");
        ++at_;
        if (blanks() != end_ && *at_ == close) {
            ++at_;
            if (object)
                sink_.object(0);
            else
                sink_.array(0);
            return true;
        }
        frames_.push_back({1, object});
        opened = true;
        if (!object) return true;
        sink_.begin_object();
        return key();
    }

    bool key() {
        if (blanks() == end_ || *at_ != '"')
            return fail_expecting("a key in quotes was expected here");
        const char* place = at_;
        std::string_view text;
        if (!string(text)) return false;
        if (!sink_.key(text)) return fail(place, "this object has the same key twice");
        if (blanks() == end_ || *at_ != ':') return fail_expecting("\":\" was expected here");
        ++at_;
        return true;
    }

    /// Behind a value: a comma (more) or the end of the container, which is then built.
    bool next(bool& more) {
        auto& frame = frames_.back();
        if (blanks() != end_) {
            if (*at_ == ',') {
                ++at_;
                ++frame.count;
                more = true;
                return !frame.object || key();
            }
            if (*at_ == (frame.object ? '}' : ']')) {
                ++at_;
                if (frame.object)
                    sink_.object(frame.count);
                else
                    sink_.array(frame.count);
                frames_.pop_back();
                return true;
            }
        }
        return fail_expecting(frame.object ? "\",\" or \"}\" was expected here"
                                           : "\",\" or \"]\" was expected here");
    }

    const char* at_;
    const char* end_;
    std::size_t depth_;
    Sink& sink_;
    boost::container::small_vector<Frame, 32> frames_;
    std::string buffer_;
    const char* mistake_ = nullptr;
    const char* reason_ = nullptr;
};

template <class Sink>
Error mistake_of(const Reader<Sink>& reader, std::string_view text) {
    auto offset = static_cast<std::size_t>(reader.mistake() - text.data());
    return lexis::mistake(text, offset, reader.reason());
}

std::size_t count_members(const Json& root) {
    std::size_t count = 0;
    boost::container::small_vector<const Json*, 64> rest{&root};
    while (!rest.empty()) {
        const Json& value = *rest.back();
        rest.pop_back();
        if (const auto* object = value.if_object()) {
            count += object->size();
            for (const auto& member : *object)
                if (member.value().is_structured()) rest.push_back(&member.value());
        } else if (const auto* array = value.if_array()) {
            for (const auto& element : *array)
                if (element.is_structured()) rest.push_back(&element);
        }
    }
    return count;
}

} // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits,
                        boost::json::storage_ptr storage) {
    if (text.size() > limits.bytes)
        return lexis::mistake({}, 0,
                              "the text has " + std::to_string(text.size()) +
                                  " bytes, the limit is " + std::to_string(limits.bytes));
    Builder builder(std::move(storage));
    Reader reader(text, limits.depth, builder);
    if (!reader.read()) return mistake_of(reader, text);
    Result<Json> result(builder.release());
    if (builder.members() == 0 || count_members(*result) == builder.members()) return result;
    DuplicateFinder finder;
    Reader again(text, limits.depth, finder);
    again.read();
    return mistake_of(again, text);
}

} // namespace foxwedge
