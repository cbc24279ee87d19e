// What a host and a plugin box say to each other: frames over two pipes, numbers little-endian,
// both from the same build.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/result.hpp"
#include "contracts/call.hpp"
#include "plugin/backend.hpp"
#include "plugin/endpoint.hpp"

namespace foxwedge::plugin {

enum class FrameKind : std::uint8_t {
    // host → box
    open = 1,   ///< Opening
    call,       ///< Calling
    cancel,     ///< nothing
    reply,      ///< Answer to an `ask` or an `event` that wants one, or the end of an `http`
    http_head,  ///< JSON
    http_chunk, ///< bytes
    // box → host
    opened = 32, ///< Answer
    ended,       ///< Ended
    event,       ///< Happening
    ask,         ///< Asking
    http,        ///< Requesting
    http_taken,  ///< number: bytes of the body that the plugin has taken
    http_stop,   ///< nothing
    log,         ///< number: level; text
};

/// `id` is the call's for open, call, cancel, ended, event and ask, else the number that the box
/// gave to its question.
struct Frame {
    FrameKind kind{};
    std::uint64_t id = 0;
    std::string body;
};

/// Appends values to a body.
class Packer {
public:
    template <class Number>
    Packer& number(Number n) {
        const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(n));
        for (int i = 0; i < 8; ++i) body_ += static_cast<char>(bits >> (8 * i));
        return *this;
    }
    Packer& text(std::string_view);
    Packer& error(const Error&);
    std::string take() { return std::move(body_); }

private:
    std::string body_;
};

/// Takes values off a body. After one that was not there all are zero or empty, and ok() is false.
class Unpacker {
public:
    explicit Unpacker(std::string_view body) : rest_(body) {}
    std::int64_t number();
    std::string text();
    Error error();
    bool ok() const { return ok_; }

private:
    std::string_view rest_;
    bool ok_ = true;
};

/// The frame as bytes.
std::string encoded(const Frame&);

/// Puts frames together from bytes as they come.
class FrameReader {
public:
    void feed(std::string_view bytes) { buffer_ += bytes; }
    /// The next whole frame; nothing while it is not here. Error `bad_frame` once and for all.
    Result<std::optional<Frame>> next();

private:
    std::string buffer_;
    std::size_t at_ = 0;
};

struct Opening {
    std::string library, digest_hex, plugin_id, kind, component, config;
    std::int64_t open_ms = 0, create_ms = 0;
    bool has_http = false;
};
std::string packed(const Opening&);
Opening opening_from(std::string_view);

struct Calling {
    Verb verb{};
    std::uint32_t placement = 0;
    std::string name, json, step_key;
    Scope scope;
    std::int64_t left_ms = -1; ///< -1: no deadline
};
std::string packed(const Calling&);
Calling calling_from(std::string_view);

std::string packed(const Ended&);
Ended ended_from(std::string_view);

std::string packed(const Result<std::string>&);
Result<std::string> answer_from(std::string_view);

struct Happening {
    std::uint64_t seq = 0; ///< 0: no answer is wanted
    std::uint32_t number = 0;
    std::string payload;
};
std::string packed(const Happening&);
Happening happening_from(std::string_view);

struct Asking {
    std::uint64_t seq = 0;
    Ask what{};
    std::string request;
};
std::string packed(const Asking&);
Asking asking_from(std::string_view);

struct Requesting {
    bool for_component = false; ///< with the component's own origins and secrets
    std::int64_t left_ms = -1;
    std::string request;
};
std::string packed(const Requesting&);
Requesting requesting_from(std::string_view);

} // namespace foxwedge::plugin
