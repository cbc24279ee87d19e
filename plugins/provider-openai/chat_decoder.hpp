// Answers of Chat Completions, from OpenAI and from those who speak its language roughly. Pure.
#pragma once
#include <string>

#include "tool_calls.hpp"
#include <foxwedge/provider_kit/exchange.hpp>

namespace openai {

class ChatDecoder final : public provider_kit::Decoder {
public:
    ChatDecoder(std::string family, provider_kit::Emit emit)
        : family_(std::move(family)), emit_(std::move(emit)) {}

    bool event(std::string_view type, std::string_view data) override;
    void whole(const Value& body) override;
    /// The finish reason ends an answer; `[DONE]` alone does too.
    bool ended() const override { return finished_ || done_; }
    Value result() override;
    provider_kit::Complaint complaint(const Value& body) const override;

private:
    bool message(const Value& message);
    bool content(const Value& content);
    bool text(std::string_view text);
    bool reasoning(std::string_view text, std::string_view field);
    void details(const Value& list);
    bool tool_call(const Value& piece);
    void usage(const Value& usage);
    void finish(const Value& choice);

    std::string family_;
    provider_kit::Emit emit_;
    std::string text_, reasoning_, reasoning_field_, refusal_, stop_, model_, id_;
    Value details_, usage_;
    ToolCalls calls_;
    bool finished_ = false, done_ = false;
};

/// {"prompt_tokens", …} as neutral usage; null if it is none.
Value usage_of(const Value& usage);
/// The words of an `error` object in OpenAI's envelope, or of its looser kin.
provider_kit::Complaint complaint_of(const Value& body);

} // namespace openai
