#include "compose/served_documents.hpp"

#include <cctype>
#include <charconv>

#include "agent/calls/tool_ids.hpp"
#include "agent/services/run_store.hpp"

namespace foxwedge::compose {
namespace {

constexpr std::string_view documents_scheme = "foxwedge://documents/";
constexpr std::string_view raw_name = "knowledge_documents";
constexpr int page_size = 200;

/// Nothing where a percent sign is followed by anything but two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        unsigned char byte = 0;
        const auto digits = text.substr(at + 1, 2);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
        if (error != std::errc() || end != digits.data() + 2) return std::nullopt;
        out += static_cast<char>(byte);
        at += 2;
    }
    return out;
}

/// The documents as the tool's own actions give them.
class Documents {
public:
    explicit Documents(Host& host) : host_(host) {}

    /// What an action without effect gives; a result with is_error is an error.
    Result<Json> ask(const Json& arguments, const Until& until) const {
        FOXWEDGE_TRY(source, host_.world().capability(agent::component_of(documents_tool)));
        Call call;
        call.until = until;
        call.scope.project = host_.config().project;
        agent::RunStore store(host_.world().store, call.scope, false);
        call.store = &store;
        FOXWEDGE_TRY(result, source->run(raw_name, to_text(arguments), call));
        if (result.is_error)
            return permanent(std::string(string_member(result.details, "code").value_or("failed")),
                             text_of(result));
        return result.structured ? std::move(*result.structured) : Json(JsonObject());
    }

    Result<mcp::ResourcePage> page(std::string_view cursor, const Until& until) const {
        JsonObject list{{"action", "list"}, {"limit", page_size}};
        if (!cursor.empty()) list["cursor"] = cursor;
        FOXWEDGE_TRY(found, ask(list, until));
        mcp::ResourcePage page;
        page.next = std::string(string_member(found, "cursor").value_or(""));
        if (const auto* documents = array_member(found, "documents"))
            for (const Json& each : *documents) {
                const auto id = string_member(each, "documentId").value_or("");
                page.resources.push_back(
                    JsonObject{{"uri", document_uri(id)},
                               {"name", id},
                               {"title", string_member(each, "title").value_or("")},
                               {"mimeType", "text/markdown"}});
            }
        return page;
    }

    Result<JsonArray> read(std::string_view uri, std::string_view encoded_id,
                           const Until& until) const {
        const auto id = percent_decoded(encoded_id);
        auto found =
            id ? ask(JsonObject{{"action", "read"}, {"documentId", *id}}, until) : not_there(uri);
        if (!found && found.error().code == "input_validation") found = not_there(uri);
        if (!found) return std::move(found).error();
        return JsonArray{JsonObject{{"uri", uri},
                                    {"mimeType", "text/markdown"},
                                    {"text", string_member(*found, "markdown").value_or("")}}};
    }

    /// Encoded ids that begin with what was typed.
    Result<Json> completed(std::string_view typed, const Until& until) const {
        JsonArray values;
        std::string cursor;
        do {
            FOXWEDGE_TRY(found, page(cursor, until));
            for (const Json& each : found.resources) {
                const auto id =
                    string_member(each, "uri").value_or("").substr(documents_scheme.size());
                if (id.substr(0, typed.size()) == typed && values.size() < mcp::most_completed)
                    values.push_back(Json(id));
            }
            cursor = std::move(found.next);
        } while (!cursor.empty() && values.size() < mcp::most_completed);
        return Json(JsonObject{{"values", std::move(values)}});
    }

private:
    static Result<Json> not_there(std::string_view uri) {
        return permanent("not_found", "Resource not found: " + std::string(uri));
    }
    static std::string text_of(const ToolResult& result) {
        return result.content.empty()
                   ? std::string()
                   : std::string(string_member(result.content.front(), "text").value_or(""));
    }

    Host& host_;
};

bool is_about_documents(const Json& params) {
    const Json* ref = member(params, "ref");
    return ref && string_member(*ref, "uri").value_or("").starts_with(documents_scheme);
}

} // namespace

std::string document_uri(std::string_view id) {
    constexpr char digits[] = "0123456789ABCDEF";
    std::string out(documents_scheme);
    for (const char c : id) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = std::isalnum(byte) && byte < 0x80;
        if (plain || c == '-' || c == '.' || c == '_' || c == '~')
            out += c;
        else
            (out += '%').append({digits[byte >> 4], digits[byte & 15]});
    }
    return out;
}

void serve_documents(Host& host, mcp::Service& service) {
    const auto entry = host.config().tools.find(std::string(documents_tool));
    if (entry == host.config().tools.end() || !entry->second.enabled ||
        !entry->second.auto_approve || entry->second.approval)
        return;
    const auto& unavailable = host.world().unavailable;
    if (unavailable && !unavailable(agent::component_of(documents_tool)).empty()) return;
    const Documents documents(host);
    service.page_also([documents](std::string_view cursor, mcp::Served& served) {
        return documents.page(cursor, served.until());
    });
    service.add(mcp::ServedResource{
        Json{{"uriTemplate", std::string(documents_scheme) + "{id}"},
             {"name", "document"},
             {"description", "A knowledge document of the project"},
             {"mimeType", "text/markdown"}},
        [documents](std::string_view uri, const Json& variables, mcp::Served& served) {
            return documents.read(uri, string_member(variables, "id").value_or(""), served.until());
        }});
    service.complete_with([documents, others = service.completion()](
                              const Json& params, mcp::Served& served) -> Result<Json> {
        const Json* argument = member(params, "argument");
        if (is_about_documents(params) && argument && string_member(*argument, "name") == "id")
            return documents.completed(string_member(*argument, "value").value_or(""),
                                       served.until());
        if (others) return others(params, served);
        return Json(JsonObject{{"values", JsonArray()}});
    });
}

void tell_of_document(const ToolResult& result, mcp::Service& service) {
    if (result.is_error || !result.structured) return;
    const auto& done = *result.structured;
    const auto id = string_member(done, "documentId");
    const bool listed_anew = member(done, "created") || member(done, "deleted");
    if (!id || !(listed_anew || member(done, "updated"))) return;
    service.changed(document_uri(*id));
    if (listed_anew) service.changed("");
}

} // namespace foxwedge::compose
