// The meeting place of the transfer thread and one caller: a bounded queue of body bytes.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "http/transfer.hpp"

namespace foxwedge::http {

/// Shared by both sides (each may be the last to let go). Thread-safe.
class Exchange {
public:
    Exchange(TransferRequest request, std::size_t queue_bytes)
        : request(std::move(request)), queue_bytes_(queue_bytes) {}

    const TransferRequest request;

    // The transfer thread's side.
    void set_sending();
    void set_head(ResponseHead);
    /// False if the queue is full: nothing was taken, and `resume` will be wanted.
    bool push(std::string_view bytes);
    void finish(Status);
    /// The reason why the policy refused the connection; it outlives the library's own words.
    void refuse(Error);
    std::optional<Error> refused() const;
    bool sending() const;

    // The caller's side.
    Result<ResponseHead> head(const Until&, Millis idle);
    /// `resume` is set if the sender was slowed down and may go on.
    Result<std::string> next(const Until&, Millis idle, bool& resume);

private:
    template <class Ready>
    Status wait(std::unique_lock<std::mutex>&, const Until&, Millis idle, Ready ready);

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    const std::size_t queue_bytes_;
    std::string queue_;
    std::optional<ResponseHead> head_;
    std::optional<Status> done_;
    std::optional<Error> refused_;
    bool sending_ = false;
    bool paused_ = false;
};

} // namespace foxwedge::http
