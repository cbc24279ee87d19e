#include "plugin/script_box.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.hpp"

namespace foxwedge::plugin {
namespace {

using process::Child;
using process::Exit;

/// The longest that one slice may take on the clock, where the request does not say: a box that is
/// starved of its processor, or stopped, is not waited for.
constexpr Millis slice_wall{120'000};
/// What a box may say in one line, whatever its own limits are.
constexpr std::size_t longest_line = 32u << 20;

Json done_with(std::string_view code, std::string message) {
    JsonObject error{{"code", code}, {"message", std::move(message)}};
    return JsonObject{{"done", JsonObject{{"error", std::move(error)}}}};
}

/// Wakes a poll when a stop is requested.
class Waker {
public:
    Waker() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
    ~Waker() { ::close(fd_); }
    Waker(const Waker&) = delete;
    Waker& operator=(const Waker&) = delete;

    int get() const { return fd_; }
    void wake() const {
        const std::uint64_t one = 1;
        (void)!::write(fd_, &one, sizeof one);
    }
    void rest() const {
        std::uint64_t count;
        (void)!::read(fd_, &count, sizeof count);
    }

private:
    const int fd_;
};

class BoxedScript final : public Script {
public:
    BoxedScript(std::shared_ptr<Child> child, Millis wall)
        : child_(std::move(child)), wall_(wall) {}
    ~BoxedScript() override { child_->kill(); }

    /// Hands over a line, waiting for room.
    Status say(std::string line, const Until& until) {
        unsent_ = std::move(line) + "\n";
        for (;;) {
            FOXWEDGE_CHECK(push());
            if (unsent_.empty()) return {};
            FOXWEDGE_CHECK(move(until));
        }
    }

    Result<Json> next(const Until& until) override {
        if (over_) return permanent("invalid_request", "the script has ended");
        const auto slice = Until{until.stop, std::nullopt}.within(wall_);
        for (;;) {
            if (auto line = take_line()) {
                FOXWEDGE_TRY(told, read(*line));
                return told;
            }
            if (closed_) return over(ending());
            if (held_.size() > longest_line)
                return over(done_with("TIMEOUT", "the script's process floods its host"));
            if (slice.overdue())
                return over(done_with("TIMEOUT", "the script did not come to a pause in " +
                                                     std::to_string(wall_.count()) + " ms"));
            if (until.stopped() || until.overdue())
                return permanent("cancelled", "the call is to end");
            FOXWEDGE_CHECK(move(until.left() ? slice.within(*until.left()) : slice));
            FOXWEDGE_CHECK(push());
        }
    }

    /// What finds no room at once goes while `next` waits.
    Status answer(const Json& answer) override {
        if (const auto* const several = array_member(answer, "answers")) {
            for (const Json& one : *several) FOXWEDGE_CHECK(append_answer(unsent_, one));
        } else {
            FOXWEDGE_CHECK(append_answer(unsent_, answer));
        }
        return push();
    }

private:
    static Status append_answer(std::string& lines, const Json& answer) {
        const auto id = integer_member(answer, "id");
        if (!id) return permanent("invalid_request", "an answer needs the id of its request");
        if (const auto* const budget = member(answer, "budget"))
            lines += "budget " + to_text(*budget) + "\n";
        const auto* const value = member(answer, "value");
        lines += "answer " + std::to_string(*id) + " " + (value ? to_text(*value) : "null") + "\n";
        return {};
    }

    Status push() {
        while (!unsent_.empty()) {
            const auto put = child_->write(unsent_);
            if (put == 0) return {};
            if (put == -EPIPE) { // its last words tell why
                unsent_.clear();
                return {};
            }
            if (put < 0)
                return unknown_outcome("script_box", "writing to the script's process failed");
            unsent_.erase(0, static_cast<std::size_t>(put));
        }
        return {};
    }

    /// Reads what is there; waits until that, room for what is unsent, a stop or the deadline.
    Status move(const Until& until) {
        const std::stop_callback on_stop(until.stop, [this] { waker_.wake(); });
        pollfd watched[3] = {{child_->out(), POLLIN, 0},
                             {waker_.get(), POLLIN, 0},
                             {unsent_.empty() ? -1 : child_->in(), POLLOUT, 0}};
        const auto left = until.left();
        const int timeout =
            left ? static_cast<int>(std::min<std::int64_t>(left->count() + 1, 60'000)) : -1;
        if (closed_) watched[0].fd = -1;
        if (::poll(watched, 3, timeout) < 0 && errno != EINTR)
            return unknown_outcome("script_box", "waiting for the script's process failed");
        if (watched[1].revents) waker_.rest();
        if (watched[0].revents) receive();
        return {};
    }

    void receive() {
        char bytes[64 * 1024];
        const auto got = ::read(child_->out(), bytes, sizeof bytes);
        if (got > 0) held_.append(bytes, static_cast<std::size_t>(got));
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) closed_ = true;
    }

    std::optional<std::string> take_line() {
        const auto end = held_.find('\n', std::max(taken_, searched_));
        if (end == held_.npos) {
            held_.erase(0, taken_);
            taken_ = 0;
            searched_ = held_.size();
            return std::nullopt;
        }
        std::string line = held_.substr(taken_, end - taken_);
        taken_ = end + 1;
        searched_ = 0;
        return line;
    }

    Result<Json> read(std::string_view line) {
        const auto blank = line.find(' ');
        const auto word = line.substr(0, blank);
        const auto rest = blank == line.npos ? std::string_view() : line.substr(blank + 1);
        if (word == "wait") return request(0, "wait", JsonObject());
        if (word == "ask" || word == "tell") return asked(word == "ask", rest);
        auto value = parse_json(rest);
        if (!value) return over(broken());
        if (word == "done")
            return over(Json(JsonObject{{"done", JsonObject{{"value", *std::move(value)}}}}));
        if (word == "fail")
            return over(Json(JsonObject{{"done", JsonObject{{"error", *std::move(value)}}}}));
        return over(broken());
    }

    /// "12 agent {...}", or "log {...}".
    Result<Json> asked(bool numbered, std::string_view text) {
        std::int64_t id = 0;
        if (numbered) {
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
            if (error != std::errc{} || id <= 0) return over(broken());
            text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
        }
        const auto blank = text.find(' ');
        if (blank == text.npos) return over(broken());
        auto arguments = parse_json(text.substr(blank + 1));
        if (!arguments) return over(broken());
        return request(id, text.substr(0, blank), *std::move(arguments));
    }

    static Json request(std::int64_t id, std::string_view hook, Json arguments) {
        JsonObject out{{"id", id}, {"hook", hook}};
        out["arguments"] = std::move(arguments);
        return JsonObject{{"request", std::move(out)}};
    }

    Json broken() {
        return done_with("SCRIPT_ERROR", "the script's process said what makes no sense");
    }

    Result<Json> over(Result<Json> last) {
        over_ = true;
        child_->kill();
        return last;
    }

    /// What the end of the process means, which said nothing of it.
    Result<Json> ending() {
        const auto exit = child_->ended_within(Until{}.within(Millis(5'000)));
        const std::string how = exit ? to_text(*exit) : "closed its output";
        if (!exit || exit->kind != Exit::Kind::signaled)
            return unknown_outcome("script_box", "the script's process " + how);
        switch (exit->value) {
        case SIGXCPU:
            return done_with("TIMEOUT", "the script used up its processor time");
        case SIGSYS:
            return done_with("SCRIPT_ERROR", "the script tried what its sandbox forbids");
        case SIGABRT:
        case SIGILL:
        case SIGSEGV:
        case SIGBUS:
        case SIGTRAP: // how the engine ends when it finds no memory at a place that needs some
            return done_with("MEMORY", "the script used more than its memory");
        default:
            return unknown_outcome("script_box", "the script's process " + how);
        }
    }

    const std::shared_ptr<Child> child_;
    const Millis wall_;
    const Waker waker_;
    std::string held_, unsent_;
    std::size_t taken_ = 0, searched_ = 0;
    bool closed_ = false, over_ = false;
};

} // namespace

struct ScriptBoxes::State {
    process::Supervisor& children;
    std::mutex mutex;
    std::shared_ptr<Child> spare; ///< waits for its start line

    explicit State(process::Supervisor& all) : children(all) {}
    ~State() {
        if (spare) spare->kill();
    }

    Result<std::shared_ptr<Child>> fresh() {
        auto program = process::find_libexec("script-box");
        if (!program)
            return permanent(program.error().code,
                             "workflow scripts are unavailable: this foxwedge was built without "
                             "the script engine (package libjavascriptcoregtk-4.1-dev): " +
                                 program.error().message);
        process::Command command;
        command.program = *program;
        command.cwd = "/";
        return children.start(command);
    }

    Result<std::shared_ptr<Child>> take() {
        {
            const std::lock_guard lock(mutex);
            const auto ready = std::exchange(spare, nullptr);
            if (ready && !ready->ended()) return ready;
        }
        return fresh();
    }

    Result<std::unique_ptr<Script>> start(const Json& request, const Until& until) {
        FOXWEDGE_TRY(child, take());
        const auto* const limits = member(request, "limits");
        const auto wall = limits ? integer_member(*limits, "wallMs") : std::nullopt;
        auto script = std::make_unique<BoxedScript>(std::move(child),
                                                    wall && *wall > 0 ? Millis(*wall) : slice_wall);
        FOXWEDGE_CHECK(script->say("start " + to_text(request), until));
        return std::unique_ptr<Script>(std::move(script));
    }
};

ScriptBoxes::ScriptBoxes(process::Supervisor& children)
    : state_(std::make_unique<State>(children)) {}
ScriptBoxes::~ScriptBoxes() = default;

ScriptStarter ScriptBoxes::starter() {
    return [this](const Json& request, const Until& until) {
        auto script = state_->start(request, until);
        const auto* const limits = member(request, "limits");
        // What was only to be compiled is run next, unless that fails.
        if (script && limits && bool_member(*limits, "checkOnly").value_or(false)) prepare();
        return script;
    };
}

void ScriptBoxes::prepare() {
    const std::lock_guard lock(state_->mutex);
    if (state_->spare && !state_->spare->ended()) return;
    auto child = state_->fresh();
    if (child) state_->spare = *std::move(child);
}

} // namespace foxwedge::plugin
