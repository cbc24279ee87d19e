#include "mcp/http_link.hpp"
#include "mcp/opener.hpp"

namespace foxwedge::mcp {
namespace {

class HttpOpener final : public Opener {
public:
    HttpOpener(const ServerSpec& spec, const Surroundings& around) : spec_(spec), around_(around) {}

    Result<std::shared_ptr<Connection>> open() override {
        if (!around_.http)
            return permanent("unsupported", "this host has no HTTP client for MCP servers");
        return std::shared_ptr<Connection>(
            std::make_shared<HttpLink>(spec_, HttpSetup{around_.http, around_.limits, around_.log,
                                                        around_.masker, around_.tap}));
    }
    bool reopens() const override { return false; }

private:
    const ServerSpec& spec_;
    const Surroundings around_;
};

} // namespace

std::unique_ptr<Opener> open_by_http(const ServerSpec& spec, const Surroundings& around) {
    return std::make_unique<HttpOpener>(spec, around);
}

} // namespace foxwedge::mcp
