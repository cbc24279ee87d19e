// The command line: what can be said, with examples; each command lives in a file of its own.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <new>
#include <string>
#include <string_view>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/room.hpp"
#include "base/text.hpp"
#include "cli.hpp"
#include "completion.hpp"
#include "manual.hpp"
#include "output.hpp"
#include "session.hpp"
#include "streams.hpp"

namespace {

using namespace foxwedge::cli;

/// Adds a subcommand whose callback sets the exit code.
class Commands {
public:
    Commands(CLI::App& app, int& exit) : app_(app), exit_(exit) {}

    CLI::App* add(CLI::App* parent, const std::string& name, const std::string& what,
                  const std::string& examples, std::function<int()> action) {
        auto* command = (parent ? parent : &app_)->add_subcommand(name, what);
        if (!examples.empty()) command->footer("Examples:\n" + examples);
        if (action) command->callback([this, action = std::move(action)] { exit_ = action(); });
        return command;
    }

private:
    CLI::App& app_;
    int& exit_;
};

struct Args {
    Globals globals;
    RunArgs run;
    ResumeArgs resume;
    ForkArgs fork;
    ListArgs list;
    ShowArgs show;
    ReplayArgs replay;
    DecideArgs decide;
    RulesArgs rules;
    CallArgs call;
    McpArgs mcp;
    JournalArgs journal;
    PluginCheckArgs plugin_check;
    PluginNewArgs plugin_new;
    std::string one;
};

void add_run_commands(Commands& commands, Args& a) {
    auto* run =
        commands.add(nullptr, "run", "Run an agent or workflow of a config to its end",
                     "  foxwedge run support.json support --input @ticket.json\n"
                     "  foxwedge run support.json --prompt \"Where is order 7?\" --key ticket-7\n",
                     [&a] { return foxwedge::cli::run(a.globals, a.run); });
    run->add_option("config", a.run.config, "the config file")->required();
    run->add_option("name", a.run.name,
                    "the agent or workflow; may be left out if there is only one");
    run->add_option("--input", a.run.input, "JSON, @file, or - for standard input");
    run->add_option("--prompt", a.run.prompt, "the task, as text");
    run->add_option("--set", a.run.sets, "key=value: overrides a config value for this run");
    run->add_option("--key", a.run.key, "start key: the same key gives the same run");
    run->add_option("--conversation", a.run.conversation,
                    "scope of data and cards; default: the run");
    run->add_option("--user", a.run.user, "whose run it is; default: the OS user");
    run->add_flag("--detach", a.run.detach, "leave the run ready for a dispatcher");

    auto* resume = commands.add(nullptr, "resume", "Go on with a run that was interrupted or waits",
                                "  foxwedge resume 01JD\n  foxwedge resume 01JD --retry\n"
                                "  foxwedge resume 01JD --set budget.usd=5\n"
                                "  foxwedge resume 01JD --config changed.json\n",
                                [&a] { return foxwedge::cli::resume(a.globals, a.resume); });
    resume->add_option("run", a.resume.run, "run id, or the start of one")->required();
    resume->add_flag("--retry", a.resume.retry, "try a failed or stuck run again");
    resume->add_flag("--take-over", a.resume.take_over, "take it from an owner that is silent");
    resume->add_option("--config", a.resume.config,
                       "a changed config, in force for the steps to come");
    resume->add_option("--set", a.resume.sets, "key=value: overrides a config value from here on");

    auto* fork = commands.add(
        nullptr, "fork", "Begin a new run with what another one has on record before a step",
        "  foxwedge fork 01JD --at support:iter:2\n"
        "  foxwedge fork 01JD --at support:iter:2:tool:c1 --set-output '{\"found\": false}'\n"
        "  foxwedge fork 01JD --at support:iter:0 --config changed.json\n",
        [&a] { return foxwedge::cli::fork(a.globals, a.fork); });
    fork->add_option("run", a.fork.run, "run id, or the start of one")->required();
    fork->add_option("--at", a.fork.at, "name of the first step that is done anew")->required();
    fork->add_option("--set-output", a.fork.output,
                     "what that step is to have given, JSON or @file, instead of doing it");
    fork->add_option("--config", a.fork.config, "a changed config, in force from that step on");
    fork->add_flag("--detach", a.fork.detach, "leave the new run ready for a dispatcher");

    auto* cancel = commands.add(nullptr, "cancel", "End a run and all its children",
                                "  foxwedge cancel 01JD\n",
                                [&a] { return foxwedge::cli::cancel(a.globals, a.one); });
    cancel->add_option("run", a.one, "run id, or the start of one")->required();
}

void add_reading_commands(Commands& commands, Args& a) {
    auto* runs =
        commands.add(nullptr, "runs", "List runs, newest first",
                     "  foxwedge runs --status waiting\n  foxwedge runs --since 2h --json\n",
                     [&a] { return foxwedge::cli::runs(a.globals, a.list); });
    runs->add_option("--status", a.list.status,
                     "running, ready, waiting, succeeded, failed, cancelled, stuck");
    runs->add_option("--since", a.list.since, "a duration, as 2h");
    runs->add_option("--after", a.list.after, "the last id of the page before");
    runs->add_option("--limit", a.list.limit, "rows of a page")->check(CLI::Range(1, 200));

    auto* show = commands.add(nullptr, "show", "The timeline of a run",
                              "  foxwedge show 01JD\n  foxwedge show 01JD --follow\n"
                              "  foxwedge show 01JD --request support:iter:0\n",
                              [&a] { return foxwedge::cli::show(a.globals, a.show); });
    show->add_option("run", a.show.run, "run id, or the start of one")->required();
    show->add_flag("--follow", a.show.follow, "stay and print what happens until the run ends");
    show->add_flag("--steps", a.show.steps,
                   "the steps' whole names, as --request and fork take them");
    show->add_option("--request", a.show.request, "print the recorded value of one step");

    auto* replay = commands.add(nullptr, "replay", "Repeat runs from the journal alone and compare",
                                "  foxwedge replay 01JD\n"
                                "  foxwedge replay --config changed.json 01JD 01JE\n",
                                [&a] { return foxwedge::cli::replay(a.globals, a.replay); });
    replay->add_option("--config", a.replay.config,
                       "a changed config: rehearse the runs under it. Models are asked; tools and "
                       "questions are answered from the record, and what differs is shown");
    replay->add_option("run", a.replay.runs, "run ids, or the starts of them")->required();
}

void add_approval_commands(Commands& commands, Args& a) {
    auto* group =
        commands.add(nullptr, "approvals", "List and answer what waits for a person",
                     "  foxwedge approvals\n  foxwedge approvals approve 01JD --resume\n"
                     "  foxwedge approvals reject 01JD --reason \"too much\"\n"
                     "  foxwedge approvals edit 01JD '{\"orderId\": \"A-1001\", \"amount\": 20}'\n",
                     nullptr);
    group->require_subcommand(0, 1);
    group->callback([&a, group] {
        if (group->get_subcommands().empty()) a.one = "list";
    });
    commands.add(group, "list", "List what waits, oldest first",
                 "  foxwedge approvals list\n  foxwedge approvals list --json\n",
                 [&a] { return approvals(a.globals, a.list); });
    struct Word {
        const char *name, *what, *payload, *example;
    };
    for (const Word word :
         {Word{"approve", "Let the call run as it is", nullptr,
               "approve 01JD --resume\n"
               "  foxwedge approvals approve 01JD --always project --when 'args.amount < 50.0'"},
          Word{"reject", "Do not let it run; the model is told", nullptr,
               "reject 01JD --reason \"too much\" --resume"},
          Word{"edit", "Let it run with other arguments",
               "the arguments in full, in place of those shown: JSON or @file",
               "edit 01JD '{\"orderId\": \"A-1001\", \"amount\": 20}' --resume"},
          Word{"respond", "Answer in its place", "the result, JSON or @file",
               "respond 01JD '{\"status\": \"refunded by hand\"}'"},
          Word{"again", "Unknown outcome: run it again", nullptr, "again 01JD --resume"},
          Word{"use", "Unknown outcome: use this result", "the result, JSON or @file",
               "use 01JD '{\"refunded\": 20}' --resume"},
          Word{"giveUp", "Unknown outcome: let the run fail", nullptr, "giveUp 01JD"}}) {
        const auto example = std::string("  foxwedge approvals ") + word.example + "\n";
        auto* command = commands.add(group, word.name, word.what, example, [&a, word] {
            a.decide.answer = word.name;
            return decide(a.globals, a.decide);
        });
        command->add_option("id", a.decide.gate, "the question's id, or the start of it")
            ->required();
        if (word.payload)
            command->add_option("payload", a.decide.payload, word.payload)->required();
        command->add_option("--reason", a.decide.reason, "shown to the model and kept");
        command->add_option("--user", a.decide.user, "who decides; default: the OS user");
        command->add_flag("--resume", a.decide.resume, "go on with the run here");
        if (std::string_view(word.name) != "approve") continue;
        command
            ->add_option("--always", a.decide.always,
                         "approve later calls of this tool too: in this run, or in the project")
            ->check(CLI::IsMember({"run", "project"}));
        command->add_option("--when", a.decide.when,
                            "with --always: only calls for which this CEL condition holds");
    }
    auto* rules = commands.add(group, "rules", "List the approvals that stand, or revoke one",
                               "  foxwedge approvals rules\n"
                               "  foxwedge approvals rules --revoke 01JD\n",
                               [&a] { return approval_rules(a.globals, a.rules); });
    rules->add_option("--revoke", a.rules.revoke, "the rule's id, or the start of it");
}

/// For those who write plugins.
void add_plugin_making(Commands& commands, CLI::App* plugins, Args& a) {
    auto* check = commands.add(
        plugins, "check", "Hold a plugin to the contract, in a sealed process, and report",
        "  foxwedge plugins check capability-words.so\n"
        "  foxwedge plugins check provider-brook.so --answer recorded.json\n"
        "  foxwedge plugins check guardrail-rule.so --component-config '{\"rules\": []}'\n"
        "  foxwedge --json plugins check capability-words.so > report.json\n"
        "\nExits with 0 if the plugin conforms, 1 if it does not.",
        [&a] { return plugins_check(a.globals, a.plugin_check); });
    check->add_option("file", a.plugin_check.file, "the plugin file")->required();
    check->add_option("--component-config", a.plugin_check.configs,
                      "[ID=]JSON or [ID=]@FILE: the configuration of a component, or of all");
    check->add_option("--answer", a.plugin_check.answer,
                      "a provider's recorded response: {\"status\", \"headers\", \"body\"}");
    check->add_option("--seconds", a.plugin_check.seconds, "how long a call may take (5)")
        ->check(CLI::Range(1, 600));

    auto* fresh = commands.add(
        plugins, "new", "Write the project of a new plugin, with a test that runs it",
        "  foxwedge plugins new --kind capability --lang cpp words\n"
        "  foxwedge plugins new --kind provider --lang rust brook --folder ~/src/brook\n",
        [&a] { return plugins_new(a.globals, a.plugin_new); });
    fresh->add_option("name", a.plugin_new.name, "what its component is called: a-z, 0-9 and -")
        ->required();
    fresh->add_option("--kind", a.plugin_new.kind, "what it is")
        ->required()
        ->check(CLI::IsMember({"capability", "provider", "guardrail", "context-strategy"}));
    fresh->add_option("--lang", a.plugin_new.lang, "in which language")
        ->required()
        ->check(CLI::IsMember({"c", "cpp", "rust"}));
    fresh->add_option("--folder", a.plugin_new.folder, "where; default: ./<plugin id>");
}

void add_config_commands(Commands& commands, Args& a) {
    auto* tools_command = commands.add(
        nullptr, "tools", "What a config's agents can call; contacts nothing",
        "  foxwedge tools support.json\n", [&a] { return foxwedge::cli::tools(a.globals, a.one); });
    tools_command->add_option("config", a.one, "the config file")->required();

    auto* call_command = commands.add(nullptr, "call", "Run one tool by its id, as a durable run",
                                      "  foxwedge call support.json workflow-kv_kv_store "
                                      "'{\"action\": \"get\", \"key\": \"policy\"}'\n",
                                      [&a] { return foxwedge::cli::call(a.globals, a.call); });
    call_command->add_option("config", a.call.config, "the config file")->required();
    call_command->add_option("tool", a.call.tool, "tool id")->required();
    call_command->add_option("arguments", a.call.arguments, "JSON, @file, or -");
    call_command->add_option("--conversation", a.call.conversation, "scope of data");
    call_command->add_option("--user", a.call.user, "whose call it is");

    auto* config = commands.add(
        nullptr, "config", "Check, describe and print configs",
        "  foxwedge config check support.json\n  foxwedge config show support.json\n", nullptr);
    config->require_subcommand(1);
    commands
        .add(config, "check", "All mistakes at once", "  foxwedge config check support.json\n",
             [&a] { return config_check(a.globals, a.one); })
        ->add_option("config", a.one, "the config file")
        ->required();
    commands.add(config, "schema", "The JSON Schema of a config file",
                 "  foxwedge config schema > foxwedge.schema.json\n",
                 [&a] { return config_schema(a.globals); });
    commands
        .add(config, "show", "The config as it is used: merged, filled in, secrets by name",
             "  foxwedge config show support.json\n",
             [&a] { return config_show(a.globals, a.one); })
        ->add_option("config", a.one, "the config file")
        ->required();

    auto* plugins =
        commands.add(nullptr, "plugins", "What lies on the plugin path, and plugins of your own",
                     "  foxwedge plugins list\n  foxwedge plugins inspect words.so\n"
                     "  foxwedge plugins check words.so\n"
                     "  foxwedge plugins lock support.json\n"
                     "  foxwedge plugins new --kind capability --lang cpp words\n",
                     nullptr);
    plugins->require_subcommand(0, 1);
    commands.add(plugins, "list", "List plugins, and files that are none with the reason",
                 "  foxwedge plugins list\n  foxwedge plugins list --config support.json\n",
                 [&a] { return plugins_list(a.globals, a.globals.config); });
    commands
        .add(plugins, "inspect", "All that a plugin says of itself, its configSchema too",
             "  foxwedge plugins inspect provider-openai\n  foxwedge plugins inspect ./words.so\n",
             [&a] { return plugins_inspect(a.globals, a.one); })
        ->add_option("plugin", a.one, "a file, or the id of a plugin on the plugin path")
        ->required();
    commands
        .add(plugins, "lock",
             "Write foxwedge.lock beside a config: from then on only these plugins are loaded",
             "  foxwedge plugins lock support.json\n",
             [&a] { return plugins_lock(a.globals, a.one); })
        ->add_option("config", a.one, "the config file")
        ->required();
    add_plugin_making(commands, plugins, a);
}

void add_mcp_command(Commands& commands, Args& a) {
    auto* mcp = commands.add(
        nullptr, "mcp", "Serve the catalogue to MCP clients, or look at a server that is attached",
        "  foxwedge mcp support.json\n"
        "  foxwedge mcp support.json --http 127.0.0.1:7777\n"
        "  foxwedge mcp support.json --capability workflow-kv\n"
        "  foxwedge mcp support.json --inspect orders\n",
        [&a] { return foxwedge::cli::mcp(a.globals, a.mcp); });
    mcp->add_option("config", a.mcp.config, "the config file")->required();
    auto* http = mcp->add_option(
        "--http", a.mcp.http,
        "serve Streamable HTTP on ADDRESS:PORT instead of standard input and output");
    mcp->add_option("--host", a.mcp.hosts,
                    "with --http: a further name by which clients may call this server")
        ->needs(http);
    mcp->add_option("--token", a.mcp.tokens,
                    "with --http: a secret of the config that clients must show as bearer token; "
                    "its name is the user")
        ->needs(http);
    mcp->add_option("--capability", a.mcp.capability,
                    "serve one capability, by the id of its component or of a tool");
    mcp->add_flag("--workflows", a.mcp.workflows,
                  "serve the agents and workflows too, for the hosts that have this one in `apps`");
    mcp->add_option("--conversation", a.mcp.conversation, "scope of data of the calls");
    mcp->add_option("--user", a.mcp.user, "whose calls they are; default: the OS user");
    mcp->add_option("--record", a.mcp.record,
                    "\"all\": calls without effect become runs in the journal too")
        ->check(CLI::IsMember({"all"}));
    mcp->add_option("--inspect", a.mcp.inspect,
                    "connect to this entry of mcpServers and show handshake, tools, times and "
                    "every message, secrets masked");
}

void add_journal_commands(Commands& commands, Args& a) {
    auto* journal = commands.add(nullptr, "journal", "Look after a journal",
                                 "  foxwedge journal check --config support.json\n"
                                 "  foxwedge journal export --journal DIR --file backup.jsonl\n",
                                 nullptr);
    journal->require_subcommand(1);
    commands.add(journal, "check", "Read all of it and verify its checksums",
                 "  foxwedge journal check --config support.json\n",
                 [&a] { return journal_check(a.globals); });
    commands.add(journal, "stats", "Sizes and counts",
                 "  foxwedge journal stats --config support.json\n",
                 [&a] { return journal_stats(a.globals); });
    commands
        .add(journal, "export", "All readable records as JSON lines",
             "  foxwedge journal export --config support.json --file backup.jsonl\n",
             [&a] { return journal_export(a.globals, a.journal); })
        ->add_option("--file", a.journal.file, "where to; default: standard output");
    commands
        .add(journal, "import", "Fill a new journal (--journal) from an export",
             "  foxwedge journal import --journal DIR --file backup.jsonl\n",
             [&a] { return journal_import(a.globals, a.journal); })
        ->add_option("--file", a.journal.file, "where from; default: standard input");
    commands
        .add(journal, "prune", "Remove runs that ended long ago, with their children",
             "  foxwedge journal prune --config support.json --older-than 30d\n",
             [&a] { return journal_prune(a.globals, a.journal); })
        ->add_option("--older-than", a.journal.older_than, "a duration, as 30d")
        ->required();
    commands.add(journal, "compact", "Rewrite the file without free pages; nothing may use it",
                 "  foxwedge journal compact --config support.json\n",
                 [&a] { return journal_compact(a.globals); });
}

/// What was wrong with the words given, what may have been meant, and where the rest is told.
std::string trouble(const CLI::App* app, const CLI::Error& error) {
    const auto extras = app->remaining(true);
    std::string command = app->get_name();
    std::vector<std::string> known;
    const auto learn = [&known](const CLI::App& level) {
        for (const auto* option : level.get_options())
            for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    };
    learn(*app);
    while (!app->get_subcommands().empty()) {
        app = app->get_subcommands().front();
        command += ' ' + app->get_name();
        learn(*app);
    }
    for (const auto* inner : app->get_subcommands({})) known.push_back(inner->get_name());
    std::string text = std::string("error: ") + error.what();
    if (!extras.empty())
        if (const auto near = foxwedge::nearest(extras.front(), known); !near.empty())
            text += "; did you mean \"" + std::string(near) + "\"?";
    return text + "\n  " + command + " --help says what it takes\n";
}

bool is_one_of(const CLI::Option& option, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), option.get_name()) != names.end();
}

