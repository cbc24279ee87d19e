#include "mcp/http_sessions.hpp"

#include <algorithm>
#include <charconv>

#include "base/digest.hpp"
#include "base/id.hpp"

namespace foxwedge::mcp {
namespace {

/// Streams of one session whose events are kept for a client that comes back.
constexpr std::size_t kept_streams = 64;

/// Takes the number at the start of `text` and what separates it from the rest.
std::optional<std::size_t> take_number(std::string_view& text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(std::min(text.size(), static_cast<std::size_t>(end - text.data()) + 1));
    return number;
}

} // namespace

HttpSession::HttpSession(Service& service, const Seal& seal, std::string own_id, std::string whose)
    : id(std::move(own_id)), user(std::move(whose)),
      session(std::make_shared<ServerSession>(
          service, seal, SessionTraits{.user = user, .hands = Hands::callers})) {}

std::shared_ptr<HttpOutlet> HttpSession::keep(int number, std::shared_ptr<HttpOutlet> outlet) {
    for (auto each = streams_.begin(); each != streams_.end() && streams_.size() >= kept_streams;)
        each = each->second->done() ? streams_.erase(each) : std::next(each);
    return streams_[number] = std::move(outlet);
}

std::shared_ptr<HttpOutlet> HttpSession::outlet(std::shared_ptr<http::Responder> responder,
                                                int answers) {
    std::lock_guard lock(mutex_);
    const int number = next_stream_++;
    HttpOutlet::Traits traits{.id = std::to_string(number), .primed = primes(), .answers = answers};
    return keep(number, std::make_shared<HttpOutlet>(std::move(traits), std::move(responder)));
}

std::shared_ptr<HttpOutlet> HttpSession::announcements(std::shared_ptr<http::Responder> responder) {
    auto stream = outlet(std::move(responder), 0);
    session->announce_to(stream);
    stream->open();
    return stream;
}

std::shared_ptr<HttpOutlet> HttpSession::stream_of(std::string_view last_id,
                                                   std::size_t& number) const {
    const auto stream = take_number(last_id);
    const auto event = take_number(last_id);
    if (!stream || !event || !last_id.empty()) return nullptr;
    number = *event;
    std::lock_guard lock(mutex_);
    const auto found = streams_.find(static_cast<int>(*stream));
    return found == streams_.end() ? nullptr : found->second;
}

bool HttpSession::attended() const {
    std::lock_guard lock(mutex_);
    return std::any_of(streams_.begin(), streams_.end(),
                       [](const auto& each) { return each.second->attended(); });
}

void HttpSession::keep_alive() {
    std::vector<std::shared_ptr<HttpOutlet>> streams;
    {
        std::lock_guard lock(mutex_);
        for (const auto& [number, stream] : streams_) streams.push_back(stream);
    }
    for (const auto& stream : streams) stream->keep_alive();
}

std::shared_ptr<HttpSession> HttpSessions::open(Service& service, const Seal& seal,
                                                std::string user) {
    auto session =
        std::make_shared<HttpSession>(service, seal, to_hex(random_bytes(16)), std::move(user));
    std::shared_ptr<HttpSession> oldest; // ends outside of the lock
    std::lock_guard lock(mutex_);
    if (sessions_.size() >= most_) {
        const auto least =
            std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
                return a.second.used < b.second.used;
            });
        oldest = std::move(least->second.session);
        sessions_.erase(least);
    }
    sessions_[session->id] = {session, Clock::now()};
    return session;
}

std::shared_ptr<HttpSession> HttpSessions::find(std::string_view id, std::string_view user) {
    std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end() || found->second.session->user != user) return nullptr;
    found->second.used = Clock::now();
    return found->second.session;
}

bool HttpSessions::close(std::string_view id, std::string_view user) {
    std::shared_ptr<HttpSession> ended;
    {
        std::lock_guard lock(mutex_);
        const auto found = sessions_.find(id);
        if (found == sessions_.end() || found->second.session->user != user) return false;
        ended = std::move(found->second.session);
        sessions_.erase(found);
    }
    ended->session->leave();
    return true;
}

void HttpSessions::tend() {
    std::vector<std::shared_ptr<HttpSession>> unused, used;
    {
        std::lock_guard lock(mutex_);
        for (auto each = sessions_.begin(); each != sessions_.end();) {
            const bool old =
                Clock::now() - each->second.used > idle_ && !each->second.session->attended();
            (old ? unused : used).push_back(each->second.session);
            each = old ? sessions_.erase(each) : std::next(each);
        }
    }
    for (const auto& session : unused) session->session->leave();
    for (const auto& session : used) session->keep_alive();
}

void HttpSessions::close_all() {
    std::map<std::string, Kept, std::less<>> all;
    {
        std::lock_guard lock(mutex_);
        all.swap(sessions_);
    }
    for (const auto& [id, kept] : all) kept.session->session->leave();
}

} // namespace foxwedge::mcp
