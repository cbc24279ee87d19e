// Server-sent events for providers: bytes cut anywhere become (event, data) pairs.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "../call.hpp"

namespace provider_kit {

/// Bytes are framed into lines first and read as text afterwards, so that a character cut in two is
/// whole again. Comments, ids and retry times are for clients that reconnect; a model's answer is
/// asked for once.
class SseReader {
public:
    static constexpr std::size_t most_bytes = 64 * 1024 * 1024; ///< of one event

    /// Gives each event that `bytes` completes to `take(std::string_view event, std::string data)`.
    template <class Take>
    void feed(std::string_view bytes, Take&& take) {
        for (; !bytes.empty();) {
            if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
            after_cr_ = false;
            const auto end = bytes.find_first_of("\r\n");
            line_.append(bytes.substr(0, end));
            if (line_.size() + data_.size() > most_bytes)
                throw foxwedge::plugin::Failure(FOXWEDGE_E_UNKNOWN, "connection_lost",
                                                "the provider sent an event without end");
            if (end == bytes.npos) return;
            after_cr_ = bytes[end] == '\r';
            bytes.remove_prefix(end + 1);
            line(take);
        }
    }
    /// The stream is over: some servers leave out the blank line after the last event.
    template <class Take>
    void finish(Take&& take) {
        if (!line_.empty()) line(take);
        dispatch(take);
    }

private:
    template <class Take>
    void line(Take& take) {
        std::string_view text = line_;
        if (std::exchange(first_, false) && text.substr(0, 3) == "\xEF\xBB\xBF")
            text.remove_prefix(3);
        if (text.empty()) {
            dispatch(take);
        } else if (const auto colon = text.find(':'); colon != 0) {
            auto value = colon == text.npos ? std::string_view{} : text.substr(colon + 1);
            if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
            field(text.substr(0, colon), value);
        }
        line_.clear();
    }
    void field(std::string_view name, std::string_view value) {
        if (name == "event") event_ = value;
        if (name != "data") return;
        if (has_data_) data_ += '\n';
        data_ += value;
        has_data_ = true;
    }
    template <class Take>
    void dispatch(Take& take) {
        const auto event = std::exchange(event_, {});
        auto data = std::exchange(data_, {});
        if (std::exchange(has_data_, false)) take(std::string_view(event), std::move(data));
    }

    std::string line_, event_, data_;
    bool first_ = true, has_data_ = false, after_cr_ = false;
};

} // namespace provider_kit
