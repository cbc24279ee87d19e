#include "mcp/source.hpp"

namespace foxwedge::mcp {
namespace {

class McpToolSource final : public ToolSource {
public:
    explicit McpToolSource(std::shared_ptr<Client> client) : client_(std::move(client)) {}

    Result<ToolList> list(Call& call) override { return client_->discover(call.until); }

    Result<ToolResult> run(std::string_view name, std::string_view arguments_json,
                           Call& call) override {
        CallOptions options;
        options.until = call.until;
        options.idempotency_key = call.step_key;
        if (call.events)
            options.on_progress = [&](const Json& params) {
                JsonObject payload;
                for (const char* key : {"progress", "total", "message"})
                    if (const Json* value = member(params, key)) payload[key] = *value;
                (void)call.events->receive(EventKind::progress, to_text(Json(std::move(payload))));
            };
        return client_->call(name, arguments_json, options);
    }

private:
    const std::shared_ptr<Client> client_;
};

} // namespace

std::unique_ptr<ToolSource> tool_source(std::shared_ptr<Client> client) {
    return std::make_unique<McpToolSource>(std::move(client));
}

} // namespace foxwedge::mcp
