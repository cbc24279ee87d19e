// The door to libcurl: loaded by the first request, driven by one thread.
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <thread>

#include "http/curl_library.hpp"
#include "http/egress.hpp"
#include "http/exchange.hpp"

namespace foxwedge::http {
namespace {

std::optional<Address> address_of(const sockaddr& from) {
    if (from.sa_family == AF_INET) {
        std::uint8_t bytes[4];
        std::memcpy(bytes, &reinterpret_cast<const sockaddr_in&>(from).sin_addr, 4);
        return address_of_v4(bytes);
    }
    if (from.sa_family != AF_INET6) return {};
    Address address;
    std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in6&>(from).sin6_addr, 16);
    return address;
}

/// One easy handle with what it borrows.
struct Job {
    std::shared_ptr<Exchange> exchange;
    const Curl* curl = nullptr;
    CURL* easy = nullptr;
    curl_slist* fields = nullptr;
    HeadReader reader;
    bool head_given = false;
    bool proxied = false;
    std::optional<Error> broken; // why a callback ended it
    char words[CURL_ERROR_SIZE] = {};

    ~Job() {
        if (easy) curl->easy_cleanup(easy);
        if (fields) curl->slist_free_all(fields);
    }

    bool may_connect(const std::optional<Address>& address) {
        // A proxy resolves the name itself; its own address was chosen by the configuration.
        if (proxied || !exchange->request.may_connect) return true;
        Status allowed = permanent("egress_denied", "an address of an unknown kind is refused");
        if (address) allowed = exchange->request.may_connect(*address);
        if (!allowed) exchange->refuse(std::move(allowed).error());
        return allowed.ok();
    }
    void give_head() {
        if (head_given) return;
        head_given = true;
        exchange->set_head({reader.status(), reader.headers()});
    }
};

std::size_t on_header(char* data, std::size_t one, std::size_t count, void* user) {
    auto& job = *static_cast<Job*>(user);
    const std::string_view line(data, one * count);
    if (job.head_given) return line.size(); // trailers
    if (auto read = job.reader.line(line, job.exchange->request.head_bytes); !read) {
        job.broken = std::move(read).error();
        return 0;
    }
    const bool blank = line == "\r\n" || line == "\n";
    if (blank && job.reader.status() >= 200) job.give_head();
    return line.size();
}

std::size_t on_body(char* data, std::size_t one, std::size_t count, void* user) {
    auto& job = *static_cast<Job*>(user);
    job.give_head();
    return job.exchange->push({data, one * count}) ? one * count : CURL_WRITEFUNC_PAUSE;
}

curl_socket_t on_open_socket(void* user, curlsocktype, curl_sockaddr* where) {
    auto& job = *static_cast<Job*>(user);
    if (!job.may_connect(address_of(where->addr))) return CURL_SOCKET_BAD;
    // Close-on-exec: children of the host must not inherit connections.
    return socket(where->family, where->socktype | SOCK_CLOEXEC, where->protocol);
}

int on_about_to_send(void* user, char* primary_ip, char*, int, int) {
    auto& job = *static_cast<Job*>(user);
    // A connection used again was opened for somebody who may have had other rights.
    if (!job.may_connect(parse_address(primary_ip ? primary_ip : ""))) return CURL_PREREQFUNC_ABORT;
    // The library sends a request anew whose kept connection ended before the first byte came back;
    // but it may have been done, and only its caller knows whether it may be done twice.
    const auto& request = job.exchange->request;
    if (job.exchange->sending() && request.method != "GET" && request.method != "HEAD") {
        job.broken = unknown_outcome("connection_lost",
                                     request.url.origin() + ": the connection ended unanswered");
        return CURL_PREREQFUNC_ABORT;
    }
    job.exchange->set_sending();
    return CURL_PREREQFUNC_OK;
}

Error error_of(CURLcode code, const Job& job, const Curl& curl) {
    const auto& request = job.exchange->request;
    if (job.broken) return *job.broken;
    if (auto refused = job.exchange->refused(); refused && !job.exchange->sending())
        return *refused;
    const std::string words = job.words[0] ? job.words : curl.easy_strerror(code);
    const auto message = request.url.origin() + ": " + words;
    switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return permanent("tls_failed", message);
    case CURLE_SSL_CONNECT_ERROR:
        return not_done("tls_failed", message);
    case CURLE_OUT_OF_MEMORY:
        return not_done("out_of_memory", message);
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
        return permanent("invalid_url", message);
    default:
        break;
    }
    if (job.exchange->sending()) return unknown_outcome("connection_lost", message);
    return not_done("connect_failed", message);
}

