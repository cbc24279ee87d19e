#include "compose/approvals.hpp"

#include "agent/step_call.hpp"

namespace foxwedge::compose {
namespace {

/// Who has used an approval is kept beside the data of plugins, where no plugin reaches: a plugin's
/// id has no dot.
constexpr std::string_view name_space = "foxwedge.approvals";
constexpr int page = 200;

bool is_approval_of(const journal::Gate& gate, std::string_view tool_id, const Digest& arguments) {
    if (gate.kind != "approval" || gate.digest != arguments) return false;
    const auto decision = parse_json(gate.decision_json);
    const auto about = parse_json(gate.about_json);
    return decision && about && string_member(*decision, "answer") == "approve" &&
           string_member(*about, "tool") == tool_id;
}

class JournalApprovals final : public agent::Approvals {
public:
    explicit JournalApprovals(std::shared_ptr<journal::Engine> engine)
        : engine_(std::move(engine)) {}

    Result<std::vector<journal::Gate>> approved(const Scope& scope, std::string_view tool_id,
                                                const Digest& arguments) override {
        journal::GateQuery query;
        query.kind = "approval";
        query.pending_only = false;
        query.limit = page;
        // A conversation without a name of its own is that of its root run.
        if (engine_->head(scope.conversation)) query.root = scope.conversation;
        std::vector<journal::Gate> found;
        for (;;) {
            FOXWEDGE_TRY(gates, engine_->gates(query));
            for (auto& gate : gates)
                if (is_approval_of(gate, tool_id, arguments) && is_of(gate, scope))
                    found.push_back(gate);
            if (gates.size() < static_cast<std::size_t>(page)) return found;
            query.after = gates.back().id;
        }
    }

    Result<bool> claim(std::string_view project, std::string_view run, std::string_view gate_step,
                       std::string_view by) override {
        const auto collection = journal::collection_name(name_space, "project", project);
        journal::Effect effect;
        effect.collection = collection;
        effect.key = std::string(run) + "/" + std::string(gate_step);
        effect.value_json = quoted(by);
        effect.expect = 0;
        FOXWEDGE_TRY(verdict, engine_->apply({&effect, 1}));
        if (verdict == journal::Verdict::recorded) return true;
        if (verdict != journal::Verdict::conflict)
            return not_done("journal_full", "the journal has no room to note who uses an approval");
        FOXWEDGE_TRY(held, engine_->get(collection, effect.key));
        return held && held->value_json == effect.value_json;
    }

private:
    /// True if the gate's run belongs to the scope's project and conversation.
    bool is_of(const journal::Gate& gate, const Scope& scope) const {
        const auto head = engine_->head(gate.run);
        if (!head) return false;
        const auto other = agent::scope_of(*head, "", scope.project);
        return other.project == scope.project && other.conversation == scope.conversation;
    }

    const std::shared_ptr<journal::Engine> engine_;
};

} // namespace

std::unique_ptr<agent::Approvals> journal_approvals(std::shared_ptr<journal::Engine> engine) {
    return std::make_unique<JournalApprovals>(std::move(engine));
}

} // namespace foxwedge::compose
