// Answers of the Responses API, streamed or whole, as the neutral message. Pure.
#pragma once
#include <string>

#include <foxwedge/provider_kit/exchange.hpp>

namespace openai {

using foxwedge::plugin::Value;

class ResponsesDecoder final : public provider_kit::Decoder {
public:
    ResponsesDecoder(std::string family, provider_kit::Emit emit)
        : family_(std::move(family)), emit_(std::move(emit)) {}

    bool event(std::string_view type, std::string_view data) override;
    /// The last event of a stream carries the same object as an answer that was not streamed.
    void whole(const Value& response) override;
    bool ended() const override { return ended_; }
    Value result() override;
    provider_kit::Complaint complaint(const Value& body) const override;

private:
    bool preview(std::string_view type, const Value& event) const;
    void message(const Value& item);
    void opaque(Value& block, std::string_view member, Value data) const;

    std::string family_;
    provider_kit::Emit emit_;
    foxwedge::plugin::Array items_; ///< finished ones, for servers whose last event lacks them
    foxwedge::plugin::Array content_;
    Value usage_;
    std::string model_, id_, status_, incomplete_;
    bool ended_ = false, calls_ = false, refused_ = false;
};

} // namespace openai
