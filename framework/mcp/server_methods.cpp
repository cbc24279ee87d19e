// What a server answers to each method.
#include <algorithm>
#include <charconv>

#include "mcp/served_call.hpp"
#include "mcp/server_session.hpp"

namespace foxwedge::mcp {
namespace {

constexpr std::size_t page_size = 500;
constexpr std::string_view paged = "page:";

RpcError wrong(std::string why, Json data = nullptr) {
    return {rpc::invalid_params, std::move(why), std::move(data)};
}

/// Missing arguments are none.
const Json& arguments_of(const Json& params) {
    static const Json none = JsonObject();
    const Json* arguments = member(params, "arguments");
    return arguments ? *arguments : none;
}

} // namespace

ServerSession::Answer ServerSession::initialize(const Json& params) {
    const std::string wanted = text_of(params, "protocolVersion");
    const bool spoken = is_known_version(wanted) && era_of(wanted) == Era::handshake;
    auto client = std::make_shared<Caller>();
    client->era = Era::handshake;
    client->version = spoken ? wanted : std::string(handshake_versions[0]);
    if (const Json* capabilities = member(params, "capabilities"))
        client->capabilities = *capabilities;
    client->log_level = "info";
    std::lock_guard lock(mutex_);
    client_ = client;
    if (!listening_)
        listening_ =
            service_.listen([weak = weak_from_this()](Service::List list, std::string_view uri) {
                if (const auto session = weak.lock()) session->hear(list, uri);
            });
    JsonObject result{{"protocolVersion", client->version},
                      {"capabilities", service_.capabilities()},
                      {"serverInfo", service_.info()}};
    if (!service_.instructions().empty()) result["instructions"] = service_.instructions();
    return Json(std::move(result));
}

ServerSession::Answer ServerSession::discover() const {
    Json capabilities = service_.capabilities();
    if (service_.tasks().state)
        capabilities.get_object()["extensions"] = JsonObject{{tasks_extension, JsonObject()}};
    JsonObject result{{"supportedVersions", JsonArray{modern_version}},
                      {"capabilities", std::move(capabilities)},
                      {"ttlMs", 0},
                      {"cacheScope", "private"}};
    if (!service_.instructions().empty()) result["instructions"] = service_.instructions();
    return Json(std::move(result));
}

ServerSession::Answer ServerSession::list(std::string_view method, const Json& params,
                                          bool modern) const {
    JsonArray all =
        method == "tools/list" ? service_.listed_tools()
        : method == "prompts/list"
            ? service_.listed_prompts()
            : service_.listed_resources(method == "resources/templates/list", traits_.user);
    std::size_t from = 0;
    if (const auto cursor = string_member(params, "cursor")) {
        const auto [end, error] =
            std::from_chars(cursor->data(), cursor->data() + cursor->size(), from);
        if (error != std::errc() || end != cursor->data() + cursor->size() || from == 0 ||
            from >= all.size())
            return wrong("the cursor is not one of this list");
    }
    const char* key = method == "tools/list"       ? "tools"
                      : method == "prompts/list"   ? "prompts"
                      : method == "resources/list" ? "resources"
                                                   : "resourceTemplates";
    JsonObject result;
    if (from + page_size < all.size()) result["nextCursor"] = std::to_string(from + page_size);
    if (from > 0) all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(from));
    if (all.size() > page_size) all.resize(page_size);
    result[key] = std::move(all);
    if (modern) {
        result["ttlMs"] = 0;
        result["cacheScope"] = "private";
    }
    return Json(std::move(result));
}

/// What is in memory first, by number; then, from a cursor that begins with `paged` on, what the
/// pager has.
ServerSession::Answer ServerSession::list_resources(const Json& params, ServedCall& call) {
    const auto cursor = string_member(params, "cursor").value_or("");
    const bool among_pages = cursor.starts_with(paged);
    Answer answer = among_pages ? Json(JsonObject{{"resources", JsonArray()}})
                                : list("resources/list", params, call.modern());
    Json* result = std::get_if<Json>(&answer);
    if (!result || member(*result, "nextCursor")) return answer;
    auto page = service_.pager()(among_pages ? cursor.substr(paged.size()) : "", call);
    if (!page && page.error().code == "input_validation")
        return wrong("the cursor is not one of this list");
    if (!page) return call.failed(page.error());
    JsonObject& object = result->get_object();
    JsonArray& resources = object["resources"].get_array();
    for (Json& each : page->resources) resources.push_back(std::move(each));
    if (!page->next.empty()) object["nextCursor"] = std::string(paged) + page->next;
    if (call.modern()) {
        object["ttlMs"] = 0;
        object["cacheScope"] = "private";
    }
    return answer;
}

