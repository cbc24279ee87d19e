// Answers of the Messages API, streamed or whole, as the neutral message. Pure.
#pragma once
#include <string>
#include <vector>

#include <foxwedge/provider_kit/exchange.hpp>

namespace anthropic {

using foxwedge::plugin::Value;

class Decoder final : public provider_kit::Decoder {
public:
    /// `family`: what signatures of this answer stay valid for.
    Decoder(std::string family, provider_kit::Emit emit)
        : family_(std::move(family)), emit_(std::move(emit)) {}

    bool event(std::string_view type, std::string_view data) override;
    void whole(const Value& body) override;
    bool ended() const override { return ended_; }
    Value result() override;
    provider_kit::Complaint complaint(const Value& body) const override;

private:
    /// A content block while it grows: the vendor's own object, its input still as text.
    struct Block {
        Value raw;
        std::string text, input, signature;
        bool has_input = false;
    };
    void start(const Value& event);
    void delta(const Value& event);
    Block& block_at(const Value& event);
    void usage(const Value& usage);
    void preview(std::uint32_t event, Value payload) const;
    Value neutral(const Block&) const;

    std::string family_;
    provider_kit::Emit emit_;
    std::vector<Block> blocks_;
    Value usage_;
    std::string model_, id_, stop_;
    bool ended_ = false;
};

} // namespace anthropic
