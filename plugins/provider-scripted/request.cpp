#include "request.hpp"

#include <cstring>

#include <foxwedge/json.hpp>

namespace scripted {

using foxwedge::plugin::Value;

namespace {

/// Walks over JSON text once, value by value.
class Skimmer {
public:
    explicit Skimmer(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}
    const char* at() const { return at_; }

    /// `visit(name)` for each member of the object that comes next; it consumes the value. Names
    /// are given as they stand.
    template <class Visit>
    void members(Visit&& visit) {
        if (!take('{') || take('}')) return;
        do {
            const auto name = value();
            if (name.size() < 2 || !take(':')) return;
            visit(name.substr(1, name.size() - 2));
        } while (take(','));
        take('}');
    }
    /// `visit()` for each element of the array that comes next; it consumes the value.
    template <class Visit>
    void elements(Visit&& visit) {
        if (!take('[') || take(']')) return;
        do visit();
        while (take(','));
        take(']');
    }
    /// The text of the value that comes next.
    std::string_view value() {
        skip_blanks();
        const char* from = at_;
        for (int depth = 0; at_ != end_; ++at_) {
            const char c = *at_;
            if (c > ']' && c != '}' && c != '{') continue; // most letters
            if (c == '"') {
                skip_string();
                if (depth == 0) return {from, static_cast<std::size_t>(at_ - from)};
                --at_;
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if (c == '}' || c == ']') {
                if (depth == 0) break; // the end of what encloses this value
                if (--depth == 0) return ++at_, text(from, at_);
            } else if (depth == 0 && (c == ',' || c == ':' || blank(c))) {
                break;
            }
        }
        return text(from, at_);
    }

    static std::string_view text(const char* from, const char* to) {
        return {from, static_cast<std::size_t>(to - from)};
    }

private:
    static bool blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
    void skip_blanks() {
        while (at_ != end_ && blank(*at_)) ++at_;
    }
    bool take(char c) {
        skip_blanks();
        if (at_ == end_ || *at_ != c) return false;
        ++at_;
        return true;
    }
    /// From the opening quote to behind the closing one.
    void skip_string() {
        for (++at_; at_ != end_; ++at_) {
            const auto rest = static_cast<std::size_t>(end_ - at_);
            const auto* quote = static_cast<const char*>(std::memchr(at_, '"', rest));
            if (!quote) break;
            const char* slash = quote;
            while (slash != at_ && slash[-1] == '\\') --slash;
            at_ = quote;
            if ((quote - slash) % 2 == 0) {
                ++at_;
                return;
            }
        }
        at_ = end_;
    }

    const char* at_;
    const char* end_;
};

std::string text_of(std::string_view json) {
    return json.empty() || json.front() != '"' ? std::string() : Value::parse(json).string();
}

std::string joined_text(const foxwedge::plugin::Array& blocks) {
    std::string out;
    for (const Value& block : blocks) out += block.string("text");
    return out;
}

void read_results(Request& request, std::string_view message) {
    for (const Value& block : Value::parse(message).array("content"))
        if (block.string("type") == "tool_result")
            request.results.push_back({std::string(block.string("name")),
                                       joined_text(block.array("content")),
                                       block.boolean("isError", false)});
}

void read_messages(Request& request, Skimmer& skim) {
    std::string_view user;
    std::vector<std::string_view> since_answer;
    skim.elements([&] {
        std::string_view role;
        const char* from = skim.at();
        skim.members([&](std::string_view name) {
            const auto value = skim.value();
            if (name == "role") role = value;
        });
        const auto message = Skimmer::text(from, skim.at());
        if (role == "\"assistant\"") {
            ++request.turn;
            since_answer.clear();
        } else if (role == "\"user\"") {
            user = message;
        } else if (role == "\"tool\"") {
            since_answer.push_back(message);
        }
    });
    if (!user.empty()) request.user = joined_text(Value::parse(user).array("content"));
    for (const auto message : since_answer) read_results(request, message);
}

} // namespace

Request read_request(std::string_view text) {
    Request request;
    Skimmer skim(text);
    skim.members([&](std::string_view name) {
        if (name == "messages") return read_messages(request, skim);
        const auto value = skim.value();
        if (name == "model")
            request.model_json = value;
        else if (name == "system")
            request.system_json = value;
        else if (name == "tools")
            request.tools_json = value;
        else if (name == "output")
            request.wants_output = value != "null";
    });
    return request;
}

std::string Request::model() const {
    return text_of(model_json);
}
std::string Request::system() const {
    return text_of(system_json);
}

bool Request::offers(std::string_view tool) const {
    bool found = false;
    Skimmer skim(tools_json);
    skim.elements([&] {
        skim.members([&](std::string_view name) {
            const auto value = skim.value();
            if (name == "name" && text_of(value) == tool) found = true;
        });
    });
    return found;
}

} // namespace scripted
