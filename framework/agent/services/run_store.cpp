#include "agent/services/run_store.hpp"

#include <algorithm>

namespace foxwedge::agent {
namespace {

constexpr std::size_t max_key = 2000;
constexpr std::size_t max_value = 4u << 20;
constexpr int max_page = 200;

Error unfit(std::string message) {
    return permanent("input_validation", std::move(message));
}

Status check_key(const StoreOp& op) {
    if (op.key.empty()) return unfit("a key may not be empty");
    if (op.key.size() > max_key) return unfit("a key may have at most 2,000 bytes");
    return {};
}

journal::Effect effect_of(const std::string& collection, const StoreOp& op) {
    journal::Effect effect;
    effect.collection = collection;
    effect.key = op.key;
    effect.expect = op.expect;
    switch (op.kind) {
    case StoreOp::Kind::put:
        effect.kind = journal::Effect::Kind::put;
        effect.value_json = op.value_json;
        break;
    case StoreOp::Kind::add:
        effect.kind = journal::Effect::Kind::add;
        effect.add_json = op.by_json;
        break;
    default:
        effect.kind = journal::Effect::Kind::remove;
    }
    return effect;
}

Result<Json> sum(const Json* current, const Json& by) {
    if (current && !current->is_number()) return unfit("what is stored is no number");
    if (!by.is_number()) return unfit("only numbers can be added");
    if (!current) return by;
    if (current->is_int64() && by.is_int64()) {
        std::int64_t total = 0;
        if (!__builtin_add_overflow(current->get_int64(), by.get_int64(), &total))
            return Json(total);
    }
    return Json(current->to_number<double>() + by.to_number<double>());
}

} // namespace

Result<std::string> added_json(std::string_view current_json, bool exists, std::string_view by) {
    FOXWEDGE_TRY(more, parse_json(by));
    Json current;
    if (exists) {
        FOXWEDGE_TRY(read, parse_json(current_json));
        current = std::move(read);
    }
    if (!more.is_object()) {
        FOXWEDGE_TRY(total, sum(exists ? &current : nullptr, more));
        return to_text(total);
    }
    if (exists && !current.is_object()) return unfit("what is stored is no object of numbers");
    if (!exists) current = JsonObject();
    for (const auto& entry : more.get_object()) {
        FOXWEDGE_TRY(total, sum(current.get_object().if_contains(entry.key()), entry.value()));
        current.get_object()[entry.key()] = total;
    }
    return to_text(current);
}

RunStore::RunStore(StoreReader* reader, Scope scope, bool writes)
    : reader_(reader), scope_(std::move(scope)), writes_(writes) {}

Result<std::string> RunStore::collection_of(std::string_view name_space, const StoreOp& op) const {
    const std::string* id = nullptr;
    if (op.scope == "project" || op.scope.empty()) id = &scope_.project;
    if (op.scope == "conversation") id = &scope_.conversation;
    if (op.scope == "user") id = &scope_.user;
    if (!id) return unfit("no scope is called \"" + op.scope + "\"");
    if (id->empty()) return permanent("unavailable", "this call has no " + op.scope);
    return journal::collection_name(name_space, op.scope.empty() ? "project" : op.scope, *id);
}

Result<std::vector<StoreAnswer>> RunStore::apply(std::string_view name_space,
                                                 std::span<const StoreOp> ops) {
    const std::lock_guard lock(mutex_);
    if (over_) return permanent("cancelled", "the call is over");
    if (!reader_) return permanent("unavailable", "this host has no store");
    // All or nothing: a mistake in the third operation must not leave the first two behind.
    const auto own = own_;
    const std::size_t effects = effects_.size();
    std::vector<StoreAnswer> answers;
    answers.reserve(ops.size());
    for (const StoreOp& op : ops) {
        auto answer = [&]() -> Result<StoreAnswer> {
            FOXWEDGE_TRY(collection, collection_of(name_space, op));
            return one(collection, op);
        }();
        if (!answer) {
            own_ = own;
            effects_.resize(effects);
            return std::move(answer).error();
        }
        answers.push_back(*std::move(answer));
    }
    return answers;
}

Result<StoreAnswer> RunStore::one(const std::string& collection, const StoreOp& op) {
    switch (op.kind) {
    case StoreOp::Kind::scan:
        return scan(collection, op);
    case StoreOp::Kind::changes:
        return changes(collection, op);
    case StoreOp::Kind::get: {
        FOXWEDGE_CHECK(check_key(op));
        FOXWEDGE_TRY(now, state(collection, op.key));
        StoreAnswer answer;
        answer.found = now.exists;
        answer.value_json = now.value_json;
        answer.revision = now.revision;
        return answer;
    }
    default:
        return write(collection, op);
    }
}

Result<RunStore::State> RunStore::state(const std::string& collection, const std::string& key) {
    if (auto found = own_[collection].find(key); found != own_[collection].end())
        return found->second;
    FOXWEDGE_TRY(item, reader_->get(collection, key));
    State out;
    if (!item || item->removed) return out;
    out.exists = true;
    out.value_json = std::move(item->value_json);
    out.revision = item->revision;
    return out;
}

Result<StoreAnswer> RunStore::write(const std::string& collection, const StoreOp& op) {
    if (!writes_) return permanent("read_only", "outside a tool call the store is read-only");
    FOXWEDGE_CHECK(check_key(op));
    if (op.value_json.size() > max_value) return unfit("a value may have at most 4 MiB");
    FOXWEDGE_TRY(now, state(collection, op.key));
    // An own write has no revision to expect yet; only "does not exist" can be told of it.
    if (op.expect && *op.expect != (now.exists ? now.revision : 0))
        return permanent("conflict", "\"" + op.key + "\" has another revision than the expected");
    if (op.expect && now.own && now.exists)
        return permanent("conflict", "\"" + op.key + "\" was written by this very call");
    State next;
    next.own = true;
    next.exists = op.kind != StoreOp::Kind::remove;
    if (op.kind == StoreOp::Kind::put) next.value_json = op.value_json;
    if (op.kind == StoreOp::Kind::add) {
        FOXWEDGE_TRY(total, added_json(now.value_json, now.exists, op.by_json));
        next.value_json = std::move(total);
    }
    StoreAnswer answer;
    answer.found = now.exists;
    answer.value_json = next.value_json;
    own_[collection][op.key] = std::move(next);
    effects_.push_back(effect_of(collection, op));
    return answer;
}

Result<StoreAnswer> RunStore::scan(const std::string& collection, const StoreOp& op) {
    const int limit = std::clamp(op.limit, 1, max_page);
    const OwnWrites& own = own_[collection];
    std::map<std::string, StoreItemView> page;
    // Own deletions thin the page out, so that more committed rows may be needed to fill it.
    std::string after = op.after;
    bool more = true;
    while (more && static_cast<int>(page.size()) <= limit) {
        FOXWEDGE_TRY(rows, reader_->scan(collection, op.prefix, after, limit + 1));
        more = static_cast<int>(rows.size()) > limit;
        for (auto& row : rows) {
            after = row.key;
            if (!own.contains(row.key))
                page[row.key] = {row.key, std::move(row.value_json), row.revision, false};
        }
    }
    for (auto it = own.upper_bound(op.after); it != own.end(); ++it) {
        if (!it->second.exists || !std::string_view(it->first).starts_with(op.prefix)) continue;
        if (more && it->first > after) break;
        page[it->first] = {it->first, it->second.value_json, 0, false};
    }
    StoreAnswer answer;
    for (auto& [key, item] : page) {
        if (static_cast<int>(answer.items.size()) == limit) {
            answer.next = answer.items.back().key;
            break;
        }
        answer.items.push_back(std::move(item));
    }
    if (answer.next.empty() && more && !answer.items.empty()) answer.next = answer.items.back().key;
    answer.found = !answer.items.empty();
    return answer;
}

Result<StoreAnswer> RunStore::changes(const std::string& collection, const StoreOp& op) {
    FOXWEDGE_TRY(rows, reader_->changes(collection, op.since, std::clamp(op.limit, 1, max_page)));
    StoreAnswer answer;
    for (auto& row : rows) {
        answer.revision = row.revision;
        answer.items.push_back(
            {std::move(row.key), std::move(row.value_json), row.revision, row.removed});
    }
    answer.found = !answer.items.empty();
    return answer;
}

Result<std::string> RunStore::folder(std::string_view name_space) {
    const std::lock_guard lock(mutex_);
    if (over_) return permanent("cancelled", "the call is over");
    if (!reader_) return permanent("unavailable", "this host has no store");
    return reader_->folder(name_space);
}

std::vector<journal::Effect> RunStore::take_effects() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    return std::move(effects_);
}

} // namespace foxwedge::agent
