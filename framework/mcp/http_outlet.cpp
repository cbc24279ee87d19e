#include "mcp/http_outlet.hpp"

#include <utility>

#include "http/sse.hpp"

namespace foxwedge::mcp {
namespace {

int status_of(std::int64_t code) {
    switch (code) {
    case rpc::method_not_found:
        return 404;
    case rpc::parse_error:
    case rpc::invalid_request:
    case rpc::header_mismatch:
    case rpc::missing_capability:
    case rpc::unsupported_version:
        return 400;
    default:
        return 200;
    }
}

} // namespace

void HttpOutlet::send(std::string_view message, bool last) {
    std::lock_guard lock(mutex_);
    if (done_) return;
    if (last && traits_.answers == 1 && !streams_) return answer(message, 200);
    event(message, last);
}

void HttpOutlet::refuse(std::string_view message, std::int64_t code) {
    std::lock_guard lock(mutex_);
    if (done_) return;
    if (streams_ || traits_.answers != 1) return event(message, true);
    answer(message, traits_.status ? status_of(code) : 200);
}

void HttpOutlet::answer(std::string_view message, int status) {
    done_ = true;
    if (responder_)
        (void)responder_->respond(status, {{"Content-Type", "application/json"}},
                                  std::string(message));
    responder_.reset();
}

void HttpOutlet::start() {
    streams_ = true;
    if (!responder_) return;
    http::Headers headers{{"Content-Type", "text/event-stream"},
                          {"Cache-Control", "no-cache"},
                          {"X-Accel-Buffering", "no"}};
    if (!responder_->start(200, std::move(headers))) responder_.reset();
}

std::string HttpOutlet::next_id() {
    return traits_.id.empty() ? "" : traits_.id + "." + std::to_string(first_ + events_.size());
}

void HttpOutlet::write(std::string_view text) {
    // A client that hung up finds the rest when it comes back.
    if (responder_ && !responder_->write(text)) responder_.reset();
}

void HttpOutlet::event(std::string_view data, bool last) {
    if (!streams_) {
        start();
        if (traits_.primed) event("", false);
    }
    const std::string text = http::to_sse_text("", data, next_id());
    if (!traits_.id.empty()) {
        events_.push_back(text);
        bytes_ += text.size();
        while (bytes_ > traits_.kept_bytes && events_.size() > 1) {
            bytes_ -= events_.front().size();
            events_.pop_front();
            ++first_;
        }
    }
    write(text);
    if (!last || ++answered_ != traits_.answers) return;
    done_ = true;
    if (responder_) responder_->finish();
    responder_.reset();
}

void HttpOutlet::hang_up(Millis retry) {
    std::lock_guard lock(mutex_);
    if (done_ || traits_.id.empty() || !traits_.primed) return;
    if (!streams_) {
        start();
        event("", false);
    }
    write("retry: " + std::to_string(retry.count()) + "\n\n");
    if (responder_) responder_->finish();
    responder_.reset();
}

void HttpOutlet::open() {
    std::lock_guard lock(mutex_);
    if (!streams_ && !done_) begin();
}

void HttpOutlet::begin() {
    start();
    if (traits_.primed)
        event("", false);
    else
        write(":\n\n");
}

void HttpOutlet::resume(std::shared_ptr<http::Responder> responder, std::size_t after) {
    std::lock_guard lock(mutex_);
    // The client that is here now is the one that asks.
    if (responder_) responder_->finish();
    responder_ = std::move(responder);
    start();
    write(":\n\n");
    for (std::size_t i = 0; i < events_.size(); ++i)
        if (first_ + i > after) write(events_[i]);
    if (!done_) return;
    if (responder_) responder_->finish();
    responder_.reset();
}

void HttpOutlet::keep_alive() {
    std::lock_guard lock(mutex_);
    if (done_) return;
    // Clients wait for the head of an answer only so long, and one that goes meanwhile needs the
    // number of an event to come back for the rest.
    if (streams_)
        write(":\n\n");
    else if (std::exchange(waited_, true))
        begin();
}

void HttpOutlet::finish() {
    std::lock_guard lock(mutex_);
    if (responder_ && streams_) responder_->finish();
    if (responder_ && !streams_ && !done_) (void)responder_->respond(202, {}, "");
    done_ = true;
    responder_.reset();
}

bool HttpOutlet::done() const {
    std::lock_guard lock(mutex_);
    return done_;
}

bool HttpOutlet::attended() const {
    std::lock_guard lock(mutex_);
    return responder_ && !responder_->gone();
}

} // namespace foxwedge::mcp
