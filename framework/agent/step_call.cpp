#include "agent/step_call.hpp"

namespace foxwedge::agent {

Scope scope_of(const journal::RunHead& head, std::string_view agent, std::string_view project) {
    Scope scope;
    scope.project = project;
    scope.run = head.id;
    scope.agent = agent;
    scope.conversation = head.root.empty() ? head.id : head.root;
    if (head.labels_json.empty()) return scope;
    auto labels = parse_json(head.labels_json);
    if (!labels) return scope;
    if (auto text = string_member(*labels, "project")) scope.project = *text;
    if (auto text = string_member(*labels, "conversation"); text && !text->empty())
        scope.conversation = *text;
    if (auto text = string_member(*labels, "user")) scope.user = *text;
    return scope;
}

ContractCall::ContractCall(run::Run& run, run::StepCall& step, std::string step_name,
                           std::string_view agent, World& world, Access access)
    : world_(world), step_call_(step), run_(run.id()), step_(std::move(step_name)),
      attempt_(step.attempt()), stop_(step.until().stop),
      store_(world.store, scope_of(run.head(), agent, world.project), access == Access::writes),
      waits_(step, step_) {
    call_.until = step.until();
    call_.step_key = step.key();
    call_.scope = store_.scope();
    call_.events = this;
    call_.store = world.store ? &store_ : nullptr;
    call_.borrow = [&step] { step.lane().moves_here(); };
    if (access == Access::writes) call_.waits = &waits_; // only a tool may park
}

void ContractCall::may_ask(RunQuestions::Asker asker) {
    questions_.emplace(step_call_, step_, std::move(asker), world_);
    waits_.ask_through(*questions_);
}

bool ContractCall::receive(EventKind kind, std::string_view payload_json) {
    if (stop_.stop_requested()) return false;
    if (world_.events) {
        StepEvent event{run_, step_, attempt_, sent_.fetch_add(1), kind, std::string(payload_json)};
        world_.events(event);
    }
    return true;
}

} // namespace foxwedge::agent
