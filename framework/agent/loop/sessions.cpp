#include "agent/loop/sessions.hpp"

#include "agent/calls/freeze.hpp"

namespace foxwedge::agent {
namespace {

/// The newest configuration up to `last` that freezes tools anew; 0: those frozen at the start.
std::uint32_t tools_of(const Agent& pinned, std::uint32_t last) {
    for (std::uint32_t k = last; k > 0; --k)
        if (pinned.reconfigured.at(k - 1).tools_anew) return k;
    return 0;
}

Agent under(const Agent& pinned, std::uint32_t configuration) {
    Agent agent = pinned;
    agent.reconfigured.clear();
    if (configuration == 0) return agent;
    const Reconfigured& later = pinned.reconfigured.at(configuration - 1);
    agent.options = later.options;
    agent.budgets = later.budgets;
    return agent;
}

} // namespace

Sessions::Sessions(run::Run& run, std::string id, const Agent& pinned, std::vector<Tool> own,
                   World& world)
    : run_(run), id_(std::move(id)), pinned_(pinned), own_(std::move(own)), world_(world) {}

const AgentOptions& Sessions::options() const {
    const auto now = run_.configuration();
    return now == 0 ? pinned_.options : pinned_.reconfigured.at(now - 1).options;
}

Status Sessions::freeze(std::uint32_t configuration) {
    frozen_for_ = tools_of(pinned_, configuration);
    // A second list stands beside the first: its steps have names of their own.
    const std::string named = frozen_for_ == 0 ? id_ : id_ + "~" + std::to_string(frozen_for_);
    FOXWEDGE_TRY(servers, discover_all(run_, named, under(pinned_, configuration), world_));
    const auto now = run_.configuration(); // what was discovered may be on record from before
    FOXWEDGE_TRY(frozen, freeze_tools(run_, named, under(pinned_, now), own_, servers, world_));
    frozen_ = std::move(frozen);
    return {};
}

Result<std::unique_ptr<Session>> Sessions::make(std::uint32_t configuration) {
    agent_ = std::make_unique<Agent>(under(pinned_, configuration));
    Frozen frozen = *frozen_;
    for (std::uint32_t k = configuration; k > frozen_for_; --k) {
        const auto& traits = pinned_.reconfigured.at(k - 1).traits;
        if (!traits) continue;
        frozen.table.provider = provider_name(*agent_, world_);
        frozen.table.traits = *traits;
        frozen.table.model = agent_->options.model;
        break;
    }
    return Session::make(run_, id_, *agent_, own_, std::move(frozen), world_);
}

Result<Session*> Sessions::switch_to(std::uint32_t configuration) {
    const auto before = std::exchange(agent_, nullptr); // the old session refers to it
    FOXWEDGE_TRY(made, make(configuration));
    if (session_) made->go_on_from(*session_);
    session_ = std::move(made);
    made_for_ = configuration;
    return session_.get();
}

Result<Session*> Sessions::current() {
    auto wanted = run_.configuration();
    if (session_ && wanted == made_for_) return session_.get();
    if (!frozen_ || tools_of(pinned_, wanted) != frozen_for_) {
        FOXWEDGE_CHECK(freeze(wanted));
        wanted = run_.configuration();
    }
    return switch_to(wanted);
}

Result<Session*> Sessions::within_turn() {
    const auto wanted = run_.configuration();
    if (wanted == made_for_ || tools_of(pinned_, wanted) != frozen_for_) return session_.get();
    return switch_to(wanted);
}

} // namespace foxwedge::agent
