// What every command of the command line shares: exit codes, output, where the journal is.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace foxwedge::cli {

/// Exit codes: docs/operations.
enum Exit : int {
    succeeded = 0,
    failed = 1,
    usage = 2,
    waiting = 3,
    cancelled = 4,
    other_stop = 5,
    mismatch = 6,
    fault = 7,
    held = 8,
};

struct Globals {
    bool json = false;
    std::string journal; ///< --journal
    std::string config;  ///< --config
    bool quiet = false, verbose = false;
};

struct RunArgs {
    std::string config, name, input, prompt, key, conversation, user;
    std::vector<std::string> sets;
    bool detach = false;
};
struct ResumeArgs {
    std::string run, config;
    std::vector<std::string> sets;
    bool retry = false, take_over = false;
};
struct ListArgs {
    std::vector<std::string> status;
    std::string since, after;
    int limit = 50;
};
struct ShowArgs {
    std::string run, request;
    bool follow = false, steps = false;
};
struct ReplayArgs {
    std::vector<std::string> runs;
    std::string config;
};
struct DecideArgs {
    std::string gate, answer, payload, reason, always, when, user;
    bool resume = false;
};
struct RulesArgs {
    std::string revoke;
};
struct CallArgs {
    std::string config, tool, arguments, conversation, user;
};
struct McpArgs {
    std::string config, http, capability, conversation, user, record, inspect;
    std::vector<std::string> tokens, hosts;
    bool workflows = false;
};
struct ForkArgs {
    std::string run, at, output, config;
    bool detach = false;
};
struct PluginCheckArgs {
    std::string file, answer;
    std::vector<std::string> configs; ///< "[ID=]JSON" or "[ID=]@FILE"
    int seconds = 5;
};
struct PluginNewArgs {
    std::string name, kind, lang, folder;
};
struct JournalArgs {
    std::string file; ///< "" for standard input or output
    std::string older_than;
};

int run(const Globals&, const RunArgs&);
int resume(const Globals&, const ResumeArgs&);
int fork(const Globals&, const ForkArgs&);
int cancel(const Globals&, const std::string& run);
int runs(const Globals&, const ListArgs&);
int show(const Globals&, const ShowArgs&);
int replay(const Globals&, const ReplayArgs&);
int approvals(const Globals&, const ListArgs&);
int decide(const Globals&, const DecideArgs&);
int approval_rules(const Globals&, const RulesArgs&);
int tools(const Globals&, const std::string& config);
int call(const Globals&, const CallArgs&);
int mcp(const Globals&, const McpArgs&);
int plugins_list(const Globals&, const std::string& config);
int plugins_inspect(const Globals&, const std::string& file_or_id);
int plugins_check(const Globals&, const PluginCheckArgs&);
int plugins_new(const Globals&, const PluginNewArgs&);
int plugins_lock(const Globals&, const std::string& config);
int config_check(const Globals&, const std::string& config);
int config_schema(const Globals&);
int config_show(const Globals&, const std::string& config);
int journal_check(const Globals&);
int journal_stats(const Globals&);
int journal_export(const Globals&, const JournalArgs&);
int journal_import(const Globals&, const JournalArgs&);
int journal_prune(const Globals&, const JournalArgs&);
int journal_compact(const Globals&);

} // namespace foxwedge::cli
