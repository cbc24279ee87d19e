// An agent on a journal in memory, with a model and tools that are functions.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agent/agent.hpp"
#include "agent/tool.hpp"
#include "agent/world.hpp"
#include "journal/memory_engine.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

/// A clock that moves when told to.
class ManualClock final : public Clock {
public:
    Time now() const override { return Time(Millis(millis_.load())); }
    std::chrono::steady_clock::time_point steady() const override {
        return std::chrono::steady_clock::time_point(Millis(millis_.load()));
    }
    void advance(Millis by) { millis_ += by.count(); }

private:
    std::atomic<Millis::rep> millis_{1'790'000'000'000};
};

inline Block call_block(std::string id, std::string name, std::string arguments) {
    Block block;
    block.type = Block::Type::tool_call;
    block.call_id = std::move(id);
    block.name = std::move(name);
    block.arguments = std::move(arguments);
    return block;
}
inline Generated says(std::string text) {
    Generated out;
    out.content = {text_block(std::move(text))};
    out.stop = "end";
    out.usage.input = 10;
    out.usage.output = 2;
    return out;
}
inline Generated calls(std::vector<Block> blocks) {
    Generated out;
    out.content = std::move(blocks);
    out.stop = "tool_use";
    out.usage.input = 10;
    out.usage.output = 5;
    return out;
}

/// Answers by how often it has answered in this conversation, so that a call that is made again
/// after a crash is answered the same.
class ScriptedModel final : public Provider {
public:
    using Line = std::function<Result<Generated>(const GenerateRequest&)>;
    std::vector<Line> lines;
    ProviderTraits traits;

    void say(Generated answer) {
        lines.push_back([answer](const GenerateRequest&) -> Result<Generated> { return answer; });
    }
    Result<ProviderTraits> describe(Call&) override {
        ++described;
        return traits;
    }
    Result<Generated> generate(const GenerateRequest& request, Call&) override {
        std::size_t turn = 0;
        for (const Message& message : request.messages) turn += message.role == Role::assistant;
        {
            const std::lock_guard lock(mutex_);
            ++generated;
            requests_.push_back(request);
        }
        if (turn >= lines.size()) return permanent("script_ended", "no line for this turn");
        return lines[turn](request);
    }
    std::vector<GenerateRequest> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }
    std::atomic<int> described{0}, generated{0};

private:
    mutable std::mutex mutex_;
    std::vector<GenerateRequest> requests_;
};

/// Tools by name; a source of a capability or an MCP server.
class FakeSource final : public ToolSource {
public:
    using Run = std::function<Result<ToolResult>(const JsonObject&, Call&)>;
    ToolList listed;
    std::map<std::string, Run, std::less<>> runs;
    std::atomic<int> lists{0}, calls{0};
    std::optional<Error> list_error;

    void add(std::string name, Run run, std::string schema = R"({"type":"object"})") {
        ToolDefinition tool;
        tool.name = name;
        tool.input_schema = *parse_json(schema);
        listed.tools.push_back(std::move(tool));
        runs[std::move(name)] = std::move(run);
    }
    Result<ToolList> list(Call&) override {
        ++lists;
        if (list_error) return *list_error;
        return listed;
    }
    Result<ToolResult> run(std::string_view name, std::string_view arguments, Call& call) override {
        ++calls;
        const auto found = runs.find(name);
        if (found == runs.end()) return permanent("unknown_tool", "gone: " + std::string(name));
        return found->second(parse_json(arguments)->get_object(), call);
    }
};

/// The store of an engine, as a world wants it.
class EngineStore final : public StoreReader {
public:
    explicit EngineStore(std::unique_ptr<journal::MemoryEngine>& engine) : engine_(engine) {}
    Result<std::optional<journal::StoreItem>> get(std::string_view collection,
                                                  std::string_view key) override {
        return engine_->get(collection, key);
    }
    Result<std::vector<journal::StoreItem>> scan(std::string_view collection,
                                                 std::string_view prefix, std::string_view after,
                                                 int limit) override {
        return engine_->scan(collection, prefix, after, limit);
    }
    Result<std::vector<journal::StoreItem>> changes(std::string_view collection,
                                                    std::uint64_t revision, int limit) override {
        return engine_->changes(collection, revision, limit);
    }
    Result<std::string> folder(std::string_view) override {
        return permanent("unavailable", "no folder");
    }

private:
    std::unique_ptr<journal::MemoryEngine>& engine_;
};

struct Bench {
    ManualClock clock;
    journal::MemoryJournal journal{clock};
    std::unique_ptr<journal::MemoryEngine> engine = journal.process();
    EngineStore store{engine};
    std::shared_ptr<ScriptedModel> model = std::make_shared<ScriptedModel>();
    std::map<std::string, std::shared_ptr<FakeSource>, std::less<>> capabilities, servers;
    std::map<std::string, CatalogueEntry, std::less<>> catalogue;
    std::map<std::string, McpServerOptions, std::less<>> server_options;
    std::map<std::string, std::shared_ptr<Guardrail>, std::less<>> guardrails;
    World world;
    Agent agent;
    std::string run;

