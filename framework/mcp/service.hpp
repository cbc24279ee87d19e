// What an MCP server of ours offers: tools, prompts, resources, completion. Filled by a host,
// served to any number of clients over any transport.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/stop.hpp"
#include "contracts/tool.hpp"
#include "mcp/header_params.hpp"
#include "schema/schema.hpp"

namespace foxwedge::mcp {

/// Values that one answer to a completion may hold, by the specification.
inline constexpr int most_completed = 100;

/// One request as the code that answers it sees it: the way back to the client, in whichever way
/// the client's revision has it. Used by one thread.
class Served {
public:
    virtual ~Served() = default;
    /// Ends when the client gives the request up or leaves.
    virtual const Until& until() const = 0;
    /// The request's `_meta`; an object.
    virtual const Json& meta() const = 0;
    /// Passed on where the client asked for progress.
    virtual void progress(double done, std::optional<double> total, std::string_view message) = 0;
    /// `level` as in syslog ("debug" … "emergency"). Passed on where the client wants that level.
    virtual void log(std::string_view level, const Json& data) = 0;
    /// Asks the client: `elicitation/create`, `sampling/createMessage`, `roots/list`. `key` names
    /// the question within this request. Before 2026-07-28 it waits for the answer; since then it
    /// gives the error `input_required`, which the handler returns: it is called again with the
    /// answers. Error `missing_capability` where the client cannot be asked. Once `taken_back` is
    /// requested nobody wants the answer any more: the client is told to stop asking, error
    /// `taken_back`.
    virtual Result<Json> ask(std::string_view key, std::string_view method, const Json& params,
                             const std::stop_token& taken_back = {}) = 0;
    /// What the handler kept in the round before, checked to be ours; null in the first round.
    virtual const Json& kept() const = 0;
    /// Kept through the client, signed, for the round that `ask` causes.
    virtual void keep(Json state) = 0;
    /// True where the client takes a task in place of a tool's result, and asks how it goes.
    virtual bool can_follow() const = 0;
    /// What the client is told of the task: {taskId, status, …}. The handler then returns the error
    /// `task`.
    virtual void go_on_as(Json task) = 0;
    /// True where `method` may be asked: the client declared what it takes.
    virtual bool can_ask(std::string_view method) const = 0;
    /// Whom the transport has recognised; "" for nobody.
    virtual std::string_view user() const = 0;
    /// Ends the stream over which the answer would come and lets the client come back for it after
    /// `retry`. Over HTTP before 2026-07-28; elsewhere it does nothing.
    virtual void hang_up(Millis retry) = 0;
};

/// The code of the error by which a handler says that it waits for the client's input.
inline constexpr std::string_view input_required_code = "input_required";
/// The code of the error by which a tool's handler says that its call goes on as a task.
inline constexpr std::string_view task_code = "task";

struct ServedTool {
    ToolDefinition definition;
    /// Arguments have passed the input schema. A result with is_error is for the client's model; an
    /// Error becomes one too.
    std::function<Result<ToolResult>(const Json& arguments, Served&)> run;
    /// Filled by Service::add from the definition.
    std::shared_ptr<const schema::Schema> schema;
    std::vector<HeaderParam> headers; ///< arguments that HTTP repeats in header fields
};

struct ServedPrompt {
    Json listed; ///< name, title?, description?, arguments?
    std::function<Result<Json>(const Json& arguments, Served&)> get; ///< {messages, description?}
};

struct ServedResource {
    /// uri, or uriTemplate; name, title?, description?, mimeType?
    Json listed;
    /// Of a template: the values of its variables are in `variables`. Gives the contents.
    std::function<Result<JsonArray>(std::string_view uri, const Json& variables, Served&)> read;
};

/// Values for what a user has begun to type: {values, total?, hasMore?}.
using Completion = std::function<Result<Json>(const Json& params, Served&)>;

/// Resources that come and go by themselves, as listed to `user`.
using ResourceLister = std::function<JsonArray(std::string_view user)>;

/// Resources that are too many to list at once: a page of them, and where the next one begins ("":
/// nowhere).
struct ResourcePage {
    JsonArray resources;
    std::string next;
};
/// `cursor` "" asks for the first page. May take its time.
using ResourcePager = std::function<Result<ResourcePage>(std::string_view cursor, Served&)>;

/// Calls that have gone on as tasks. Error `not_found` for an id that this client has none of.
struct ServedTasks {
    /// {taskId, status, …}, and with its end `result` or `error`.
    std::function<Result<Json>(std::string_view id, Served&)> state;
    std::function<Status(std::string_view id, Served&)> cancel;
    /// Whether this user has that task.
    std::function<bool(std::string_view id, std::string_view user)> known;
    /// Tells the state of each task, and again whenever it is another one, until the token is let
    /// go; a last call may be under way then. On a thread of its own.
    using Tell = std::function<void(const Json& state)>;
    std::function<std::shared_ptr<void>(std::vector<std::string> ids, std::string_view user, Tell)>
        watch;
};

/// Any thread.
class Service {
public:
    enum class List { tools, prompts, resources };