enum class Wish { start, resume, cancel };

/// What callers want of the transfer thread. Shared with every transfer: one may be let go after
/// the transfers that it came from.
struct Inbox {
    std::mutex mutex;
    std::deque<std::pair<Wish, std::shared_ptr<Exchange>>> wishes;
    bool stopping = false;
    const Curl* curl = nullptr;
    CURLM* multi = nullptr; ///< null before the first request and after the end

    void post(Wish wish, std::shared_ptr<Exchange> exchange) {
        std::lock_guard lock(mutex);
        if (!multi) return;
        wishes.emplace_back(wish, std::move(exchange));
        curl->multi_wakeup(multi);
    }
};

class CurlTransfers final : public Transfers {
public:
    explicit CurlTransfers(CurlOptions options) : options_(std::move(options)) {}
    ~CurlTransfers() override;
    Result<std::unique_ptr<Transfer>> start(TransferRequest) override;

private:
    Status ensure_running();
    void run();
    bool serve_wishes();
    void begin(std::shared_ptr<Exchange>);
    void set_up(Job&) const;
    void end(Exchange*, Status);
    void give_up(Exchange*, std::string why);
    void collect();

    const CurlOptions options_;
    const Curl* curl_ = nullptr;
    CURLM* multi_ = nullptr;
    const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
    std::thread thread_;
    std::map<Exchange*, std::unique_ptr<Job>> jobs_; // the transfer thread's own
};

class CurlTransfer final : public Transfer {
public:
    CurlTransfer(std::shared_ptr<Inbox> inbox, std::shared_ptr<Exchange> exchange)
        : inbox_(std::move(inbox)), exchange_(std::move(exchange)) {}
    ~CurlTransfer() override { inbox_->post(Wish::cancel, exchange_); }
    Result<ResponseHead> head(const Until& until, Millis idle) override {
        return exchange_->head(until, idle);
    }
    Result<std::string> next(const Until& until, Millis idle) override {
        bool resume = false;
        auto bytes = exchange_->next(until, idle, resume);
        if (resume) inbox_->post(Wish::resume, exchange_);
        return bytes;
    }

private:
    const std::shared_ptr<Inbox> inbox_;
    const std::shared_ptr<Exchange> exchange_;
};

CurlTransfers::~CurlTransfers() {
    {
        std::lock_guard lock(inbox_->mutex);
        inbox_->stopping = true;
        if (multi_) curl_->multi_wakeup(multi_);
    }
    if (thread_.joinable()) thread_.join();
    std::unique_lock lock(inbox_->mutex);
    inbox_->multi = nullptr;
    const auto left = std::exchange(inbox_->wishes, {});
    lock.unlock();
    // What was asked for and never begun would be waited for without end.
    for (const auto& [wish, exchange] : left)
        if (wish == Wish::start)
            exchange->finish(not_done("cancelled", "the host is shutting down"));
    if (multi_) curl_->multi_cleanup(multi_);
}

Status CurlTransfers::ensure_running() {
    std::lock_guard lock(inbox_->mutex);
    if (multi_) return {};
    const auto& curl = the_curl();
    if (!curl) return curl.error();
    curl_ = &*curl;
    multi_ = curl_->multi_init();
    if (!multi_) return not_done("out_of_memory", "libcurl cannot make a transfer set");
    inbox_->curl = curl_;
    inbox_->multi = multi_;
    // Signals are the business of the host's own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return {};
}

Result<std::unique_ptr<Transfer>> CurlTransfers::start(TransferRequest request) {
    FOXWEDGE_CHECK(ensure_running());
    auto exchange = std::make_shared<Exchange>(std::move(request), options_.queue_bytes);
    inbox_->post(Wish::start, exchange);
    return std::unique_ptr<Transfer>(std::make_unique<CurlTransfer>(inbox_, std::move(exchange)));
}

void CurlTransfers::run() {
    while (serve_wishes()) {
        int running = 0;
        curl_->multi_perform(multi_, &running);
        collect();
        // The library shortens the wait to its own timers.
        curl_->multi_poll(multi_, nullptr, 0, 60000, nullptr);
    }
    while (!jobs_.empty()) give_up(jobs_.begin()->first, "the host is shutting down");
}

