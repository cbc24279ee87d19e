// The door to Boost.Beast: one thread reads and writes for all connections; handlers run on
// threads of their own, so a slow client or handler holds up nobody else.
#include "http/server.hpp"

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include <fcntl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/text.hpp"
#include "http/crew.hpp"
#include "http/server_head.hpp"

namespace foxwedge::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using tcp = asio::ip::tcp;
using Failed = boost::system::error_code;

void close_on_exec(int fd) {
    fcntl(fd, F_SETFD, FD_CLOEXEC);
}

struct Shared {
    asio::io_context io{1};
    ServerLimits limits;
    Handler handler;
    Crew* crew = nullptr;            // the server's; null once it is being destroyed
    std::atomic<bool> closed{false}; // nothing serves the queue any more
};

/// One connection. Members above the mutex belong to the server's thread.
class Session : public std::enable_shared_from_this<Session> {
public:
    Session(std::shared_ptr<Shared> shared, tcp::socket socket)
        : shared_(std::move(shared)), socket_(std::move(socket)), read_timer_(shared_->io),
          write_timer_(shared_->io) {}

    void open() { read_head(shared_->limits.idle_timeout); }
    void close();
    void refuse(int status) { answer_and_close(status); }

    // For the responder; any thread.
    Status send(std::string bytes, bool last, bool keep);
    void cut();
    bool gone() const;
    void on_gone(std::function<void()> then);
    void post(std::function<void()> work) {
        if (!shared_->closed) asio::post(shared_->io, std::move(work));
    }

private:
    using Parser = beast::http::request_parser<beast::http::string_body>;
    void read_head(Millis patience);
    void read_body();
    void read_failed(Failed);
    void dispatch();
    void watch();
    void flush();
    void written(Failed);
    void ended();
    void answer_and_close(int status);
    void arm(asio::steady_timer& timer, Millis);

    std::shared_ptr<Shared> shared_;
    tcp::socket socket_;
    asio::steady_timer read_timer_, write_timer_;
    beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    bool busy_ = false, watching_ = false, writing_ = false;
    std::string out_;

    mutable std::mutex mutex_;
    std::condition_variable room_;
    std::string queue_;
    bool last_ = false, keep_ = false, gone_ = false;
    std::function<void()> then_;
};

/// The responder of one request.
class Answer final : public Responder {
public:
    Answer(std::shared_ptr<Session> session, ServerRequest& request, bool keep, bool chunks)
        : session_(std::move(session)), head_only_(request.method == "HEAD"), keep_(keep && chunks),
          chunks_(chunks) {}
    ~Answer() override {
        if (state_ == State::fresh)
            (void)respond(500, {{"Content-Type", "text/plain"}}, "The request was not answered.\n");
        else
            finish();
    }
    Status respond(int status, Headers headers, std::string body) override {
        if (state_ != State::fresh)
            return permanent("already_answered", "a request has one response");
        state_ = State::done;
        headers.set("Content-Length", std::to_string(body.size()));
        FOXWEDGE_TRY(head, head_text(status, headers, keep_));
        return session_->send(head_only_ ? head : head + body, true, keep_);
    }
    Status start(int status, Headers headers) override {
        if (state_ != State::fresh)
            return permanent("already_answered", "a request has one response");
        state_ = State::streaming;
        if (chunks_) headers.set("Transfer-Encoding", "chunked");
        FOXWEDGE_TRY(head, head_text(status, headers, keep_));
        return session_->send(head, false, keep_);
    }
    Status write(std::string_view bytes) override {
        if (state_ != State::streaming)
            return permanent("not_started", "no streamed response is open");
        if (bytes.empty() || head_only_) return {}; // an empty chunk would be the last one
        return session_->send(chunks_ ? chunk_text(bytes) : std::string(bytes), false, keep_);
    }
    void finish() override {
        if (std::exchange(state_, State::done) != State::streaming) return;
        (void)session_->send(chunks_ && !head_only_ ? "0\r\n\r\n" : "", true, keep_);
    }
    void abort() override {
        state_ = State::done;
        session_->cut();
    }
    bool gone() const override { return session_->gone(); }
    void on_gone(std::function<void()> then) override { session_->on_gone(std::move(then)); }

private:
    enum class State { fresh, streaming, done };
    std::shared_ptr<Session> session_;
    const bool head_only_, keep_, chunks_;
    State state_ = State::fresh;
};

void Session::arm(asio::steady_timer& timer, Millis patience) {
    timer.expires_after(patience);
    timer.async_wait([self = shared_from_this()](Failed failed) {
        if (!failed) self->close();
    });
}

