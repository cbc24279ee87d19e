#include "journal/codec_parts.hpp"

#include <algorithm>
#include <array>

namespace foxwedge::journal {
namespace {

// Their order is part of the format: new ones go to the end. 0 is a kind that is not listed.
constexpr std::array<std::string_view, 13> kinds = {
    "",      "task",  "model",     "tool",    "gate",   "timer",    "child",
    "tools", "gates", "guardrail", "context", "signal", "container"};

} // namespace

void put_value(ByteWriter& w, std::string_view value, std::vector<Content>& contents, bool shared) {
    if (!shared || value.empty()) {
        w.number(value.size() << 1);
        w.raw(value);
        return;
    }
    const Digest digest = sha256(value);
    w.number(value.size() << 1 | 1);
    w.digest(digest);
    contents.push_back({digest, value});
}

bool get_value(ByteReader& r, ContentSource* source, std::string& into) {
    const std::uint64_t tag = r.number();
    if ((tag & 1) == 0) {
        into = r.raw(tag >> 1);
        return r.ok();
    }
    const Digest digest = r.digest();
    if (!r.ok()) return false;
    return !source || source->read(digest, tag >> 1, into);
}

void put_time(ByteWriter& w, Time t) {
    w.difference(t.time_since_epoch().count());
}
Time get_time(ByteReader& r) {
    return Time(Millis(r.difference()));
}

void put_key(ByteWriter& w, const StepKey& key) {
    w.text(key.lane);
    w.number(key.index);
    w.text(key.name);
    const auto known = std::find(kinds.begin() + 1, kinds.end(), key.kind);
    w.byte(known == kinds.end() ? 0 : static_cast<std::uint8_t>(known - kinds.begin()));
    if (known == kinds.end()) w.text(key.kind);
    w.digest(key.inputs);
}

void get_key(ByteReader& r, StepKey& key) {
    key.lane = r.text();
    key.index = static_cast<std::uint32_t>(r.number());
    key.name = r.text();
    const std::uint8_t kind = r.byte();
    if (kind >= kinds.size())
        r.fail();
    else
        key.kind = kind == 0 ? r.text() : kinds[kind];
    key.inputs = r.digest();
}

void put_error(ByteWriter& w, const Error& e) {
    w.text(e.code);
    w.text(e.message);
    w.byte(static_cast<std::uint8_t>(e.certainty));
    w.difference(e.retry_after.count());
    w.text(e.details);
}

Error get_error(ByteReader& r) {
    Error e;
    e.code = r.text();
    e.message = r.text();
    const std::uint8_t certainty = r.byte();
    if (certainty > static_cast<std::uint8_t>(Certainty::unknown))
        r.fail();
    else
        e.certainty = static_cast<Certainty>(certainty);
    e.retry_after = Millis(r.difference());
    e.details = r.text();
    return e;
}

void put_attempt(ByteWriter& w, const Attempt& a) {
    w.number(static_cast<std::uint64_t>(a.number) << 1 | (a.error ? 1 : 0));
    put_time(w, a.started);
    w.difference((a.ended - a.started).count());
    if (a.error) put_error(w, *a.error);
}

void get_attempt(ByteReader& r, Attempt& a) {
    const std::uint64_t tag = r.number();
    a.number = static_cast<int>(tag >> 1);
    a.started = get_time(r);
    a.ended = a.started + Millis(r.difference());
    if ((tag & 1) != 0) a.error = get_error(r);
}

void put_outcome(ByteWriter& w, const Outcome& o, std::vector<Content>& contents, bool shared) {
    w.byte(static_cast<std::uint8_t>((o.error ? 1 : 0) | (o.tool_error ? 2 : 0)));
    if (o.error) put_error(w, *o.error);
    put_value(w, o.value_json, contents, shared || o.value_json.size() >= shared_from);
}

bool get_outcome(ByteReader& r, ContentSource& source, Outcome& o) {
    const std::uint8_t flags = r.byte();
    if ((flags & 1) != 0) o.error = get_error(r);
    o.tool_error = (flags & 2) != 0;
    return get_value(r, &source, o.value_json) && r.ok();
}

void put_effect(ByteWriter& w, const Effect& e) {
    w.byte(static_cast<std::uint8_t>(e.kind));
    w.text(e.collection);
    w.text(e.key);
    w.text(e.value_json);
    w.text(e.add_json);
    w.number(e.expect ? *e.expect + 1 : 0);
}

Effect get_effect(ByteReader& r) {
    Effect e;
    const std::uint8_t kind = r.byte();
    if (kind > static_cast<std::uint8_t>(Effect::Kind::add))
        r.fail();
    else
        e.kind = static_cast<Effect::Kind>(kind);
    e.collection = r.text();
    e.key = r.text();
    e.value_json = r.text();
    e.add_json = r.text();
    if (const std::uint64_t expect = r.number(); expect > 0) e.expect = expect - 1;
    return e;
}

} // namespace foxwedge::journal
