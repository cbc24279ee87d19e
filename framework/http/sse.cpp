#include "http/sse.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace foxwedge::http {

namespace {
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

Error too_large(std::size_t limit) {
    return permanent("event_too_large",
                     "a server-sent event is over " + std::to_string(limit) + " bytes");
}
} // namespace

Status SseReader::feed(std::string_view bytes, const std::function<Status(SseEvent)>& take) {
    // The mark may arrive in pieces; what only began like it is text after all.
    while (bom_seen_ < byte_order_mark.size() && !bytes.empty()) {
        if (bytes.front() == byte_order_mark[bom_seen_]) {
            bytes.remove_prefix(1);
            ++bom_seen_;
            continue;
        }
        line_.append(byte_order_mark.substr(0, bom_seen_));
        bom_seen_ = byte_order_mark.size();
    }
    while (!bytes.empty()) {
        if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
        after_cr_ = false;
        const auto end = bytes.find_first_of("\r\n");
        const auto piece = bytes.substr(0, end);
        if (line_.size() + piece.size() > limits_.event_bytes)
            return too_large(limits_.event_bytes);
        if (end == bytes.npos) {
            line_.append(piece);
            return {};
        }
        after_cr_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        if (line_.empty()) {
            FOXWEDGE_CHECK(line(piece, take));
        } else {
            line_.append(piece);
            const auto whole = std::exchange(line_, {});
            FOXWEDGE_CHECK(line(whole, take));
        }
    }
    return {};
}

Status SseReader::line(std::string_view text, const std::function<Status(SseEvent)>& take) {
    if (text.empty()) return dispatch(take);
    const auto colon = text.find(':');
    if (colon == 0) return {}; // a comment keeps the connection open and says nothing
    auto value = colon == text.npos ? std::string_view{} : text.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (data_.size() + value.size() > limits_.event_bytes) return too_large(limits_.event_bytes);
    field(text.substr(0, colon), value);
    return {};
}

void SseReader::field(std::string_view name, std::string_view value) {
    if (name == "data") {
        if (has_data_) data_.push_back('\n');
        data_.append(value);
        has_data_ = true;
    } else if (name == "event") {
        type_ = to_utf8(value);
    } else if (name == "id") {
        if (value.find('\0') == value.npos) pending_id_ = to_utf8(value);
    } else if (name == "retry") {
        std::int64_t millis = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), millis);
        const bool digits =
            std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (error == std::errc{} && digits) retry_ = std::chrono::milliseconds(millis);
    }
}

Status SseReader::dispatch(const std::function<Status(SseEvent)>& take) {
    last_id_ = pending_id_;
    auto type = std::exchange(type_, {});
    auto data = std::exchange(data_, {});
    if (!std::exchange(has_data_, false)) return {};
    SseEvent event{type.empty() ? "message" : std::move(type), {}, last_id_};
    event.data = to_utf8(data, &event.repaired);
    return take(std::move(event));
}

void SseReader::reconnected() {
    line_.clear();
    data_.clear();
    type_.clear();
    pending_id_ = last_id_;
    bom_seen_ = 0;
    has_data_ = false;
    after_cr_ = false;
}

std::string to_sse_text(std::string_view type, std::string_view data, std::string_view id) {
    std::string out;
    if (!id.empty()) out.append("id: ").append(id).append("\n");
    if (!type.empty()) out.append("event: ").append(type).append("\n");
    std::size_t from = 0;
    while (true) {
        const auto end = data.find_first_of("\r\n", from);
        out.append("data: ").append(data.substr(from, end - from)).append("\n");
        if (end == data.npos) break;
        from = end + 1;
        if (data[end] == '\r' && from < data.size() && data[from] == '\n') ++from;
    }
    out.append("\n");
    return out;
}

} // namespace foxwedge::http
