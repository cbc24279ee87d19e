#include "mcp/opener.hpp"
#include "mcp/stdio_link.hpp"

namespace foxwedge::mcp {
namespace {

class ChildOpener final : public Opener {
public:
    ChildOpener(const ServerSpec& spec, const Surroundings& around)
        : spec_(spec), around_(around) {}

    Result<std::shared_ptr<Connection>> open() override {
        process::Command command = spec_.command;
        if (spec_.resolve)
            for (auto& [name, value] : command.env) {
                FOXWEDGE_TRY(filled, spec_.resolve(value));
                value = filled;
            }
        FOXWEDGE_TRY(child, around_.children->start(command));
        LinkSetup setup{spec_.name,     around_.limits, around_.log,
                        around_.masker, spec_.roots,    around_.tap};
        return std::shared_ptr<Connection>(
            StdioLink::make(child, around_.children->loop(), std::move(setup)));
    }
    bool reopens() const override { return true; }

private:
    const ServerSpec& spec_;
    const Surroundings around_;
};

} // namespace

std::unique_ptr<Opener> open_by_child(const ServerSpec& spec, const Surroundings& around) {
    return std::make_unique<ChildOpener>(spec, around);
}

} // namespace foxwedge::mcp
