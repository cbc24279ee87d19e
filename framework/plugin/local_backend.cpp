#include "contracts/services.hpp"
#include "plugin/backend.hpp"

namespace foxwedge::plugin {
namespace {

constexpr std::int64_t longest_ms = 24LL * 3600 * 1000;

Error none_here(const char* what) {
    return permanent("unavailable", std::string("there is no ") + what + " in this call");
}

Result<std::string> text(Result<Json> answered) {
    if (!answered) return std::move(answered).error();
    return to_text(*answered);
}

Result<http::RequestField> read_field(std::string_view name, const Json& value) {
    http::RequestField field;
    field.name = name;
    if (value.is_string()) {
        field.value = view(value.get_string());
        return field;
    }
    const auto secret = string_member(value, "secret");
    if (!secret)
        return permanent("invalid_request", "the header " + std::string(name) +
                                                " must be a text or {\"secret\", \"prefix\"?}");
    field.secret = *secret;
    field.value = string_member(value, "prefix").value_or("");
    return field;
}

Status read_time(const Json& json, std::string_view key, Millis& time) {
    const auto* value = member(json, key);
    if (!value || value->is_null()) return {};
    const auto ms = integer_member(json, key);
    if (!ms || *ms < 0 || *ms > longest_ms)
        return permanent("invalid_request", std::string(key) + " must be milliseconds");
    time = Millis(*ms);
    return {};
}

Result<http::Request> read_request(std::string_view text) {
    FOXWEDGE_TRY(json, request_json(text));
    http::Request request;
    request.method = string_member(json, "method").value_or("GET");
    request.url = string_member(json, "url").value_or("");
    request.body = string_member(json, "body").value_or("");
    if (const auto* headers = object_member(json, "headers"))
        for (const auto& [name, value] : *headers) {
            FOXWEDGE_TRY(field, read_field(name, value));
            request.fields.push_back(std::move(field));
        }
    FOXWEDGE_CHECK(read_time(json, "timeoutMs", request.timeout));
    FOXWEDGE_CHECK(read_time(json, "idleTimeoutMs", request.idle_timeout));
    request.follow_redirects = bool_member(json, "redirects").value_or(true);
    return request;
}

std::string head_text(const http::ResponseHead& head) {
    JsonObject headers;
    for (const auto& field : head.headers) {
        auto name = field.name;
        for (char& c : name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (!headers.contains(name)) headers.emplace(name, head.headers.joined(name).value_or(""));
    }
    return to_text(JsonObject{{"status", head.status}, {"headers", std::move(headers)}});
}

class LocalBackend final : public Backend {
public:
    LocalBackend(std::string plugin_id, const Lent& lent, std::shared_ptr<const Masking> masking)
        : id_(std::move(plugin_id)), lent_(lent), masking_(std::move(masking)) {}

    Result<std::string> ask(const Asked& asked) override {
        switch (asked.what) {
        case Ask::store_apply:
            return apply_to_store(id_, asked.call, asked.request);
        case Ask::store_folder:
            if (!asked.call.store) return none_here("store");
            return asked.call.store->folder(id_);
        case Ask::wait_for: {
            if (!asked.call.waits) return none_here("wait");
            FOXWEDGE_TRY(json, request_json(asked.request));
            return text(asked.call.waits->wait_for(json));
        }
        case Ask::agents_start:
        case Ask::agents_next:
        case Ask::agents_cancel:
            return ask_children(asked);
        default:
            return ask_script(asked);
        }
    }

    Status send(const Sending& sending) override {
        const auto client = lent_.http;
        if (!client) return permanent("unavailable", "this host gives plugins no http");
        FOXWEDGE_TRY(request, read_request(sending.request));
        const http::Caller nobody;
        const http::Receiver receiver{
            [&](const http::ResponseHead& head) { return sending.head(head_text(head)); },
            sending.chunk};
        auto sent = client->send(request, sending.access ? *sending.access : nobody, receiver,
                                 sending.until);
        if (!sent) sent.error().message = masking_->masked(sent.error().message);
        return sent;
    }
    bool has_http() const override { return lent_.http != nullptr; }

    void log(LogLevel level, std::string_view line) override {
        if (lent_.log)
            lent_.log->write(level, id_, "plugin says", {{"text", masking_->masked(line)}});
    }

private:
    static Result<std::string> ask_children(const Asked& asked) {
        auto* children = asked.call.children;
        if (!children) return none_here("run that could have children");
        if (asked.what == Ask::agents_next) return text(children->next());
        FOXWEDGE_TRY(json, request_json(asked.request));
        if (asked.what == Ask::agents_start) return text(children->start(json));
        FOXWEDGE_CHECK(children->cancel(json));
        return std::string("{}");
    }

    Result<std::string> ask_script(const Asked& asked) {
        if (!lent_.scripts) return permanent("unavailable", "this host runs no scripts");
        if (asked.what == Ask::script_kill) {
            asked.script.reset();
            return std::string();
        }
        if (asked.what == Ask::script_start) {
            if (asked.script)
                return permanent("invalid_request", "a script runs in this call already");
            FOXWEDGE_TRY(json, request_json(asked.request));
            FOXWEDGE_TRY(started, lent_.scripts(json, asked.call.until));
            asked.script = std::move(started);
            return std::string();
        }
        if (!asked.script) return permanent("invalid_request", "no script runs in this call");
        if (asked.what == Ask::script_next) return text(asked.script->next(asked.call.until));
        FOXWEDGE_TRY(json, request_json(asked.request));
        FOXWEDGE_CHECK(asked.script->answer(json));
        return std::string();
    }

    const std::string id_;
    const Lent lent_;
    const std::shared_ptr<const Masking> masking_;
};

} // namespace

Result<Json> request_json(std::string_view request) {
    auto json = parse_json(request);
    if (!json) return permanent("invalid_request", "no JSON: " + json.error().message);
    if (!json->is_object()) return permanent("invalid_request", "the request must be an object");
    return json;
}

std::unique_ptr<Backend> make_local_backend(std::string plugin_id, const Lent& lent,
                                            std::shared_ptr<const Masking> masking) {
    return std::make_unique<LocalBackend>(std::move(plugin_id), lent, std::move(masking));
}

} // namespace foxwedge::plugin