void Session::read_head(Millis patience) {
    busy_ = false;
    parser_.emplace();
    parser_->header_limit(std::uint32_t(shared_->limits.header_bytes));
    parser_->body_limit(shared_->limits.body_bytes);
    arm(read_timer_, buffer_.size() ? shared_->limits.request_timeout : patience);
    beast::http::async_read_header(
        socket_, buffer_, *parser_, [self = shared_from_this()](Failed failed, std::size_t) {
            if (failed) return self->read_failed(failed);
            self->arm(self->read_timer_, self->shared_->limits.request_timeout);
            self->read_body();
        });
}

void Session::read_body() {
    if (same_name(std::string_view(parser_->get()[beast::http::field::expect]), "100-continue")) {
        out_ = "HTTP/1.1 100 Continue\r\n\r\n";
        Failed failed; // a few bytes into an empty socket buffer
        asio::write(socket_, asio::buffer(out_), failed);
    }
    beast::http::async_read(socket_, buffer_, *parser_,
                            [self = shared_from_this()](Failed failed, std::size_t) {
                                if (failed) return self->read_failed(failed);
                                self->read_timer_.cancel();
                                self->dispatch();
                            });
}

void Session::read_failed(Failed failed) {
    read_timer_.cancel();
    using beast::http::error;
    if (failed == error::body_limit) return answer_and_close(413);
    if (failed == error::header_limit) return answer_and_close(431);
    const bool hung_up =
        failed == error::end_of_stream || failed == error::partial_message ||
        failed.category() != beast::http::make_error_code(error::bad_version).category();
    if (hung_up) return close();
    answer_and_close(400);
}

void Session::dispatch() {
    busy_ = true;
    auto message = parser_->release();
    auto request = std::make_shared<ServerRequest>();
    request->method.assign(message.method_string().data(), message.method_string().size());
    request->target.assign(message.target().data(), message.target().size());
    for (const auto& field : message)
        request->headers.add(std::string(field.name_string()), std::string(field.value()));
    request->body = std::move(message.body());
    Failed failed;
    request->peer = socket_.remote_endpoint(failed).address().to_string();
    {
        std::lock_guard lock(mutex_);
        last_ = keep_ = false;
        then_ = nullptr;
    }
    auto answer = std::make_shared<Answer>(shared_from_this(), *request, message.keep_alive(),
                                           message.version() >= 11);
    watch();
    if (!shared_->crew) return;
    shared_->crew->run([shared = shared_, request, answer = std::move(answer)]() mutable {
        try {
            shared->handler(std::move(*request), std::move(answer));
        } catch (...) { // the answer's end says 500
        }
    });
}

/// While a request is being answered, a read is how one learns that the client hung up.
void Session::watch() {
    if (watching_ || buffer_.size() > 0) return;
    watching_ = true;
    socket_.async_read_some(buffer_.prepare(4096),
                            [self = shared_from_this()](Failed failed, std::size_t n) {
                                self->watching_ = false;
                                if (failed) return self->close();
                                self->buffer_.commit(n);
                                if (!self->busy_)
                                    self->read_head(self->shared_->limits.request_timeout);
                            });
}

Status Session::send(std::string bytes, bool last, bool keep) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return gone_ || queue_.size() < shared_->limits.queue_bytes; });
    if (gone_) return not_done("client_gone", "the client hung up");
    queue_.append(bytes);
    last_ = last;
    keep_ = keep;
    lock.unlock();
    post([self = shared_from_this()] { self->flush(); });
    return {};
}

void Session::flush() {
    if (writing_) return;
    {
        std::lock_guard lock(mutex_);
        if (gone_) return;
        out_ = std::exchange(queue_, {});
    }
    if (out_.empty()) return ended();
    writing_ = true;
    arm(write_timer_, shared_->limits.write_timeout);
    asio::async_write(
        socket_, asio::buffer(out_),
        [self = shared_from_this()](Failed failed, std::size_t) { self->written(failed); });
}

void Session::written(Failed failed) {
    writing_ = false;
    write_timer_.cancel();
    if (failed) return close();
    room_.notify_all();
    flush();
}

/// Everything queued is written: was it the end of the response?
void Session::ended() {
    bool keep = false;
    {
        std::lock_guard lock(mutex_);
        if (!last_ || !busy_) return;
        keep = keep_;
        last_ = false;
    }
    if (!keep) return close();
    busy_ = false;
    if (buffer_.size() > 0) return read_head(shared_->limits.idle_timeout);
    arm(read_timer_, shared_->limits.idle_timeout);
    watch();
}

