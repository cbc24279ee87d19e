// run, resume, replay, approvals approve|reject|…: what executes.
#include "base/text.hpp"
#include "compose/host.hpp"
#include "hosts.hpp"
#include "output.hpp"
#include "run/tree.hpp"
#include "session.hpp"
#include "standing.hpp"

namespace foxwedge::cli {
namespace {

void note_who_goes_on(const std::string& run) {
    note("  foxwedge resume " + run + "   (unless a dispatcher serves this journal)");
}

int print_detached(const Globals& globals, const std::string& run) {
    print(globals.json ? to_text(JsonObject{{"run", run}, {"status", "ready"}}) : run);
    if (!globals.json) note_who_goes_on(run);
    return succeeded;
}

} // namespace

int run(const Globals& globals, const RunArgs& args) {
    auto host = host_of_file(globals, args.config, args.sets);
    if (!host) return report(globals, host.error());
    auto name = (*host)->resolve_name(args.name);
    if (!name) return report(globals, name.error());
    compose::StartRequest request{*name,
                                  "",
                                  std::nullopt,
                                  args.key,
                                  args.conversation,
                                  args.user.empty() ? os_user() : args.user};
    if (!args.input.empty()) {
        auto input = json_argument(args.input);
        if (!input) return report(globals, input.error());
        request.input_json = *input;
    }
    if (!args.prompt.empty()) request.prompt = args.prompt;
    auto started = (*host)->start(request);
    if (!started) return report(globals, started.error());
    if (args.detach) return print_detached(globals, started->run);
    if (started->existed) {
        auto head = (*host)->engine().head(started->run);
        if (!head) return report(globals, head.error());
        note("this key's run is " + started->run + ", " + to_string(head->status));
        if (is_final(head->status) && head->result) {
            const auto finished = run::finished_of(*head);
            return print_finish(globals, (*host)->engine(), started->run, finished);
        }
    }
    return run_in_foreground(globals, **host, started->run);
}

namespace {

/// --config names the journal to other commands, here a changed configuration as well.
Globals with_journal_of(const Globals& globals, const std::string& config) {
    Globals where = globals;
    if (!config.empty() && globals.journal.empty()) where.config = config;
    return where;
}

/// A run that ended early because of a budget or a cap: with more of it, it goes on.
bool stopped_early(const journal::RunHead& head) {
    if (head.status != journal::RunStatus::succeeded || !head.result) return false;
    const auto value = parse_json(head.result->value_json);
    const auto reason = value ? string_member(*value, "stopReason").value_or("") : "";
    return reason == "budget" || reason == "max-iterations" || reason == "approval-budget";
}

bool can_be_retried(const journal::RunHead& head) {
    return head.status == journal::RunStatus::failed || head.status == journal::RunStatus::stuck;
}

/// What can still be done with a run that has ended.
std::string way_past(const journal::RunHead& head) {
    return head.status == journal::RunStatus::failed
               ? "; foxwedge resume " + head.id + " --retry tries the failed step again"
               : "; foxwedge fork " + head.id +
                     " --at STEP begins a new run with what it has on record";
}

} // namespace

int resume(const Globals& globals, const ResumeArgs& args) {
    auto found = find_run(with_journal_of(globals, args.config), args.run);
    if (!found) return report(globals, found.error());
    const auto head = found->head;
    if (args.retry && !can_be_retried(head))
        return report(globals,
                      permanent("not_failed", "run " + head.id + " is " + to_string(head.status) +
                                                  "; only a failed or stuck run can be retried"));
    auto host = host_of_changed_run(globals, *found, args.config, args.sets);
    if (!host) return report(globals, host.error());
    const bool ended = is_final(head.status) && !args.retry;
    if (ended && !stopped_early(head) && !args.sets.empty())
        return report(globals, permanent("usage", "run " + head.id + " has ended: " +
                                                      to_string(head.status) + way_past(head)));
    if (!ended || stopped_early(head)) {
        // Opening is what revives a run: what refuses it comes first, or it would be left ready.
        if (auto able = (*host)->can_execute(head.id); !able) return report(globals, able.error());
        const bool reopen = args.retry || stopped_early(head);
        // The host is made of what is in force: only a child may have to take over from its tree.
        const bool same = args.config.empty() && args.sets.empty() && head.parent.empty();
        auto changes = same ? Result<std::vector<std::string>>(std::vector<std::string>())
                            : (*host)->change_configuration(head.id, reopen);
        if (!changes) return report(globals, changes.error());
        if (!changes->empty()) note("changed from here on: " + join(*changes, ", "));
    }
    const int exit = run_in_foreground(globals, **host, head.id, {args.take_over, args.retry});
    if (exit == held && !globals.json)
        note("  wait until it is done, or end the run with foxwedge cancel " + head.id +
             "; --take-over takes it from a process that has hung");
    return exit;
}

int fork(const Globals& globals, const ForkArgs& args) {
    auto found = find_run(with_journal_of(globals, args.config), args.run);
    if (!found) return report(globals, found.error());
    compose::ForkRequest request{found->head.id, args.at, std::nullopt};
    if (!args.output.empty()) {
        auto output = json_argument(args.output);
        if (!output) return report(globals, output.error());
        request.output = *output;
    }
    auto host = host_of_changed_run(globals, *found, args.config, {});
    if (!host) return report(globals, host.error());
    auto run = (*host)->fork(request);
    if (!run) return report(globals, run.error());
    if (args.detach) return print_detached(globals, *run);
    note("forked as " + *run);
    return run_in_foreground(globals, **host, *run);
}

namespace {

std::string in_short(const Json& value) {
    if (value.is_null()) return "nothing";
    const bool text = value.is_string();
    return shortened(text ? std::string(view(value.get_string())) : to_text(value), 120);
}

void print_rehearsal(const compose::Rehearsal& rehearsal) {
    if (rehearsal.differences.empty()) {
        print(rehearsal.run + "  " + inked("the same", Ink::green));
        return;
    }
    print(rehearsal.run + "  " + inked("differs", Ink::yellow));
    for (const auto& one : rehearsal.differences) {
        print("  " + one.what);
        if (one.what != "not recorded") print("    before  " + in_short(one.before));
        print("    now     " + in_short(one.after));
    }
}

/// 0 if every run came out the same, else as a replay that differs.
int rehearse(const Globals& globals, const ReplayArgs& args) {
    int worst = succeeded;
    for (const auto& wanted : args.runs) {
        auto found = find_run(with_journal_of(globals, args.config), wanted);
        if (!found) return report(globals, found.error());
        const auto id = found->head.id;
        auto host = host_of_changed_run(globals, *found, args.config, {});
        if (!host) return report(globals, host.error());
        auto rehearsal = (*host)->rehearse(id);
        if (!rehearsal) return report(globals, rehearsal.error());
        if (!rehearsal->differences.empty()) worst = mismatch;
        if (globals.json)
            print(to_text(to_json(*rehearsal)));
        else
            print_rehearsal(*rehearsal);
    }
    return worst;
}

} // namespace

int replay(const Globals& globals, const ReplayArgs& args) {
    if (!args.config.empty()) return rehearse(globals, args);
    int worst = succeeded;
    for (const auto& wanted : args.runs) {
        auto found = find_run(globals, wanted);
        if (!found) return report(globals, found.error());
        std::size_t steps = 0;
        auto finished =
            compose::replay(*found->journal.engine, found->head.id, [&](const run::Event& event) {
                steps += event.kind == run::Event::Kind::step_replayed;
            });
        if (!finished) return report(globals, finished.error());
        const bool same =
            finished->how != run::Ended::replay_mismatch &&
            (!found->head.result ||
             (finished->outcome.value_json == found->head.result->value_json &&
              finished->outcome.error.has_value() == found->head.result->error.has_value()));
        if (!same) worst = mismatch;
        if (globals.json) {
            JsonObject out{{"run", found->head.id}, {"identical", same}, {"steps", steps}};
            if (finished->error)
                out["error"] = JsonObject{{"code", finished->error->code},
                                          {"message", finished->error->message}};
            print(to_text(out));
        } else if (same) {
            print(found->head.id + "  " + inked("identical", Ink::green) + "  " +
                  std::to_string(steps) + " steps, nothing contacted" +
                  (is_final(found->head.status) ? "" : "; the run has not ended yet"));
        } else {
            print(found->head.id + "  " + inked("differs", Ink::red) + "  " +
                  (finished->error ? finished->error->message
                                   : "another final value: " + finished->outcome.value_json));
        }
    }
    return worst;
}

int decide(const Globals& globals, const DecideArgs& args) {
    auto found = find_gate(globals, args.gate);
    if (!found) return report(globals, found.error());
    journal::Answer answer{found->gate.id, found->gate.digest,   args.answer, "",
                           args.reason,    decided_by(args.user)};
    if (!args.payload.empty()) {
        auto payload = json_argument(args.payload);
        if (!payload) return report(globals, payload.error());
        answer.payload_json = *payload;
        // Taken as it is it would count as a denial, which nobody meant.
        if (args.answer == "edit" && answer.payload_json.front() != '{')
            return report(globals, permanent("usage", "the new arguments must be a JSON object"));
    }
    if (auto possible = check_always(args, found->gate); !possible)
        return report(globals, possible.error());
    auto decided = found->journal.engine->answer(answer);
    if (!decided) return report(globals, decided.error());
    if (auto kept = keep_standing(*found->journal.engine, args, *decided); !kept)
        return report(globals, kept.error());
    const auto root = decided->root;
    if (!args.resume) {
        if (globals.json) {
            print(
                to_text(JsonObject{{"gate", decided->id}, {"run", root}, {"answer", args.answer}}));
        } else {
            note("recorded: " + args.answer);
            note_who_goes_on(root);
        }
        return succeeded;
    }
    auto head = found->journal.engine->head(root);
    if (!head) return report(globals, head.error());
    FoundRun run{std::move(found->journal), std::move(*head)};
    auto host = host_of_run(globals, run);
    if (!host) return report(globals, host.error());
    return run_in_foreground(globals, **host, root);
}

int tools(const Globals& globals, const std::string& path) {
    auto host = host_of_file(globals, path);
    if (!host) return report(globals, host.error());
    const auto manifest = (*host)->manifest();
    print(globals.json ? to_text(manifest) : to_pretty_text(manifest));
    return succeeded;
}

} // namespace foxwedge::cli
