#include "host.hpp"

#include <algorithm>

namespace plugin_host {

namespace json = foxwedge::plugin;

namespace {

template <class Struct>
Host& host_of(const Struct* service) {
    return *static_cast<Host*>(service->host_data);
}

void give(foxwedge_reply reply, const Value& answer) {
    if (reply.give) reply.give(reply.data, str(to_text(answer)));
}

foxwedge_status refuse(foxwedge_reply reply, foxwedge_status status, std::string_view code,
                       std::string_view message) {
    give(reply, json::object({{"code", code}, {"message", message}}));
    return status;
}

foxwedge_status apply(const foxwedge_call* c, const foxwedge_store* self, foxwedge_str request,
                      foxwedge_reply reply) {
    if (!c) return refuse(reply, FOXWEDGE_E_INVALID, "no_call", "the store needs a call");
    Call& call = Call::of(c);
    MemoryStore::Batch batch = call.writes;
    const StoreAnswer answer = host_of(self).store.apply(batch, Value::parse(view(request)));
    if (answer.code == "conflict")
        return refuse(reply, FOXWEDGE_E_FAILED, answer.code, answer.message);
    if (!answer.code.empty()) return refuse(reply, FOXWEDGE_E_INVALID, answer.code, answer.message);
    if (call.read_only_store && batch.size() != call.writes.size())
        return refuse(reply, FOXWEDGE_E_INVALID, "read_only", "outside a tool's call");
    call.writes = std::move(batch);
    give(reply, answer.answer);
    return FOXWEDGE_OK;
}

foxwedge_status send(const foxwedge_call*, const foxwedge_http* self, foxwedge_str request,
                     const foxwedge_http_receiver* to) {
    Host& host = host_of(self);
    host.requests.push_back(Value::parse(view(request)));
    if (host.transfer) return host.transfer(host.requests.back(), *to);
    auto status = to->head(to->data, str(to_text(host.response_head)));
    for (const auto& piece : host.response_pieces)
        if (status == FOXWEDGE_OK) status = to->chunk(to->data, str(piece));
    if (status != FOXWEDGE_OK) return status;
    if (host.response_status != FOXWEDGE_OK && to->failed)
        to->failed(to->data, str(R"({"code":"connection_lost","message":"the peer hung up"})"));
    return host.response_status;
}

constexpr std::string_view judge_functions[] = {"compile", "release", "validate", "evaluate",
                                                "find_secrets"};
template <int Function>
foxwedge_status ask_judge(const foxwedge_call*, const foxwedge_check* self, foxwedge_str request,
                          foxwedge_reply reply) {
    Host& host = host_of(self);
    if (!host.judge) return refuse(reply, FOXWEDGE_E_UNSUPPORTED, "unavailable", "no judge");
    const auto [status, answer] =
        host.judge(judge_functions[Function], Value::parse(view(request)));
    if (!answer.is_null()) give(reply, answer);
    return status;
}

} // namespace

Call::Call() {
    api_.struct_size = sizeof api_;
    api_.host_data = this;
    api_.step_key = str(step_key_);
    api_.context = str(context_);
    api_.cancelled = [](const foxwedge_call* c) -> std::int32_t {
        const Call& call = of(c);
        return call.cancel_after >= 0 &&
               call.events.size() >= static_cast<std::size_t>(call.cancel_after);
    };
    api_.time_left_ms = [](const foxwedge_call* c) { return of(c).time_left; };
    api_.emit = [](const foxwedge_call* c, std::uint32_t event,
                   foxwedge_str payload) -> foxwedge_status {
        if (c->cancelled(c)) return FOXWEDGE_E_CANCELLED;
        of(c).events.push_back({event, Value::parse(view(payload))});
        return FOXWEDGE_OK;
    };
    api_.set_result = [](const foxwedge_call* c, foxwedge_str text) {
        of(c).result = view(text);
        ++of(c).results;
    };
    api_.set_error = [](const foxwedge_call* c, foxwedge_str code, foxwedge_str message,
                        foxwedge_str details) {
        of(c).code = view(code);
        of(c).message = view(message);
        of(c).details = view(details);
        ++of(c).errors;
    };
}

Host::Host() {
    api_.struct_size = sizeof api_;
    api_.abi_minor = FOXWEDGE_ABI_MINOR;
    api_.host_data = this;
    api_.service = [](const foxwedge_host* h, foxwedge_str id) -> const void* {
        const Host& host = host_of(h);
        const auto& none = host.missing;
        if (std::find(none.begin(), none.end(), view(id)) != none.end()) return nullptr;
        if (view(id) == FOXWEDGE_SERVICE_LOG) return &host.log_;
        if (view(id) == FOXWEDGE_SERVICE_STORE) return &host.store_;
        if (view(id) == FOXWEDGE_SERVICE_HTTP) return &host.http_;
        if (view(id) == FOXWEDGE_SERVICE_CHECK) return &host.check_;
        return nullptr;
    };
    log_ = {sizeof log_, 0, this,
            [](const foxwedge_call*, const foxwedge_log* self, std::uint32_t, foxwedge_str line) {
                host_of(self).log_lines.emplace_back(view(line));
            }};
    store_ = {sizeof store_, 0, this, apply,
              [](const foxwedge_call*, const foxwedge_store* self, foxwedge_reply reply) {
                  const auto& folder = host_of(self).folder;
                  if (folder.empty())
                      return refuse(reply, FOXWEDGE_E_UNSUPPORTED, "unavailable", "no folder here");
                  if (reply.give) reply.give(reply.data, str(folder));
                  return static_cast<foxwedge_status>(FOXWEDGE_OK);
              }};
    http_ = {sizeof http_, 0, this, send};
    check_.struct_size = sizeof check_;
    check_.host_data = this;
    check_.compile = ask_judge<0>;
    check_.release = ask_judge<1>;
    check_.validate = ask_judge<2>;
    check_.evaluate = ask_judge<3>;
    check_.find_secrets = ask_judge<4>;
}

} // namespace plugin_host
