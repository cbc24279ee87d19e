#include "plugin/verb.hpp"

#include "base/json.hpp"

namespace foxwedge::plugin {
namespace {

struct Meaning {
    const char* code;
    const char* message;
    Certainty certainty;
};

Meaning meaning_of(foxwedge_status status) {
    switch (status) {
    case FOXWEDGE_PARKED:
        return {"parked", "waits", Certainty::permanent};
    case FOXWEDGE_E_INVALID:
        return {"invalid_request", "refused the request", Certainty::permanent};
    case FOXWEDGE_E_UNSUPPORTED:
        return {"unsupported", "does not offer that", Certainty::permanent};
    case FOXWEDGE_E_TRANSIENT:
        return {"transient", "could not do it now", Certainty::not_done};
    case FOXWEDGE_E_FAILED:
        return {"failed", "failed", Certainty::done_with_error};
    case FOXWEDGE_E_CANCELLED:
        return {"cancelled", "was cancelled", Certainty::unknown};
    case FOXWEDGE_E_UNKNOWN:
        return {"unknown", "does not know whether it happened", Certainty::unknown};
    default:
        return {"internal", "failed by a mistake of its own", Certainty::permanent};
    }
}

void take_details(Error& error) {
    if (error.details.empty()) return;
    const auto details = parse_json(error.details);
    if (!details || !details->is_object()) {
        error.details.clear();
        return;
    }
    if (const auto wish = integer_member(*details, "retryAfterMs"); wish && *wish > 0)
        error.retry_after = Millis(*wish);
}

} // namespace

Ended ended_by_host(Error error) {
    Ended end;
    end.status = status_of(error);
    end.said = std::move(error);
    end.by_host = true;
    return end;
}

bool runs_here(const Runtime& runtime, const Call& call) {
    return !runtime.leaves_hanging_calls ||
           (!call.until.deadline && !call.until.stop.stop_possible());
}

Ended run_verb(Opened& plugin, Call& call, std::shared_ptr<const http::Caller> access,
               std::function<foxwedge_status(const foxwedge_call*)> verb,
               std::function<void(const foxwedge_call*)> interrupt, bool wants_result) {
    auto& runtime = plugin.runtime();
    const bool here = runs_here(runtime, call);
    const auto running =
        std::make_shared<RunningCall>(plugin.host().calls(), call, std::move(access),
                                      here ? Performer::caller : Performer::another);
    if (!running->api()) {
        return ended_by_host(not_done("out_of_memory", "no memory for another call"));
    }
    const auto* api = running->api();
    const auto push = [&] {
        if (interrupt) runtime.threads.run([running, api, interrupt] { interrupt(api); });
    };
    if (here) {
        const std::stop_callback on_stop(call.until.stop, push);
        running->perform([&] { return verb(api); });
        return running->ended(wants_result);
    }
    const bool started = runtime.threads.run(
        [running, api, verb = std::move(verb)] { running->perform([&] { return verb(api); }); });
    if (!started)
        return ended_by_host(not_done("out_of_threads", "the system gives no more threads"));
    if (!running->wait(runtime.limits.grace, push)) plugin.note_abandoned();
    return running->ended(wants_result);
}

Error error_of(const Ended& end, std::string_view what) {
    if (end.abandoned)
        return unknown_outcome("abandoned",
                               std::string(what) +
                                   " did not return after it was cancelled and was left behind");
    if (!end.broken.empty()) return permanent("internal", std::string(what) + " " + end.broken);
    if (end.passed_on || end.by_host) return *end.said;
    const auto meaning = meaning_of(end.status);
    Error error{meaning.code, std::string(what) + " " + meaning.message, meaning.certainty, {}, {}};
    if (end.status == FOXWEDGE_E_CANCELLED && end.overdue) {
        error.code = "timeout";
        error.message = std::string(what) + " ran out of time";
    }
    if (!end.said || end.status == FOXWEDGE_PARKED) return error;
    // The class follows from the status alone: words of a plugin do not make a thing repeatable.
    if (!end.said->code.empty() && end.status != FOXWEDGE_E_INTERNAL &&
        end.status != FOXWEDGE_E_CANCELLED)
        error.code = end.said->code;
    if (!end.said->message.empty())
        error.message = end.status == FOXWEDGE_E_INTERNAL
                            ? std::string(what) + ": " + end.said->message
                            : end.said->message;
    error.details = end.said->details;
    take_details(error);
    return error;
}

} // namespace foxwedge::plugin
