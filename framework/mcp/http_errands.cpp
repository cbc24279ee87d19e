#include "mcp/http_errands.hpp"

#include <algorithm>

#include "mcp/http_asked.hpp"

namespace foxwedge::mcp {

Result<Reply> HttpLink::ask_with_errands(std::string_view method, std::string_view params_json,
                                         const RequestOptions& options) {
    Errands errands;
    std::stop_source stop;
    const std::stop_callback passed_on(options.until.stop, [&] { stop.request_stop(); });
    RequestOptions inner = options;
    inner.until.stop = stop.get_token();
    inner.quiet = Millis(0); // the time that a person takes is no silence of the server
    std::optional<Result<Reply>> outcome;
    {
        // What a server asks before it can be heard would be lost.
        std::unique_lock lock(mutex_);
        settling_.wait_for(lock, Millis(1000), [this] { return settled_; });
        errands_.push_back(&errands);
    }
    std::jthread worker([&] {
        auto reply = ask(method, params_json, inner, &errands);
        std::vector<std::stop_source> over;
        {
            std::lock_guard lock(mutex_);
            outcome = std::move(reply);
            mcp::take_back_all(errands.questions, errands.asking, over);
            errands.changed.notify_all();
        }
        for (auto& each : over) each.request_stop();
    });
    const bool silent = run_errands(errands, options, stop, outcome);
    worker.join();
    if (silent && !*outcome)
        return unknown_outcome(
            "timeout",
            "the MCP server \"" + spec_.name +
                "\" did not answer within its time (`timeout` of its entry, else limits.mcpCall)");
    return std::move(*outcome);
}

/// Until the outcome is there; true if the server was silent for too long.
bool HttpLink::run_errands(Errands& errands, const RequestOptions& options, std::stop_source& stop,
                           const std::optional<Result<Reply>>& outcome) {
    bool silent = false;
    std::unique_lock lock(mutex_);
    const auto news = [&] {
        return outcome || !errands.questions.empty() || !errands.progress.empty();
    };
    while (!outcome || !errands.progress.empty()) {
        if (!errands.progress.empty()) {
            const auto progress = std::exchange(errands.progress, {});
            lock.unlock();
            if (options.on_progress)
                for (const Json& each : progress) options.on_progress(each);
            lock.lock();
        } else if (!errands.questions.empty()) {
            const auto question = std::move(errands.questions.front());
            errands.questions.pop_front();
            errands.asking = OpenQuestion{question.id, {}, false};
            lock.unlock();
            answer_open(errands, options, question);
            lock.lock();
            errands.heard = std::chrono::steady_clock::now();
        } else if (silent || options.quiet.count() == 0) {
            errands.changed.wait(lock, news);
        } else if (!errands.changed.wait_until(lock, errands.heard + options.quiet, news) &&
                   std::chrono::steady_clock::now() >= errands.heard + options.quiet) {
            silent = true;
            lock.unlock();
            stop.request_stop();
            lock.lock();
        }
    }
    std::erase(errands_, &errands);
    return silent;
}

void HttpLink::answer_open(Errands& errands, const RequestOptions& options,
                           const Request& question) {
    RequestOptions open = options;
    open.until.stop = errands.asking->over.get_token();
    std::optional<std::variant<Json, RpcError>> said;
    {
        const std::stop_callback passed_on(
            options.until.stop, [over = errands.asking->over]() mutable { over.request_stop(); });
        said = answer_to(open, question);
    }
    bool wanted = false;
    {
        std::lock_guard lock(mutex_);
        wanted = !errands.asking->taken_back;
        errands.asking.reset();
    }
    if (wanted) reply(question, *said, options.until);
}

void HttpLink::take_back(const Json& id) {
    std::vector<std::stop_source> over;
    {
        std::lock_guard lock(mutex_);
        for (Errands* each : errands_) mcp::take_back(id, each->questions, each->asking, over);
    }
    for (auto& each : over) each.request_stop();
}

void HttpLink::hand_over(Errands* to, Request question) {
    {
        std::lock_guard lock(mutex_);
        // Beside the streams of calls nothing says which one a question belongs to: the oldest.
        if (!to && !errands_.empty()) to = errands_.front();
        if (to) {
            to->questions.push_back(std::move(question));
            to->changed.notify_all();
            return;
        }
    }
    post(error_line(question.id, {rpc::method_not_found,
                                  "this client does not answer " + question.method, nullptr}),
         Until{}.within(spec_.start_timeout));
}

void HttpLink::hear_questions(std::stop_token stop) {
    RequestOptions options;
    options.until.stop = stop;
    options.quiet = Millis(0);
    Asked heard{options, 0, "listen"};
    while (!stop.stop_requested() && heard.reconnects < 10) {
        auto request = make_request("GET", options.until);
        if (!request) break;
        if (!heard.events.last_id().empty())
            request->fields.push_back({"Last-Event-ID", heard.events.last_id(), ""});
        heard.events.reconnected();
        (void)exchange(std::move(*request), heard);
        if (!heard.streams) break; // 405: it has no such stream
        ++heard.reconnects;
        wait_for(heard.pause(), options.until);
    }
    listens();
}

void HttpLink::hear_changes(const std::string& params_json, std::stop_token stop) {
    constexpr Millis longest_pause{30'000};
    constexpr std::string_view method = "subscriptions/listen";
    RequestOptions options;
    options.until.stop = stop;
    options.quiet = Millis(0);
    // A stream that ends is begun again, ever more slowly: what is heard is no more than news.
    for (Millis pause{1'000}; !stop.stop_requested(); pause = std::min(2 * pause, longest_pause)) {
        Asked heard{options, next_id_++, method};
        auto request = make_request("POST", options.until);
        if (!request) return;
        request->fields.push_back({"Mcp-Method", std::string(method), ""});
        request->body = request_line(heard.id, method, params_json);
        request->body.pop_back();
        (void)exchange(std::move(*request), heard);
        if (!heard.streams) return; // it tells of nothing
        wait_for(pause, options.until);
    }
}

void HttpLink::listens() {
    std::lock_guard lock(mutex_);
    settled_ = true;
    settling_.notify_all();
}

} // namespace foxwedge::mcp
