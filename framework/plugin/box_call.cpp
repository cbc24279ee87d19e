// A call in a box, from its caller's thread.
#include "base/loss.hpp"
#include "base/text.hpp"
#include "plugin/box_parts.hpp"
#include "plugin/verb.hpp"

namespace foxwedge::plugin {
namespace {

using Clock = std::chrono::steady_clock;

} // namespace

/// What the plugin asks of a call's run, on the caller's thread.
class Box::Serving {
public:
    Serving(Box& box, std::uint64_t id, Call& call) : box_(box), id_(id), call_(call) {}

    void serve(const Frame& frame) {
        if (frame.kind == FrameKind::event) tell(happening_from(frame.body));
        if (frame.kind == FrameKind::ask) answer(asking_from(frame.body));
    }
    void cancel() {
        if (!std::exchange(cancelled_, true)) box_.send(FrameKind::cancel, id_, {});
    }
    /// A run that unwinds goes on unwinding.
    void rethrow() const {
        if (unwinding_) std::rethrow_exception(unwinding_);
    }

private:
    void tell(const Happening& happening) {
        const bool known = happening.number > 0 && happening.number <= FOXWEDGE_EVENT_LOG;
        bool wanted = true;
        if (known && call_.events && !cancelled_)
            wanted =
                call_.events->receive(static_cast<EventKind>(happening.number),
                                      box_.setting_.runtime.masking->masked(happening.payload));
        if (!wanted) cancel();
        if (happening.seq != 0)
            box_.reply(happening.seq, wanted ? Result<std::string>(std::string())
                                             : permanent("cancelled", "nobody wants more"));
    }

    void answer(const Asking& asking) {
        Result<std::string> told = permanent("cancelled", "the call is over");
        if (!unwinding_) {
            try {
                told = box_.setting_.backend->ask({asking.what, asking.request, call_, script_});
            } catch (...) {
                // The run unwinds: the plugin is asked to leave first.
                unwinding_ = std::current_exception();
                told = permanent("cancelled", "the run is being parked");
                cancel();
            }
        }
        box_.reply(asking.seq, told);
    }

    Box& box_;
    const std::uint64_t id_;
    Call& call_;
    std::unique_ptr<Script> script_;
    std::exception_ptr unwinding_;
    bool cancelled_ = false;
};

Ended Box::call(const VerbRequest& request, Call& call) {
    Waiting waiting(*this);
    const auto left = call.until.left();
    send(FrameKind::call, waiting.id,
         packed(Calling{request.verb, request.placement, std::string(request.name),
                        std::string(request.json), call.step_key, call.scope,
                        left ? left->count() : -1}));
    Serving serving(*this, waiting.id, call);
    std::optional<Clock::time_point> leave;
    for (;;) {
        // Once it is to leave, only frames, its death and the time count.
        const auto frame =
            leave ? waiting.next({}, leave) : waiting.next(call.until.stop, call.until.deadline);
        if (frame && frame->kind != FrameKind::ended) {
            serving.serve(*frame);
        } else if (frame) {
            serving.rethrow();
            return as_heard(ended_from(frame->body), call.until);
        } else if (dead()) {
            serving.rethrow();
            return ended_by_host(unknown_outcome(std::string(blameless_loss),
                                                 setting_.name + ": " + to_string(request.verb) +
                                                     ": its process " + death()));
        } else if (!leave) {
            leave = Clock::now() + setting_.runtime.limits.grace;
            serving.cancel();
        } else {
            {
                std::lock_guard lock(mutex_);
                left_ = true;
            }
            serving.rethrow();
            Ended end;
            end.status = FOXWEDGE_E_UNKNOWN;
            end.abandoned = true;
            return end;
        }
    }
}

/// What came from a box is a plugin's word, whoever it says is speaking.
Ended Box::as_heard(Ended end, const Until& until) const {
    const auto& masking = *setting_.runtime.masking;
    if (end.said) {
        auto& said = *end.said;
        said.code = masking.masked(to_utf8(said.code));
        said.message = masking.masked(to_utf8(said.message));
        said.details = masking.masked(said.details);
        if (!said.details.empty() && !parse_json(said.details)) said.details.clear();
    } else {
        end.passed_on = end.by_host = false;
    }
    end.overdue = until.overdue() && !until.stopped();
    return end;
}

} // namespace foxwedge::plugin
