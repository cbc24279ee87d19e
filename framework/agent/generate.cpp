#include "agent/generate.hpp"

#include "agent/loop/model_step.hpp"
#include "agent/names.hpp"
#include "agent/prompt.hpp"

namespace foxwedge::agent {
namespace {

/// A provider that can constrain its answer, where an answer in a shape is wanted.
class Checked final : public Provider {
public:
    explicit Checked(std::shared_ptr<Provider> inner) : inner_(std::move(inner)) {}
    Result<ProviderTraits> describe(Call& call) override { return inner_->describe(call); }
    Result<Generated> generate(const GenerateRequest& request, Call& call) override {
        FOXWEDGE_TRY(traits, inner_->describe(call));
        if (traits.structured_output == StructuredOutput::none)
            return permanent("output_unsupported", "the provider cannot constrain its answer");
        return inner_->generate(request, call);
    }

private:
    std::shared_ptr<Provider> inner_;
};

Result<std::shared_ptr<Provider>> provider_of(const GenerateOptions& options, World& world) {
    std::shared_ptr<Provider> found = options.instance;
    if (!found) {
        if (!world.provider) return permanent("unknown_provider", "this host has no providers");
        const std::string& name =
            options.provider.empty() ? world.default_provider : options.provider;
        FOXWEDGE_TRY(named, world.provider(name));
        found = std::move(named);
    }
    if (options.output.is_null()) return found;
    return std::shared_ptr<Provider>(std::make_shared<Checked>(std::move(found)));
}

Result<GenerateResult> generated(run::Run& run, std::string_view name,
                                 const GenerateOptions& options, World& world) {
    AgentOptions asked;
    asked.prompt = options.prompt;
    FOXWEDGE_TRY(task, task_of(asked, run.head().input_json));

    GenerateRequest request;
    request.model = options.model;
    if (request.model.empty() && world.model_of)
        request.model =
            world.model_of(options.provider.empty() ? world.default_provider : options.provider);
    request.system = options.instructions;
    request.messages = std::move(task);
    request.tool_choice = "none";
    if (!options.output.is_null())
        request.output = JsonObject{{"schema", options.output}, {"name", "answer"}};
    request.max_tokens = options.max_tokens;
    request.temperature = options.temperature;
    request.options = options.provider_options;

    ModelAsk ask;
    ask.name = name;
    ask.inputs = sha256(canonical_text(to_json(request)));
    ask.retry = options.retry.value_or(world.retry);
    ask.provider = [&] { return provider_of(options, world); };
    ask.request = [&]() -> Result<GenerateRequest*> { return &request; };
    ask.finish = [&](const Generated& answer, JsonObject&) -> Status {
        if (options.output.is_null() || parse_json(text_of(answer.content))) return {};
        Error error = permanent("output_not_json", "the model's answer is not JSON");
        error.certainty = Certainty::done_with_error;
        return error;
    };
    FOXWEDGE_TRY(said, model_step(run, ask, world));
    GenerateResult out;
    out.value = text_of(said.answer.content);
    if (!options.output.is_null()) {
        FOXWEDGE_TRY(value, parse_json(text_of(said.answer.content)));
        out.value = std::move(value);
    }
    out.answer = std::move(said.answer);
    return out;
}

} // namespace

Result<GenerateResult> generate(run::Run& run, std::string_view name,
                                const GenerateOptions& options, World& world) {
    FOXWEDGE_CHECK(check_id(name));
    return generated(run, name, options, world);
}

Result<GenerateResult> generate(TurnContext& turn, const GenerateOptions& options, World& world) {
    return generated(turn.run, turn.name, options, world);
}

} // namespace foxwedge::agent