void Session::answer_and_close(int status) {
    auto head = head_text(status, {{"Content-Length", "0"}}, false);
    busy_ = true;
    if (head) (void)send(*head, true, false);
}

void Session::close() {
    std::function<void()> then;
    {
        std::lock_guard lock(mutex_);
        gone_ = true;
        then = std::exchange(then_, nullptr);
    }
    room_.notify_all();
    read_timer_.cancel();
    write_timer_.cancel();
    Failed failed;
    socket_.shutdown(tcp::socket::shutdown_both, failed);
    socket_.close(failed);
    if (then) then();
}

void Session::cut() {
    {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return gone_ || queue_.empty(); }); // what was written is on its way
    }
    post([self = shared_from_this()] {
        if (!self->writing_) return self->close();
        std::lock_guard lock(self->mutex_);
        self->last_ = true;
        self->keep_ = false;
    });
}

bool Session::gone() const {
    std::lock_guard lock(mutex_);
    return gone_;
}

void Session::on_gone(std::function<void()> then) {
    {
        std::lock_guard lock(mutex_);
        if (!gone_) {
            then_ = std::move(then);
            return;
        }
    }
    then();
}

class BeastServer final : public Server {
public:
    BeastServer(std::shared_ptr<Shared> shared, tcp::acceptor acceptor)
        : shared_(std::move(shared)), acceptor_(std::move(acceptor)),
          endpoint_(acceptor_.local_endpoint()) {
        shared_->crew = crew_.get();
        accept();
        thread_ = std::thread([this] { shared_->io.run(); });
    }
    ~BeastServer() override {
        asio::post(shared_->io, [this] {
            shared_->crew = nullptr;
            Failed failed;
            acceptor_.close(failed);
            for (const auto& weak : std::exchange(sessions_, {}))
                if (const auto session = weak.lock()) session->close();
        });
        thread_.join(); // no work is left once every connection is closed
        crew_.reset();
        shared_->closed = true;
        // What handlers queued meanwhile holds its connection, which holds the queue.
        shared_->io.restart();
        shared_->io.poll();
    }
    std::uint16_t port() const override { return endpoint_.port(); }
    std::string origin() const override {
        const auto host = endpoint_.address().to_string();
        return "http://" + (endpoint_.address().is_v6() ? "[" + host + "]" : host) + ":" +
               std::to_string(port());
    }

private:
    void accept() {
        acceptor_.async_accept([this](Failed failed, tcp::socket socket) {
            if (!acceptor_.is_open()) return;
            if (!failed) welcome(std::move(socket));
            accept();
        });
    }
    void welcome(tcp::socket socket) {
        close_on_exec(socket.native_handle());
        Failed failed;
        socket.set_option(tcp::no_delay(true), failed);
        sessions_.remove_if([](const auto& weak) { return weak.expired(); });
        auto session = std::make_shared<Session>(shared_, std::move(socket));
        sessions_.push_back(session);
        if (sessions_.size() > shared_->limits.connections)
            session->refuse(503);
        else
            session->open();
    }

    std::shared_ptr<Shared> shared_;
    tcp::acceptor acceptor_;
    const tcp::endpoint endpoint_;
    std::list<std::weak_ptr<Session>> sessions_;
    std::thread thread_;
    std::unique_ptr<Crew> crew_ = std::make_unique<Crew>();
};

} // namespace

Result<std::unique_ptr<Server>> make_server(const std::string& address, std::uint16_t port,
                                            Handler handler, ServerLimits limits) {
    const auto refused = [&](const Failed& why) {
        return permanent("cannot_listen", "cannot listen on " + address + " port " +
                                              std::to_string(port) + ": " + why.message());
    };
    auto shared = std::make_shared<Shared>();
    shared->limits = limits;
    shared->handler = std::move(handler);
    Failed failed;
    const auto ip = asio::ip::make_address(address, failed);
    if (failed) return refused(failed);
    const tcp::endpoint endpoint(ip, port);
    tcp::acceptor acceptor(shared->io);
    if (acceptor.open(endpoint.protocol(), failed); failed) return refused(failed);
    close_on_exec(acceptor.native_handle());
    acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
    if (acceptor.bind(endpoint, failed); failed) return refused(failed);
    if (acceptor.listen(asio::socket_base::max_listen_connections, failed); failed)
        return refused(failed);
    return std::unique_ptr<Server>(
        std::make_unique<BeastServer>(std::move(shared), std::move(acceptor)));
}

} // namespace foxwedge::http