    explicit Bench(std::string input = R"("do it")") {
        world.project = "shop";
        world.default_provider = "scripted";
        world.retry.initial_delay = Millis(0);
        world.retry.max_delay = Millis(0);
        world.store = &store;
        world.provider = [this](std::string_view name) -> Result<std::shared_ptr<Provider>> {
            if (name != "scripted") return permanent("unknown_provider", std::string(name));
            return std::shared_ptr<Provider>(model);
        };
        world.capability = [this](std::string_view id) { return source(capabilities, id); };
        world.mcp_server = [this](std::string_view id) { return source(servers, id); };
        world.mcp_options = [this](std::string_view id) -> const McpServerOptions* {
            const auto found = server_options.find(id);
            return found == server_options.end() ? nullptr : &found->second;
        };
        world.catalogue = [this](std::string_view id) -> const CatalogueEntry* {
            const auto found = catalogue.find(id);
            return found == catalogue.end() ? nullptr : &found->second;
        };
        world.guardrail = [this](const GuardrailUse& use) -> Result<std::shared_ptr<Guardrail>> {
            const auto found = guardrails.find(use.use);
            if (found == guardrails.end()) return permanent("unknown_guardrail", use.use);
            return found->second;
        };
        start(std::move(input));
    }

    void start(std::string input) {
        journal::NewRun wanted;
        wanted.host = "test";
        wanted.workflow = "support";
        wanted.input_json = std::move(input);
        run = engine->start(wanted)->run;
    }
    /// A capability whose tools need no approval.
    FakeSource& capability(const std::string& id) {
        auto& slot = capabilities[id];
        if (!slot) slot = std::make_shared<FakeSource>();
        return *slot;
    }
    FakeSource& server(const std::string& name) {
        auto& slot = servers[name];
        if (!slot) slot = std::make_shared<FakeSource>();
        agent.options.mcp_servers.push_back({name, {}, {}, {}, {}});
        return *slot;
    }
    void use(const std::string& tool_id, bool auto_approve = true) {
        catalogue[tool_id].auto_approve = auto_approve;
        ToolOptions options;
        options.use = tool_id;
        agent.options.tools.push_back(options);
    }
    /// A C++ tool that gives `value`.
    ToolOptions& own(const std::string& name, Json value) {
        ToolOptions options;
        options.name = name;
        agent.tools.push_back(
            tool(options, [value](const JsonObject&) -> Result<Json> { return value; }));
        return agent.tools.back().options;
    }

    run::Workflow workflow() {
        return [this](run::Run& run) -> Result<Json> {
            FOXWEDGE_TRY(result, agent::agent(run, "a", agent, world));
            return to_json(result);
        };
    }
    run::Finished execute(journal::OpenOptions how = {}) {
        auto held = engine->open(run, how);
        run::Finished finished;
        finished.how = run::Ended::fault;
        if (!held) {
            finished.error = held.error();
            return finished;
        }
        run::ExecuteOptions options;
        options.patience = Millis(0);
        return run::execute(**held, workflow(), options);
    }
    run::Finished replay() {
        return run::replay(*engine->head(run), *engine->records(run), *engine->gates({.run = run}),
                           workflow(), {});
    }
    void restart() {
        engine->kill();
        engine = journal.process();
    }
    std::vector<journal::Gate> open_gates() { return *engine->gates({.run = run}); }
    Result<journal::Gate> answer(const std::string& word, const std::string& payload = {},
                                 const std::string& reason = {}) {
        const auto open = open_gates();
        if (open.empty()) return permanent("not_found", "no gate is open");
        journal::Answer answer;
        answer.gate = open.front().id;
        answer.digest = open.front().digest;
        answer.answer = word;
        answer.payload_json = payload;
        answer.reason = reason;
        answer.decided_by = "user:ann";
        return engine->answer(answer);
    }
    std::vector<std::string> steps() {
        std::vector<std::string> out;
        const auto records = engine->records(run);
        if (records)
            for (const auto& record : *records)
                if (record.outcome) out.push_back(record.key.name);
        return out;
    }
    std::optional<journal::Record> record(std::string_view name) {
        const auto records = engine->records(run);
        if (records)
            for (const auto& one : *records)
                if (one.key.name == name) return one;
        return std::nullopt;
    }
    /// The results that the model saw in its latest request.
    std::vector<Block> last_results() {
        for (const auto requests = model->requests();
             const Message& message : requests.back().messages)
            if (message.role == Role::tool) last_ = message.content;
        return last_;
    }

private:
    template <class Map>
    static Result<std::shared_ptr<ToolSource>> source(Map& map, std::string_view id) {
        const auto found = map.find(id);
        if (found == map.end()) return permanent("unknown_tool", std::string(id));
        return std::shared_ptr<ToolSource>(found->second);
    }
    std::vector<Block> last_;
};

inline std::string final_of(const run::Finished& finished) {
    const auto value = parse_json(finished.outcome.value_json);
    if (!value) return "?";
    const Json* final = member(*value, "final");
    return final ? to_text(*final) : "?";
}
inline std::string stop_reason_of(const run::Finished& finished) {
    const auto value = parse_json(finished.outcome.value_json);
    return value ? std::string(string_member(*value, "stopReason").value_or("?")) : "?";
}

} // namespace foxwedge::agent