/// An empty value is what a shell makes of a variable that is not set: `--key "$KEY"` must not run
/// without a key, `--journal "$JOURNAL"` not prune another one. And two names that are no text must
/// not become the same one.
void refuse_unfit_values(CLI::App& app) {
    for (auto* option : app.get_options()) {
        if (option->get_items_expected_max() == 0) continue;
        if (!is_one_of(*option, {"--prompt", "--reason", "arguments"}))
            option->check(
                [](const std::string& value) {
                    return std::string(value.empty() ? "must not be empty" : "");
                },
                "");
        if (is_one_of(*option, {"--key", "--conversation", "--user"}))
            option->check(
                [](const std::string& value) {
                    return std::string(foxwedge::is_utf8(value) ? "" : "is no valid UTF-8");
                },
                "");
    }
    for (auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
        refuse_unfit_values(*command);
}

/// Runs the command that the arguments name: `exit` is then its code.
int parse_and_run(CLI::App& app, int argc, char** argv, const Globals& globals) {
    try {
        app.parse(argc, argv);
        return succeeded;
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? -1 : usage;
    } catch (const std::bad_alloc&) {
        return report(globals, foxwedge::permanent("out_of_memory",
                                                   "there is not enough memory (ulimit -v?)"));
    } catch (const std::exception& e) {
        return report(globals, foxwedge::permanent("internal", e.what()));
    }
}

int run_command_line(int argc, char** argv) {
    Args a;
    int exit = 0;
    CLI::App app("A durable agent host: runs survive crashes, wait for people, and replay exactly.",
                 "foxwedge");
    app.set_version_flag("--version", FOXWEDGE_VERSION);
    app.add_flag("--json", a.globals.json, "print JSON for programs");
    app.add_option("--journal", a.globals.journal, "the journal's folder");
    app.add_option("--config", a.globals.config, "the config file that names the journal");
    app.add_flag("-q,--quiet", a.globals.quiet, "no progress on standard error");
    app.add_flag("-v,--verbose", a.globals.verbose, "the log on standard error");
    app.fallthrough();
    app.require_subcommand(0, 1);
    app.failure_message(trouble);
    Commands commands(app, exit);
    add_run_commands(commands, a);
    add_reading_commands(commands, a);
    add_approval_commands(commands, a);
    add_config_commands(commands, a);
    add_mcp_command(commands, a);
    add_journal_commands(commands, a);
    bool manual = false, completion = false;
    app.add_flag("--manual", manual, "print the manual page (troff)")->group("");
    app.add_flag("--completion", completion, "print the completion script of bash");

    refuse_unfit_values(app);
    if (const int failed = parse_and_run(app, argc, argv, a.globals); failed != succeeded)
        return std::max(failed, 0); // below: the help was asked for, and printed
    if (manual) {
        std::fputs(manual_page(app).c_str(), stdout);
        return 0;
    }
    if (completion) {
        std::fputs(bash_completion(app).c_str(), stdout);
        return 0;
    }
    if (app.get_subcommands().empty()) {
        std::fputs(app.help().c_str(), stderr);
        return usage;
    }
    // A group without a word of its own lists.
    const auto* chosen = app.get_subcommands().front();
    if (chosen->get_subcommands().empty()) {
        if (chosen->get_name() == "approvals") return approvals(a.globals, a.list);
        if (chosen->get_name() == "plugins") return plugins_list(a.globals, a.globals.config);
    }
    return exit;
}

} // namespace

int main(int argc, char** argv) {
    foxwedge::give_large_memory_back();
    prepare_streams();
    const int exit =
        finish_streams(foxwedge::with_roomy_stack([&] { return run_command_line(argc, argv); }));
    // Code of a plugin that would not end still runs: nothing that it may use is torn down.
    if (calls_were_left()) {
        std::fflush(nullptr);
        ::_exit(exit);
    }
    return exit;
}
