#include "mcp/rounds.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "contracts/questions.hpp"
#include "contracts/services.hpp"
#include "mcp/tool_result.hpp"

namespace foxwedge::mcp {
namespace {

constexpr int most_rounds = 32;
constexpr Millis shortest_poll{100}, longest_poll{60'000}, usual_poll{1'000};

Json details_of(const Error& error) {
    auto details = parse_json(error.details);
    return details ? *std::move(details) : Json(JsonObject());
}

Json progress_payload(const Json& params) {
    JsonObject payload;
    for (const char* key : {"progress", "total", "message"})
        if (const Json* value = member(params, key)) payload[key] = *value;
    return payload;
}

bool refuses_params(const Result<ToolResult>& result) {
    return result && result->is_error && string_member(result->details, "code") == "invalid_params";
}

/// A handshake server's questions inside an open call: the connection is held for the answer.
class HeldQuestions final : public ServerRequests {
public:
    HeldQuestions(Questions& questions, Millis hold, std::stop_source stop)
        : questions_(questions), hold_(hold), stop_(std::move(stop)) {}

    std::variant<Json, RpcError> answer(std::string_view method, const Json& params,
                                        const Until& until) override {
        std::optional<Millis> hold;
        if (method == "elicitation/create") hold = std::min(hold_, until.left().value_or(hold_));
        auto said = questions_.ask(method, params, hold, until.stop);
        if (!said && said.error().code == "not_allowed")
            return RpcError{rpc::method_not_found, said.error().message, nullptr};
        if (!said && said.error().code == taken_back_code) // whoever took it back knows the rest
            return RpcError{rpc::internal_error, said.error().message, nullptr};
        if (!said) return give_up(std::move(said).error());
        const bool answered = !bool_member(*said, "unanswered").value_or(false);
        if (answered) return *std::move(said);
        const Error nobody = permanent("unanswered", "nobody answered in time");
        // The call's own time was shorter: that ends it.
        if (until.overdue()) return RpcError{rpc::internal_error, nobody.message, nullptr};
        return give_up(nobody);
    }
    /// Why the call was given up because of a question, if it was.
    const std::optional<Error>& failure() const { return failure_; }

private:
    RpcError give_up(Error error) {
        failure_ = std::move(error);
        stop_.request_stop();
        return {rpc::internal_error, failure_->message, nullptr};
    }

    Questions& questions_;
    const Millis hold_;
    std::stop_source stop_;
    std::optional<Error> failure_;
};

class Rounds {
public:
    Rounds(Client& client, std::string_view name, std::string_view arguments_json, Call& call)
        : client_(client), name_(name), arguments_json_(arguments_json), call_(call),
          questions_(call.waits ? call.waits->questions() : nullptr) {
        options_.until = call.until;
        options_.idempotency_key = call.step_key;
        if (call.events)
            options_.on_progress = [&call](const Json& params) {
                (void)call.events->receive(EventKind::progress, to_text(progress_payload(params)));
            };
    }

    Result<ToolResult> run() {
        const Json kept = questions_ ? questions_->kept() : Json();
        if (member(kept, "taskId")) {
            kept_ = kept;
            return follow(kept);
        }
        std::optional<Json> round;
        if (member(kept, "inputRequests") || member(kept, "requestState")) round = kept;
        for (int n = 0; n < most_rounds; ++n) {
            if (round) FOXWEDGE_CHECK(answer(*round));
            auto result = once();
            if (refuses_params(result) && options_.request_state)
                return unknown_outcome("state_refused",
                                       "the server no longer takes the state that it gave: " +
                                           to_text(Json(result->content)));
            if (result || !questions_) return result;
            const Error& error = result.error();
            if (error.code == "task_started") return follow(details_of(error));
            if (error.code != "input_required") return result;
            round = details_of(error);
            FOXWEDGE_CHECK(questions_->keep(*round));
        }
        return permanent("too_many_rounds", "the server asked for input " +
                                                std::to_string(most_rounds) +
                                                " times without an end");
    }

private:
    /// One request, with the questions that a handshake server asks inside it.
    Result<ToolResult> once() {
        if (!questions_) return client_.call(name_, arguments_json_, options_);
        std::stop_source stop;
        const std::stop_callback passed_on(call_.until.stop, [&] { stop.request_stop(); });
        HeldQuestions held(*questions_, client_.spec().elicitation_hold, stop);
        CallOptions options = options_;
        options.until.stop = stop.get_token();
        options.server_requests = &held;
        auto result = client_.call(name_, arguments_json_, options);
        if (result || !held.failure()) return result;
        if (held.failure()->code != "unanswered") return *held.failure();
        return permanent("unanswered",
                         "The server asked a question that nobody answered in time; the call was "
                         "cancelled.");
    }

    /// Answers a round's questions; the next request carries the answers and the state.
    Status answer(const Json& round) {
        FOXWEDGE_TRY(answers, answers_to(round));
        options_.input_responses = std::move(answers);
        options_.request_state.reset();
        if (const auto state = string_member(round, "requestState"))
            options_.request_state = std::string(*state);
        return {};
    }

