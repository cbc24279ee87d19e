#include "compose/masked_source.hpp"

namespace foxwedge::compose {
namespace {

class MaskedSource final : public ToolSource {
public:
    MaskedSource(std::shared_ptr<ToolSource> inner, const Secrets& secrets)
        : inner_(std::move(inner)), secrets_(secrets) {}

    Result<ToolList> list(Call& call) override {
        auto listed = inner_->list(call);
        if (!listed) return masked(std::move(listed).error());
        if (!secrets_.any()) return listed;
        const auto text = to_text(to_json(*listed));
        auto clean = secrets_.masked(text);
        if (clean == text) return listed;
        FOXWEDGE_TRY(value, parse_json(clean));
        return tool_list_from_json(value);
    }

    Result<ToolResult> run(std::string_view name, std::string_view arguments, Call& call) override {
        auto result = inner_->run(name, arguments, call);
        if (!result) return masked(std::move(result).error());
        if (!secrets_.any()) return result;
        const auto text = to_text(to_json(*result));
        auto clean = secrets_.masked(text);
        if (clean == text) return result;
        FOXWEDGE_TRY(value, parse_json(clean));
        return tool_result_from_json(value);
    }

private:
    Error masked(Error error) const {
        error.message = secrets_.masked(error.message);
        error.details = secrets_.masked(error.details);
        return error;
    }

    const std::shared_ptr<ToolSource> inner_;
    const Secrets& secrets_;
};

} // namespace

std::shared_ptr<ToolSource> masked_source(std::shared_ptr<ToolSource> inner,
                                          const Secrets& secrets) {
    return std::make_shared<MaskedSource>(std::move(inner), secrets);
}

} // namespace foxwedge::compose
