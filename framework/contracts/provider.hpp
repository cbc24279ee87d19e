// A model service, as the agent loop sees it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "contracts/call.hpp"
#include "contracts/message.hpp"

namespace foxwedge {

enum class StructuredOutput : unsigned char {
    none,   ///< cannot constrain its answer
    final_, ///< only where no tools are offered
    always
};

/// What a provider says of itself; recorded with `<id>:tools`, so that replay derives the same
/// requests without it.
struct ProviderTraits {
    struct Model {
        std::string id;
        std::int64_t context_window = 0, max_output = 0;
    };
    std::vector<Model> models;
    bool native_transcript = true, tools = true, streaming = false, parallel_calls = true,
         reasoning_replay = false;
    StructuredOutput structured_output = StructuredOutput::none;
    std::string transcript_format; ///< from the descriptor
};
Json to_json(const ProviderTraits&);
Result<ProviderTraits> provider_traits_from_json(const Json&);

/// A tool as a model is told of it.
struct ToolForModel {
    std::string name, description;
    Json input_schema;
};

struct GenerateRequest {
    std::string model, system;
    std::vector<Message> messages;
    std::vector<ToolForModel> tools;
    Json tool_choice = "auto"; ///< "auto", "none", "required", {"name"}
    Json output;               ///< {"schema", "name"} or null
    std::optional<std::int64_t> max_tokens;
    std::optional<double> temperature;
    Json options; ///< the provider's own; null if none
    std::string idempotency_key;
};
Json to_json(const GenerateRequest&);
Result<GenerateRequest> generate_request_from_json(const Json&);

struct Generated {
    std::vector<Block> content;
    std::string stop; ///< "end", "tool_use", "length", "refusal", "content_filter", "pause"
    Usage usage;
    std::string model, response_id;
};
Json to_json(const Generated&);
Result<Generated> generated_from_json(const Json&);

/// Error codes are those of docs/agents ("Provider"): rate_limited, overloaded, timeout,
/// connection_lost, empty_response, unauthorized, invalid_request, context_window_exceeded,
/// refusal, output_truncated. Any thread, calls may overlap.
class Provider {
public:
    virtual ~Provider() = default;
    virtual Result<ProviderTraits> describe(Call&) = 0;
    virtual Result<Generated> generate(const GenerateRequest&, Call&) = 0;
    /// How many tokens the request would be. Error `unsupported` where the service does not tell.
    virtual Result<std::int64_t> count_tokens(const GenerateRequest&, Call&) {
        return permanent("unsupported", "this provider counts no tokens");
    }
};

} // namespace foxwedge