    Result<Json> answers_to(const Json& round) {
        JsonObject answers;
        const JsonObject* asked = object_member(round, "inputRequests");
        if (!asked) return Json(std::move(answers));
        for (const auto& [key, request] : *asked) {
            const auto method = string_member(request, "method").value_or("");
            const Json* params = member(request, "params");
            if (method == "roots/list") {
                answers[key] = roots();
                continue;
            }
            if (!questions_)
                return permanent("not_allowed", "the server asks for input, and nobody is here");
            FOXWEDGE_TRY(said, questions_->ask(method, params ? *params : Json(JsonObject())));
            answers[key] = std::move(said);
        }
        return Json(std::move(answers));
    }

    Json roots() const {
        JsonArray list;
        for (const auto& uri : client_.spec().roots) list.push_back(JsonObject{{"uri", uri}});
        JsonObject result;
        result["roots"] = std::move(list);
        return result;
    }

    // ---- tasks

    Result<Json> ask_task(std::string_view method, JsonObject params) {
        RequestOptions options;
        options.until = call_.until;
        options.quiet = client_.spec().timeout;
        options.subject = *string_member(task_, "taskId");
        params["taskId"] = options.subject;
        FOXWEDGE_TRY(reply, client_.request(method, params, options));
        if (reply.error && reply.error->code == rpc::invalid_params)
            return unknown_outcome("task_lost", "the server no longer knows its task \"" +
                                                    options.subject + "\"");
        if (reply.error) return read_tool_error(*reply.error).error();
        return std::move(reply.result);
    }

    Result<ToolResult> follow(Json task) {
        task_ = std::move(task);
        if (!string_member(task_, "taskId"))
            return permanent("invalid_response", "the server started a task without a taskId");
        // Before it is asked for: a host that dies now must not start it again.
        if (kept_.is_null()) FOXWEDGE_CHECK(keep(task_));
        for (;;) {
            if (call_.until.stopped()) return cancel_task();
            if (member(task_, "inputRequests")) FOXWEDGE_CHECK(update());
            FOXWEDGE_TRY(state, ask_task("tasks/get", {}));
            const auto status = string_member(state, "status").value_or("");
            if (status == "completed") return completed(state);
            if (status == "failed") return failed(state);
            if (status == "cancelled")
                return Error{"task_cancelled",
                             "the server cancelled its task",
                             Certainty::done_with_error,
                             {},
                             {}};
            FOXWEDGE_CHECK(keep(state));
            if (status == "input_required") continue;
            if (status != "working")
                return permanent("invalid_response",
                                 "a task's status is \"" + std::string(status) + "\"");
            FOXWEDGE_CHECK(pause(state));
        }
    }

    /// What another attempt needs to go on.
    Status keep(const Json& state) {
        JsonObject kept{{"taskId", *string_member(task_, "taskId")}};
        if (string_member(state, "status") == "input_required")
            if (const Json* asked = member(state, "inputRequests")) kept["inputRequests"] = *asked;
        Json next = std::move(kept);
        const bool known = next == kept_;
        task_ = next;
        kept_ = std::move(next);
        return known || !questions_ ? Status() : questions_->keep(kept_);
    }

    Status update() {
        FOXWEDGE_TRY(answers, answers_to(task_));
        JsonObject params;
        params["inputResponses"] = std::move(answers);
        FOXWEDGE_CHECK(ask_task("tasks/update", std::move(params)));
        task_.get_object().erase("inputRequests");
        return {};
    }

    /// Until the next question about the task: without a thread where the run can park.
    Status pause(const Json& state) {
        const auto wanted = integer_member(state, "pollIntervalMs");
        const Millis interval =
            std::clamp(wanted ? Millis(*wanted) : usual_poll, shortest_poll, longest_poll);
        if (call_.waits) {
            const Time due = system_clock().now() + interval;
            FOXWEDGE_TRY(waited,
                         call_.waits->wait_for(Json{{"until", due.time_since_epoch().count()}}));
            if (bool_member(waited, "fired").value_or(false)) return {};
            return permanent(std::string(parked_code), "the server works on its task");
        }
        std::mutex mutex;
        std::condition_variable_any quiet;
        std::unique_lock lock(mutex);
        const Until until = call_.until.within(interval);
        quiet.wait_until(lock, until.stop, *until.deadline, [] { return false; });
        if (call_.until.overdue()) return unknown_outcome("timeout", "the task took too long");
        return {};
    }

    Result<ToolResult> completed(const Json& state) {
        const Json* result = member(state, "result");
        if (!result) return permanent("invalid_response", "a completed task has no result");
        return read_tool_result(*result, false);
    }

    Result<ToolResult> failed(const Json& state) {
        RpcError error{rpc::internal_error, "the task failed", nullptr};
        if (const Json* why = member(state, "error")) {
            error.code = integer_member(*why, "code").value_or(error.code);
            error.message = string_member(*why, "message").value_or(error.message);
        }
        return read_tool_error(error);
    }

    Error cancel_task() {
        RequestOptions aside;
        aside.until = Until{}.within(usual_poll);
        aside.subject = *string_member(task_, "taskId");
        (void)client_.request("tasks/cancel", {{"taskId", aside.subject}}, aside);
        return unknown_outcome("cancelled", "the call was cancelled while the server worked on it");
    }

    Client& client_;
    const std::string_view name_, arguments_json_;
    Call& call_;
    Questions* const questions_; ///< null: nobody can be asked
    CallOptions options_;
    Json task_, kept_;
};

} // namespace

Result<ToolResult> call_in_rounds(Client& client, std::string_view name,
                                  std::string_view arguments_json, Call& call) {
    return Rounds(client, name, arguments_json, call).run();
}

} // namespace foxwedge::mcp