    Service(std::string name, std::string version, std::string instructions = {})
        : name_(std::move(name)), version_(std::move(version)),
          instructions_(std::move(instructions)) {}

    /// Later entries of the same name replace earlier ones; lists keep their order. Fails as
    /// Schema::compile does where a tool's arguments could not be judged, and as header_params does
    /// where its header annotations are wrong.
    Status add(ServedTool);
    void add(ServedPrompt);
    void add(ServedResource); ///< a template where it has a uriTemplate
    void complete_with(Completion completion) { completion_ = std::move(completion); }
    /// Asked at each list, after the resources that were added; before serving begins.
    void list_also(ResourceLister lister) { listers_.push_back(std::move(lister)); }
    /// Asked page by page, after all others; before serving begins.
    void page_also(ResourcePager pager) { pager_ = std::move(pager); }
    /// Before serving begins.
    void follow_by(ServedTasks tasks) { tasks_ = std::move(tasks); }
    bool remove_tool(std::string_view name);
    bool remove_prompt(std::string_view name);
    /// Tells subscribed clients that the resource has changed; "": that the list of them has.
    void changed(std::string_view uri);

    std::shared_ptr<const ServedTool> tool(std::string_view name) const;
    std::shared_ptr<const ServedPrompt> prompt(std::string_view name) const;
    /// The resource of that URI, or the template that it fits, with its variables.
    std::shared_ptr<const ServedResource> resource(std::string_view uri, Json& variables) const;
    /// As listed to clients, in the order they were added.
    JsonArray listed_tools() const;
    JsonArray listed_prompts() const;
    JsonArray listed_resources(bool templates, std::string_view user) const;
    const Completion& completion() const { return completion_; }
    const ResourcePager& pager() const { return pager_; }
    const ServedTasks& tasks() const { return tasks_; }

    Json info() const { return {{"name", name_}, {"version", version_}}; }
    const std::string& instructions() const { return instructions_; }
    Json capabilities() const;

    /// Calls `hear` for each change, with the URI of a changed resource or "" for a changed list,
    /// until the token that it gives is let go.
    using Hear = std::function<void(List, std::string_view uri)>;
    std::shared_ptr<void> listen(Hear hear);

private:
    void tell(List, std::string_view uri);

    const std::string name_, version_, instructions_;
    Completion completion_;
    std::vector<ResourceLister> listers_;
    ResourcePager pager_;
    ServedTasks tasks_;
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<const ServedTool>> tools_;
    std::vector<std::shared_ptr<const ServedPrompt>> prompts_;
    std::vector<std::shared_ptr<const ServedResource>> resources_;
    std::vector<std::weak_ptr<Hear>> listeners_;
};

/// A tool as MCP lists it; what is ours alone (effect, gates) is left out.
Json listed_tool(const ToolDefinition&);
/// A result as MCP has it; our cards travel in `_meta`.
Json served_result(ToolResult);

} // namespace foxwedge::mcp
