#include "compose/served_runs.hpp"

namespace foxwedge::compose {
namespace {

constexpr std::string_view runs_scheme = "foxwedge://runs/";
constexpr int listed_runs = 50;

using journal::RunHead;

/// The runs of one user of this host.
class UserRuns {
public:
    UserRuns(Host& host, std::string_view recognised, const std::string& default_user)
        : host_(host), user_(recognised.empty() ? default_user : std::string(recognised)) {}

    std::vector<RunHead> newest(std::string_view id_prefix, int limit) const {
        journal::RunQuery query;
        query.host = host_.config().name;
        query.id_prefix = id_prefix;
        query.limit = limit;
        auto runs = host_.engine().runs(query);
        if (!runs) return {};
        std::erase_if(*runs, [this](const RunHead& head) { return !owns(head); });
        return *std::move(runs);
    }
    Result<RunHead> one(std::string_view id) const {
        auto head = host_.engine().head(id);
        if (head && head->host == host_.config().name && owns(*head)) return head;
        return permanent("not_found", "Resource not found: " + run_uri(id));
    }

private:
    bool owns(const RunHead& head) const {
        const auto labels = parse_json(head.labels_json);
        return labels && string_member(*labels, "user").value_or("") == user_;
    }

    Host& host_;
    const std::string user_;
};

Json parsed(const std::string& text) {
    auto value = parse_json(text.empty() ? "null" : text);
    return value ? *std::move(value) : Json();
}

Json listed(const RunHead& head) {
    return {{"uri", run_uri(head.id)},
            {"name", head.workflow + " " + head.id},
            {"description", "A run of " + head.workflow + ", " + journal::to_string(head.status)},
            {"mimeType", "application/json"}};
}

JsonArray open_questions(Host& host, const std::string& run) {
    JsonArray open;
    journal::GateQuery query;
    query.root = run;
    if (const auto gates = host.engine().gates(query))
        for (const auto& gate : *gates) {
            JsonObject one{{"id", gate.id}, {"kind", gate.kind}, {"step", gate.step}};
            one["about"] = parsed(gate.about_json);
            open.push_back(std::move(one));
        }
    return open;
}

Json described(Host& host, const RunHead& head) {
    JsonObject out{{"id", head.id},
                   {"workflow", head.workflow},
                   {"status", journal::to_string(head.status)},
                   {"created", to_text(head.created)},
                   {"updated", to_text(head.updated)}};
    out["input"] = parsed(head.input_json);
    if (head.result && head.result->error)
        out["error"] = JsonObject{{"code", head.result->error->code},
                                  {"message", head.result->error->message}};
    else if (head.result)
        out["result"] = parsed(head.result->value_json);
    if (auto open = open_questions(host, head.id); !open.empty()) out["waitsFor"] = std::move(open);
    return out;
}

Json completion_of(const Json& params, const UserRuns& runs) {
    JsonArray values;
    const Json* ref = member(params, "ref");
    const Json* argument = member(params, "argument");
    const bool meant = ref && argument && string_member(*argument, "name") == "id" &&
                       string_member(*ref, "uri").value_or("").starts_with(runs_scheme);
    if (meant)
        for (const auto& head :
             runs.newest(string_member(*argument, "value").value_or(""), mcp::most_completed))
            values.push_back(Json(head.id));
    JsonObject completion;
    completion["values"] = std::move(values);
    return completion;
}

} // namespace

std::string run_uri(std::string_view run) {
    return std::string(runs_scheme) + std::string(run);
}

Result<RunHead> run_of_user(Host& host, std::string_view id, std::string_view recognised,
                            const std::string& default_user) {
    return UserRuns(host, recognised, default_user).one(id);
}

void serve_runs(Host& host, const std::string& default_user, mcp::Service& service) {
    service.list_also([&host, default_user](std::string_view user) {
        JsonArray list;
        for (const auto& head : UserRuns(host, user, default_user).newest("", listed_runs))
            list.push_back(listed(head));
        return list;
    });
    service.add(mcp::ServedResource{
        Json{{"uriTemplate", std::string(runs_scheme) + "{id}"},
             {"name", "run"},
             {"description", "A run of this host: its input, status and result"},
             {"mimeType", "application/json"}},
        [&host, default_user](std::string_view uri, const Json& variables,
                              mcp::Served& served) -> Result<JsonArray> {
            const auto id = string_member(variables, "id").value_or("");
            FOXWEDGE_TRY(head, UserRuns(host, served.user(), default_user).one(id));
            return JsonArray{JsonObject{{"uri", uri},
                                        {"mimeType", "application/json"},
                                        {"text", to_pretty_text(described(host, head))}}};
        }});
    service.complete_with(
        [&host, default_user](const Json& params, mcp::Served& served) -> Result<Json> {
            return completion_of(params, UserRuns(host, served.user(), default_user));
        });
}

} // namespace foxwedge::compose
