// Answers of generateContent, streamed or whole, as the neutral message. Pure.
#pragma once
#include <string>

#include <foxwedge/provider_kit/exchange.hpp>

namespace gemini {

using foxwedge::plugin::Value;

class Decoder final : public provider_kit::Decoder {
public:
    Decoder(std::string family, provider_kit::Emit emit)
        : family_(std::move(family)), emit_(std::move(emit)) {}

    bool event(std::string_view type, std::string_view data) override;
    /// A stream is a row of such bodies.
    void whole(const Value& body) override;
    bool ended() const override { return !finish_.empty() || !blocked_.empty(); }
    Value result() override;
    provider_kit::Complaint complaint(const Value& body) const override;

private:
    void part(const Value& part);
    void text(std::string_view type, const Value& part);
    void preview(std::uint32_t event, const Value& payload) const {
        if (emit_) emit_(event, payload);
    }

    std::string family_;
    provider_kit::Emit emit_;
    foxwedge::plugin::Array content_;
    Value usage_;
    std::string model_, id_, finish_, blocked_;
    std::size_t calls_ = 0;
    bool open_ = false; ///< the last block is a text that may go on
};

} // namespace gemini
