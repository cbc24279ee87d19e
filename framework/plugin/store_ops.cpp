#include <charconv>
#include <optional>
#include <vector>

#include "contracts/services.hpp"
#include "plugin/backend.hpp"

namespace foxwedge::plugin {
namespace {

constexpr std::size_t longest_key = 2000;
constexpr std::int64_t most_items = 1000;

Error bad_op(std::size_t index, std::string_view member_name, std::string_view what) {
    const auto pointer = pointer_append(pointer_append("/ops", index), member_name);
    return permanent("input_validation", pointer + " " + std::string(what),
                     R"({"pointer":)" + foxwedge::quoted(pointer) + "}");
}

std::optional<StoreOp::Kind> kind_of(std::string_view op) {
    using Kind = StoreOp::Kind;
    if (op == "get") return Kind::get;
    if (op == "put") return Kind::put;
    if (op == "delete") return Kind::remove;
    if (op == "add") return Kind::add;
    if (op == "scan") return Kind::scan;
    if (op == "changes") return Kind::changes;
    return std::nullopt;
}

bool wants_key(StoreOp::Kind kind) {
    return kind != StoreOp::Kind::scan && kind != StoreOp::Kind::changes;
}

/// "after" of `changes`: a revision, as a number or as the text that "next" gave.
std::optional<std::uint64_t> revision_in(const Json& value) {
    if (value.is_int64() && value.get_int64() >= 0)
        return static_cast<std::uint64_t>(value.get_int64());
    if (value.is_uint64()) return value.get_uint64();
    if (!value.is_string()) return std::nullopt;
    const auto text = view(value.get_string());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

Status read_after(const Json& json, std::size_t index, StoreOp& op) {
    const auto* after = member(json, "after");
    if (!after || after->is_null()) return {};
    if (op.kind == StoreOp::Kind::changes) {
        const auto revision = revision_in(*after);
        if (!revision) return bad_op(index, "after", "must be a revision");
        op.since = *revision;
    } else if (after->is_string()) {
        op.after = view(after->get_string());
    } else {
        return bad_op(index, "after", "must be a text");
    }
    return {};
}

Result<StoreOp> read_op(const Json& json, std::size_t index) {
    StoreOp op;
    const auto kind = kind_of(string_member(json, "op").value_or(""));
    if (!kind) return bad_op(index, "op", "is none of get, put, delete, add, scan, changes");
    op.kind = *kind;
    op.scope = string_member(json, "scope").value_or("");
    if (op.scope != "project" && op.scope != "conversation" && op.scope != "user")
        return bad_op(index, "scope", "must be project, conversation or user");
    op.key = string_member(json, "key").value_or("");
    if (wants_key(op.kind) && (op.key.empty() || op.key.size() > longest_key))
        return bad_op(index, "key", "must be a text of 1 to 2000 bytes");
    op.prefix = string_member(json, "prefix").value_or("");
    FOXWEDGE_CHECK(read_after(json, index, op));
    if (const auto limit = integer_member(json, "limit")) {
        if (*limit < 1 || *limit > most_items) return bad_op(index, "limit", "must be 1 to 1000");
        op.limit = static_cast<int>(*limit);
    }
    if (op.kind == StoreOp::Kind::put) {
        const auto* value = member(json, "value");
        if (!value) return bad_op(index, "value", "is missing");
        op.value_json = to_text(*value);
    }
    if (op.kind == StoreOp::Kind::add) {
        const auto* by = member(json, "by");
        if (!by || !(by->is_number() || by->is_object()))
            return bad_op(index, "by", "must be a number");
        op.by_json = to_text(*by);
    }
    if (const auto* expect = member(json, "expect")) {
        const auto revision = revision_in(*expect);
        if (!revision || expect->is_string())
            return bad_op(index, "expect", "must be a revision or 0");
        op.expect = *revision;
    }
    return op;
}

void append_item(std::string& out, const StoreItemView& item) {
    out += "{\"key\":";
    append_quoted(out, item.key);
    if (item.removed)
        out += ",\"deleted\":true";
    else
        out += ",\"value\":" + item.value_json;
    if (item.revision) out += ",\"revision\":" + std::to_string(item.revision);
    out += '}';
}

void append_answer(std::string& out, const StoreOp& op, const StoreAnswer& answer) {
    using Kind = StoreOp::Kind;
    out += '{';
    const auto start = out.size();
    const auto part = [&](std::string_view text) {
        if (out.size() > start) out += ',';
        out += text;
    };
    if (op.kind == Kind::get || op.kind == Kind::remove)
        part(answer.found ? "\"found\":true" : "\"found\":false");
    if (!answer.value_json.empty() && op.kind != Kind::remove && op.kind != Kind::put)
        part("\"value\":" + answer.value_json);
    if (answer.revision) part("\"revision\":" + std::to_string(answer.revision));
    if (!wants_key(op.kind)) {
        part("\"items\":[");
        for (std::size_t i = 0; i < answer.items.size(); ++i) {
            if (i) out += ',';
            append_item(out, answer.items[i]);
        }
        out += ']';
    }
    if (!answer.next.empty()) {
        part("\"next\":");
        append_quoted(out, answer.next);
    }
    out += '}';
}

} // namespace

Result<std::string> apply_to_store(std::string_view plugin_id, Call& call,
                                   std::string_view request) {
    if (!call.store) return permanent("unavailable", "there is no store in this call");
    FOXWEDGE_TRY(json, request_json(request));
    const auto* list = array_member(json, "ops");
    if (!list) return permanent("input_validation", "\"ops\" must be an array");
    std::vector<StoreOp> ops;
    for (std::size_t i = 0; i < list->size(); ++i) {
        FOXWEDGE_TRY(op, read_op((*list)[i], i));
        ops.push_back(std::move(op));
    }
    FOXWEDGE_TRY(answers, call.store->apply(plugin_id, ops));
    std::string out = "{\"results\":[";
    for (std::size_t i = 0; i < answers.size() && i < ops.size(); ++i) {
        if (i) out += ',';
        append_answer(out, ops[i], answers[i]);
    }
    return out + "]}";
}

} // namespace foxwedge::plugin
