#include "mcp/client.hpp"

#include "mcp/listing.hpp"
#include "mcp/tool_result.hpp"
#include "schema/schema.hpp"

namespace foxwedge::mcp {

std::shared_ptr<Client> Client::make(ServerSpec spec, const Surroundings& around) {
    auto client = std::shared_ptr<Client>(new Client(std::move(spec), around));
    client->opener_ = client->spec_.url.empty() ? open_by_child(client->spec_, around)
                                                : open_by_http(client->spec_, around);
    return client;
}

std::shared_ptr<Client> Client::make(ServerSpec spec, const Surroundings& around,
                                     std::unique_ptr<Opener> opener) {
    auto client = std::shared_ptr<Client>(new Client(std::move(spec), around));
    client->opener_ = std::move(opener);
    return client;
}

namespace {

ClientFace face_for(const ServerSpec& spec) {
    ClientFace face;
    face.capabilities = spec.capabilities;
    if (!spec.roots.empty()) face.capabilities["roots"] = JsonObject();
    return face;
}

/// Params with `_meta` made of `members` (may be empty).
std::string with_meta(std::string_view head, const std::string& members) {
    std::string params;
    params.reserve(head.size() + members.size() + 16);
    params += '{';
    params += head;
    if (!members.empty()) {
        if (!head.empty()) params += ',';
        params += R"("_meta":{)" + members + "}";
    }
    return params + "}";
}

using ReadTool = std::variant<ToolDefinition, ToolList::Dropped>;

/// A tool whose schema cannot be compiled could never be called; what is merely not checked is
/// noted.
ReadTool judged_by_schema(ReadTool read, std::vector<std::string>& warnings) {
    const auto* tool = std::get_if<ToolDefinition>(&read);
    if (!tool) return read;
    const auto compiled = schema::Schema::compile(tool->input_schema);
    if (!compiled)
        return ToolList::Dropped{tool->name, "its inputSchema: " + compiled.error().message};
    for (const auto& warning : compiled->warnings())
        warnings.push_back(tool->name + ": " + warning);
    return read;
}

void add_member(std::string& members, std::string_view name, std::string_view json) {
    if (!members.empty()) members += ',';
    append_quoted(members, name);
    members += ':';
    members += json;
}

} // namespace

Client::Client(ServerSpec spec, const Surroundings& around)
    : spec_(std::move(spec)), around_(around), face_(face_for(spec_)) {}

Client::~Client() {
    stop();
}

void Client::stop() {
    std::shared_ptr<const Open> open;
    {
        std::lock_guard lock(mutex_);
        open = std::exchange(open_, nullptr);
    }
    if (open) open->connection->close();
}

Result<Session> Client::session(const Until& until) {
    FOXWEDGE_TRY(open, connect(until));
    return open->session;
}

template <class Params>
Result<Reply> Client::ask(std::string_view method, const Params& params,
                          const RequestOptions& options) {
    {
        std::lock_guard lock(mutex_);
        ++uses_;
        ++open_calls_;
    }
    Result<Reply> reply = Error{};
    for (int attempt = 0; attempt < 2; ++attempt) {
        auto open = connect(options.until);
        if (!open) {
            reply = std::move(open).error();
            break;
        }
        reply = (*open)->connection->request(method, params(**open), options);
        // Nothing was sent: the server had ended since its last call.
        if (reply || reply.error().code != "connection_lost" ||
            reply.error().certainty != Certainty::not_done)
            break;
    }
    stop_when_idle();
    return reply;
}

Result<Reply> Client::request(std::string_view method, const JsonObject& params,
                              const RequestOptions& options) {
    return ask(
        method,
        [&](const Open& open) {
            std::string head = to_text(Json(params));
            return with_meta(std::string_view(head).substr(1, head.size() - 2), open.meta);
        },
        options);
}

Result<ToolResult> Client::call(std::string_view raw_name, std::string_view arguments_json,
                                const CallOptions& options) {
    RequestOptions request;
    request.until = options.until.within(around_.limits.call_hard);
    request.quiet = options.quiet.count() > 0 ? options.quiet : spec_.timeout;
    request.on_progress = options.on_progress;
    request.server_requests = options.server_requests;
    request.subject = raw_name;
    request.fields = fields_for(raw_name, arguments_json);
    {
        std::lock_guard lock(mutex_);
        request.progress_token = next_token_++;
    }
    std::string head = R"("name":)" + quoted(raw_name) + R"(,"arguments":)";
    head += arguments_json.empty() ? "{}" : arguments_json;
    if (options.input_responses.is_object())
        head += R"(,"inputResponses":)" + to_text(options.input_responses);
    if (options.request_state) head += R"(,"requestState":)" + quoted(*options.request_state);

    const auto params = [&](const Open& open) {
        std::string meta = open.meta;
        add_member(meta, "progressToken", std::to_string(request.progress_token));
        if (!options.idempotency_key.empty())
            add_member(meta, "foxwedge/idempotencyKey", quoted(options.idempotency_key));
        return with_meta(head, meta);
    };
    FOXWEDGE_TRY(reply, ask("tools/call", params, request));
    if (reply.error && reply.error->code == rpc::header_mismatch && !spec_.url.empty()) {
        // The list came from an earlier process, or the server changed it: learn and ask again.
        FOXWEDGE_CHECK(relearn(options.until));
        request.fields = fields_for(raw_name, arguments_json);
        FOXWEDGE_TRY(again, ask("tools/call", params, request));
        reply = std::move(again);
    }
    if (reply.error) return read_tool_error(*reply.error);
    if (string_member(reply.result, "resultType") == "input_required") {
        Error error = not_done("input_required", "the server needs input before it can go on");
        JsonObject details;
        if (const Json* asked = member(reply.result, "inputRequests"))
            details["inputRequests"] = *asked;
        if (const auto state = string_member(reply.result, "requestState"))
            details["requestState"] = *state;
        error.details = to_text(Json(std::move(details)));
        return error;
    }
    if (string_member(reply.result, "resultType") == "task") {
        Error error = unknown_outcome("task_started", "the server goes on with it as a task");
        error.details = to_text(reply.result);
        return error;
    }
    return read_tool_result(std::move(reply.result), reply.repaired_utf8);
}

Result<ToolList> Client::discover(const Until& until) {
    FOXWEDGE_TRY(session, this->session(until));
    ToolList list;
    Pages pages("tools", "name", around_.limits);
    RequestOptions options;
    options.until = until.within(around_.limits.list_time);
    options.quiet = spec_.timeout;
    bool more = session.offers("tools") || session.era == Era::modern;
    for (bool first = true; more; first = false) {
        JsonObject params;
        if (!first) params["cursor"] = pages.cursor();
        auto reply = request("tools/list", params, options);
        if (!reply && !first && reply.error().code == "timeout") {
            pages.cut_short("too_slow");
            break;
        }
        if (!reply) return std::move(reply).error();
        if (reply->error && first)
            return unavailable(read_tool_error(*reply->error).ok()
                                   ? not_done("rpc_error", reply->error->message)
                                   : read_tool_error(*reply->error).error());
        if (reply->error) {
            pages.cut_short("page_failed");
            break;
        }
        more = pages.take(std::move(reply->result));
    }
    for (const Json& raw : pages.all()) {
        auto tool = judged_by_schema(read_tool(raw, list.warnings), list.warnings);
        if (const auto* usable = std::get_if<ToolDefinition>(&tool);
            usable && session.era == Era::modern)
            if (auto dropped = learn_headers(*usable)) tool = std::move(*dropped);
        if (auto* dropped = std::get_if<ToolList::Dropped>(&tool)) {
            around_.log->warn(
                "mcp", "a tool cannot be used",
                {{"server", spec_.name}, {"tool", dropped->name}, {"reason", dropped->reason}});
            list.dropped.push_back(std::move(*dropped));
        } else
            list.tools.push_back(std::move(std::get<ToolDefinition>(tool)));
    }
    JsonObject source{{"server", spec_.name},
                      {"serverInfo", session.server_info},
                      {"protocolVersion", session.version},
                      {"capabilities", session.capabilities},
                      {"complete", pages.incomplete().empty()}};
    if (!session.instructions.empty()) source["instructions"] = session.instructions;
    if (!pages.incomplete().empty()) {
        source["incompleteReason"] = pages.incomplete();
        around_.log->warn("mcp", "the tool list is incomplete",
                          {{"server", spec_.name}, {"reason", pages.incomplete()}});
    }
    list.source = std::move(source);
    return list;
}

} // namespace foxwedge::mcp
