#include "plugin/box_wire.hpp"

namespace foxwedge::plugin {
namespace {

constexpr std::size_t head_bytes = 4 + 1 + 8;
constexpr std::uint32_t longest_frame = 256u << 20;

std::uint64_t number_at(std::string_view bytes, std::size_t at, int count) {
    std::uint64_t n = 0;
    for (int i = 0; i < count; ++i)
        n |= std::uint64_t{static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])}
             << (8 * i);
    return n;
}

void append_number(std::string& out, std::uint64_t n, int count) {
    for (int i = 0; i < count; ++i) out += static_cast<char>(n >> (8 * i));
}

} // namespace

Packer& Packer::text(std::string_view text) {
    append_number(body_, text.size(), 4);
    body_ += text;
    return *this;
}
Packer& Packer::error(const Error& error) {
    return text(error.code)
        .text(error.message)
        .number(static_cast<int>(error.certainty))
        .number(error.retry_after.count())
        .text(error.details);
}

std::int64_t Unpacker::number() {
    if (!ok_ || rest_.size() < 8) {
        ok_ = false;
        return 0;
    }
    const auto n = static_cast<std::int64_t>(number_at(rest_, 0, 8));
    rest_.remove_prefix(8);
    return n;
}
std::string Unpacker::text() {
    const auto size = ok_ && rest_.size() >= 4 ? number_at(rest_, 0, 4) : rest_.size();
    if (!ok_ || rest_.size() < 4 || size > rest_.size() - 4) {
        ok_ = false;
        return {};
    }
    std::string text(rest_.substr(4, size));
    rest_.remove_prefix(4 + size);
    return text;
}
Error Unpacker::error() {
    Error error;
    error.code = text();
    error.message = text();
    const auto certainty = number();
    if (certainty >= 0 && certainty <= static_cast<int>(Certainty::unknown))
        error.certainty = static_cast<Certainty>(certainty);
    error.retry_after = std::chrono::milliseconds(number());
    error.details = text();
    return error;
}

std::string encoded(const Frame& frame) {
    std::string out;
    out.reserve(head_bytes + frame.body.size());
    append_number(out, frame.body.size(), 4);
    out += static_cast<char>(frame.kind);
    append_number(out, frame.id, 8);
    return out + frame.body;
}

Result<std::optional<Frame>> FrameReader::next() {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    if (rest.size() < head_bytes) {
        buffer_.erase(0, at_);
        at_ = 0;
        return std::optional<Frame>();
    }
    const auto size = number_at(rest, 0, 4);
    if (size > longest_frame) return permanent("bad_frame", "a frame is too long");
    if (rest.size() - head_bytes < size) return std::optional<Frame>();
    Frame frame;
    frame.kind = static_cast<FrameKind>(rest[4]);
    frame.id = number_at(rest, 5, 8);
    frame.body = rest.substr(head_bytes, size);
    at_ += head_bytes + size;
    return std::optional(std::move(frame));
}

std::string packed(const Opening& o) {
    return Packer()
        .text(o.library)
        .text(o.digest_hex)
        .text(o.plugin_id)
        .text(o.kind)
        .text(o.component)
        .text(o.config)
        .number(o.open_ms)
        .number(o.create_ms)
        .number(o.has_http)
        .take();
}
Opening opening_from(std::string_view body) {
    Unpacker u(body);
    Opening o;
    for (auto* text : {&o.library, &o.digest_hex, &o.plugin_id, &o.kind, &o.component, &o.config})
        *text = u.text();
    o.open_ms = u.number();
    o.create_ms = u.number();
    o.has_http = u.number() != 0;
    return o;
}

std::string packed(const Calling& c) {
    Packer p;
    p.number(static_cast<int>(c.verb)).number(c.placement).number(c.left_ms);
    for (const auto* text : {&c.name, &c.json, &c.step_key, &c.scope.project, &c.scope.conversation,
                             &c.scope.run, &c.scope.agent, &c.scope.user})
        p.text(*text);
    return p.take();
}
Calling calling_from(std::string_view body) {
    Unpacker u(body);
    Calling c;
    c.verb = static_cast<Verb>(u.number());
    c.placement = static_cast<std::uint32_t>(u.number());
    c.left_ms = u.number();
    for (auto* text : {&c.name, &c.json, &c.step_key, &c.scope.project, &c.scope.conversation,
                       &c.scope.run, &c.scope.agent, &c.scope.user})
        *text = u.text();
    return c;
}

std::string packed(const Ended& e) {
    Packer p;
    p.number(e.status).text(e.result).text(e.broken);
    p.number(e.passed_on).number(e.by_host).number(e.overdue).number(e.said.has_value());
    if (e.said) p.error(*e.said);
    return p.take();
}
Ended ended_from(std::string_view body) {
    Unpacker u(body);
    Ended e;
    e.status = static_cast<foxwedge_status>(u.number());
    e.result = u.text();
    e.broken = u.text();
    e.passed_on = u.number() != 0;
    e.by_host = u.number() != 0;
    e.overdue = u.number() != 0;
    if (u.number() != 0) e.said = u.error();
    return e;
}

std::string packed(const Result<std::string>& answer) {
    Packer p;
    p.number(answer.ok());
    return answer ? p.text(*answer).take() : p.error(answer.error()).take();
}
Result<std::string> answer_from(std::string_view body) {
    Unpacker u(body);
    if (u.number() != 0) return u.text();
    return u.error();
}

std::string packed(const Happening& h) {
    return Packer().number(h.seq).number(h.number).text(h.payload).take();
}
Happening happening_from(std::string_view body) {
    Unpacker u(body);
    Happening h;
    h.seq = static_cast<std::uint64_t>(u.number());
    h.number = static_cast<std::uint32_t>(u.number());
    h.payload = u.text();
    return h;
}

std::string packed(const Asking& a) {
    return Packer().number(a.seq).number(static_cast<int>(a.what)).text(a.request).take();
}
Asking asking_from(std::string_view body) {
    Unpacker u(body);
    Asking a;
    a.seq = static_cast<std::uint64_t>(u.number());
    a.what = static_cast<Ask>(u.number());
    a.request = u.text();
    return a;
}

std::string packed(const Requesting& r) {
    return Packer().number(r.for_component).number(r.left_ms).text(r.request).take();
}
Requesting requesting_from(std::string_view body) {
    Unpacker u(body);
    Requesting r;
    r.for_component = u.number() != 0;
    r.left_ms = u.number();
    r.request = u.text();
    return r;
}

} // namespace foxwedge::plugin