ServerSession::Answer ServerSession::call_tool(const Json& params, ServedCall& call) {
    const auto tool = service_.tool(text_of(params, "name"));
    if (!tool) return wrong("Unknown tool: " + text_of(params, "name"));
    const Json& arguments = arguments_of(params);
    if (!arguments.is_object()) return wrong("arguments must be an object");
    if (const auto violations =
            tool->schema ? tool->schema->check(arguments) : std::vector<schema::Violation>();
        !violations.empty()) {
        // Worded as `foxwedge call` and agents word it: the same call, the same answer.
        std::string text;
        for (const auto& each : violations)
            text += (text.empty() ? "- " : "\n- ") +
                    (each.instance_pointer.empty() ? "the whole" : each.instance_pointer) + ": " +
                    each.message;
        return served_result(error_result("input_validation", std::move(text)));
    }
    auto result = tool->run(arguments, call);
    if (result) return served_result(*std::move(result));
    const Error& error = result.error();
    const bool about_input =
        error.code == input_required_code || error.code == "missing_capability";
    if (about_input && call.modern()) return call.failed(error);
    if (error.code == task_code && call.can_follow()) return call.task();
    return served_result(error_result(error.code, error.message));
}

ServerSession::Answer ServerSession::get_prompt(const Json& params, ServedCall& call) {
    const auto prompt = service_.prompt(text_of(params, "name"));
    if (!prompt) return wrong("Unknown prompt: " + text_of(params, "name"));
    const Json& arguments = arguments_of(params);
    if (const JsonArray* declared = array_member(prompt->listed, "arguments"))
        for (const Json& each : *declared)
            if (bool_member(each, "required").value_or(false) &&
                !member(arguments, text_of(each, "name")))
                return wrong("the argument \"" + text_of(each, "name") + "\" is missing");
    auto got = prompt->get(arguments, call);
    if (!got) return call.failed(got.error());
    return std::move(*got);
}

ServerSession::Answer ServerSession::read_resource(const Json& params, ServedCall& call) {
    const std::string uri = text_of(params, "uri");
    Json variables = JsonObject();
    const auto resource = service_.resource(uri, variables);
    if (!resource) return wrong("Resource not found: " + uri, Json{{"uri", uri}});
    auto contents = resource->read(uri, variables, call);
    if (!contents) return call.failed(contents.error());
    JsonObject result{{"contents", std::move(*contents)}};
    if (call.modern()) {
        result["ttlMs"] = 0;
        result["cacheScope"] = "private";
    }
    return Json(std::move(result));
}

ServerSession::Answer ServerSession::get_task(const Json& params, ServedCall& call) {
    auto state = service_.tasks().state(text_of(params, "taskId"), call);
    if (!state) return call.failed(state.error());
    return std::move(*state);
}

ServerSession::Answer ServerSession::cancel_task(const Json& params, ServedCall& call) {
    if (auto done = service_.tasks().cancel(text_of(params, "taskId"), call); !done)
        return call.failed(done.error());
    return Json(JsonObject());
}

/// A task never asks for input here: what can be asked is asked before it becomes one. Answers to
/// what was not asked are passed over.
ServerSession::Answer ServerSession::update_task(const Json& params, ServedCall& call) {
    if (auto state = service_.tasks().state(text_of(params, "taskId"), call); !state)
        return call.failed(state.error());
    return Json(JsonObject());
}

ServerSession::Answer ServerSession::complete(const Json& params, ServedCall& call) {
    if (!service_.completion())
        return Json{{"completion", {{"values", JsonArray()}, {"total", 0}, {"hasMore", false}}}};
    auto completion = service_.completion()(params, call);
    if (!completion) return call.failed(completion.error());
    return Json{{"completion", std::move(*completion)}};
}

} // namespace foxwedge::mcp