bool CurlTransfers::serve_wishes() {
    while (true) {
        std::unique_lock lock(inbox_->mutex);
        if (inbox_->stopping) return false;
        if (inbox_->wishes.empty()) return true;
        auto [wish, exchange] = std::move(inbox_->wishes.front());
        inbox_->wishes.pop_front();
        lock.unlock();
        const auto job = jobs_.find(exchange.get());
        if (wish == Wish::start)
            begin(std::move(exchange));
        else if (job == jobs_.end())
            continue;
        else if (wish == Wish::resume)
            curl_->easy_pause(job->second->easy, CURLPAUSE_CONT);
        else
            give_up(exchange.get(), "the request was given up");
    }
}

void CurlTransfers::begin(std::shared_ptr<Exchange> exchange) {
    auto job = std::make_unique<Job>();
    job->exchange = exchange;
    job->curl = curl_;
    job->easy = curl_->easy_init();
    if (!job->easy)
        return exchange->finish(not_done("out_of_memory", "libcurl cannot make a transfer"));
    set_up(*job);
    curl_->multi_add_handle(multi_, job->easy);
    jobs_.emplace(exchange.get(), std::move(job));
}

void CurlTransfers::set_up(Job& job) const {
    const auto& request = job.exchange->request;
    const auto set = [&](CURLoption option, auto value) {
        curl_->easy_setopt(job.easy, option, value);
    };
    const auto url = request.url.text();
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_HTTP_VERSION, long(CURL_HTTP_VERSION_2TLS));
    set(CURLOPT_CONNECTTIMEOUT_MS, long(request.connect_timeout.count()));
    set(CURLOPT_ERRORBUFFER, job.words);
    // Decided here and not by the library: a connection that goes round the proxy is ours to judge.
    job.proxied = !options_.proxy.empty() &&
                  std::none_of(options_.no_proxy.begin(), options_.no_proxy.end(),
                               [&](const auto& entry) { return names(entry, request.url); });
    // "" also keeps the environment's away.
    set(CURLOPT_PROXY, job.proxied ? options_.proxy.c_str() : "");
    set(CURLOPT_NOPROXY, "");
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (!options_.ca_file.empty()) set(CURLOPT_CAINFO, options_.ca_file.c_str());

    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (request.method == "HEAD") set(CURLOPT_NOBODY, 1L);
    const bool may_have_body = request.method != "GET" && request.method != "HEAD";
    if (!request.body.empty() || may_have_body) {
        set(CURLOPT_POSTFIELDS, request.body.data());
        set(CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.size()));
    }
    const auto add = [&](const std::string& line) {
        job.fields = curl_->slist_append(job.fields, line.c_str());
    };
    bool has_type = false, has_agent = false;
    for (const auto& f : request.fields) {
        has_type = has_type || same_name(f.name, "content-type");
        has_agent = has_agent || same_name(f.name, "user-agent");
        add(f.value.empty() ? f.name + ";" : f.name + ": " + f.value);
    }
    // What the library would add by itself and nobody asked for.
    if (!has_type) add("Content-Type:");
    add("Expect:");
    if (!has_agent) add("User-Agent: " + options_.user_agent);
    set(CURLOPT_HTTPHEADER, job.fields);

    set(CURLOPT_HEADERFUNCTION, on_header);
    set(CURLOPT_HEADERDATA, &job);
    set(CURLOPT_WRITEFUNCTION, on_body);
    set(CURLOPT_WRITEDATA, &job);
    set(CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
    set(CURLOPT_OPENSOCKETDATA, &job);
    set(CURLOPT_PREREQFUNCTION, on_about_to_send);
    set(CURLOPT_PREREQDATA, &job);
}

void CurlTransfers::end(Exchange* exchange, Status status) {
    const auto job = jobs_.find(exchange);
    curl_->multi_remove_handle(multi_, job->second->easy);
    exchange->finish(std::move(status));
    jobs_.erase(job);
}

void CurlTransfers::give_up(Exchange* exchange, std::string why) {
    const auto certainty = exchange->sending() ? Certainty::unknown : Certainty::not_done;
    end(exchange, Error{"cancelled", std::move(why), certainty, {}, {}});
}

void CurlTransfers::collect() {
    int left = 0;
    while (const auto* message = curl_->multi_info_read(multi_, &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
            return entry.second->easy == message->easy_handle;
        });
        if (found == jobs_.end()) continue;
        const auto code = message->data.result;
        if (code == CURLE_OK) {
            found->second->give_head();
            end(found->first, {});
        } else {
            end(found->first, error_of(code, *found->second, *curl_));
        }
    }
}

} // namespace

std::unique_ptr<Transfers> make_curl_transfers(CurlOptions options) {
    return std::make_unique<CurlTransfers>(std::move(options));
}

} // namespace foxwedge::http
