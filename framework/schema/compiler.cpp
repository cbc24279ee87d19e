#include "schema/compiler.hpp"

#include <algorithm>

#include "schema/compiler_draft.hpp"

namespace foxwedge::schema {
namespace {

template <class Part>
std::int32_t keep(std::vector<Part>& parts, std::optional<Part>& part) {
    if (!part) return none;
    parts.push_back(std::move(*part));
    return static_cast<std::int32_t>(parts.size()) - 1;
}

} // namespace

Compiler::Compiler(const CompileOptions& options, Library& library, Program& program,
                   std::vector<std::string>& warnings)
    : options_(options), library_(library), program_(program), warnings_(warnings) {}

Status Compiler::run(const Json& document) {
    program_.root = node_for({&document, library_.resource_of(document, 0)});
    do {
        while (!queue_.empty()) FOXWEDGE_CHECK(compile(static_cast<NodeId>(compiled_)));
    } while (extend_dynamics());
    program_.documents = library_.documents();
    if (program_.dynamics.empty()) shorten();
    for (const auto& node : program_.nodes) program_.evaluates |= node.evaluates;
    return no_circles();
}

NodeId Compiler::node_for(Location at) {
    auto [found, fresh] = by_schema_.emplace(at.schema, static_cast<NodeId>(program_.nodes.size()));
    if (fresh) {
        program_.nodes.emplace_back().schema = at.schema;
        queue_.push_back(at);
    }
    return found->second;
}

Result<NodeId> Compiler::sub(const Draft_& draft, const Json& value) {
    if (!value.is_object() && !value.is_bool())
        return malformed(draft, value, "must be a schema (an object or a boolean)");
    return node_for({&value, library_.resource_of(value, draft.at.resource)});
}

Error Compiler::malformed(const Draft_&, const Json& value, const char* expected) const {
    auto where = library_.pointer_of(value);
    auto error = invalid_schema("the schema's \"" + where + "\" " + expected);
    error.details = "{\"schemaPointer\":" + quoted(where) + "}";
    return error;
}

Status Compiler::compile(NodeId id) {
    Draft_ draft;
    draft.id = id;
    draft.at = queue_.front();
    queue_.pop_front();
    ++compiled_;
    const Json& schema = *draft.at.schema;
    draft.dialect = library_[draft.at.resource].dialect;
    draft.node.schema = &schema;
    draft.node.resource = draft.at.resource;
    if (schema.is_bool()) {
        draft.node.never = !schema.get_bool();
    } else if (!schema.is_object()) {
        return malformed(draft, schema, "must be a schema (an object or a boolean)");
    } else if (const auto* ref = schema.get_object().if_contains("$ref");
               ref && draft.dialect.draft <= Draft::draft7) {
        FOXWEDGE_CHECK(reference(draft, Keyword::ref, *ref)); // hides everything beside it
    } else {
        for (const auto& member : schema.get_object()) {
            auto name = std::string_view(member.key().data(), member.key().size());
            auto known = keyword_of(name, draft.dialect).keyword;
            if (known != Keyword::unknown) FOXWEDGE_CHECK(keyword(draft, known, member.value()));
        }
    }
    return lay_out(draft);
}

/// Cheap judgements first; what depends on the others' notes last.
Status Compiler::lay_out(Draft_& draft) {
    auto& node = draft.node;
    if (draft.number) {
        auto& number = *draft.number;
        if (draft.exclusive_minimum) std::swap(number.minimum, number.exclusive_minimum);
        if (draft.exclusive_maximum) std::swap(number.maximum, number.exclusive_maximum);
    }
    node.string = keep(program_.strings, draft.string);
    node.number = keep(program_.numbers, draft.number);
    node.count = keep(program_.counts, draft.count);
    node.plain = !node.never && node.string == none && node.number == none && node.count == none &&
                 node.choice == none;

    std::vector<Op> ops;
    auto add = [&](OpKind kind, std::int32_t part, const Json* keyword) {
        ops.push_back({kind, static_cast<std::uint32_t>(part), 0, 0, keyword});
    };
    auto target = [&](const Json& value) -> Result<std::uint32_t> {
        FOXWEDGE_TRY(id, sub(draft, value));
        program_.targets.push_back(id);
        return static_cast<std::uint32_t>(program_.targets.size()) - 1;
    };
    if (draft.members) {
        draft.members->index(draft.required);
        add(OpKind::members, keep(program_.members, draft.members), draft.members_keyword);
    }
    if (draft.items_list) {
        draft.elements.emplace();
        for (const auto& element : draft.items_list->get_array()) {
            FOXWEDGE_TRY(id, sub(draft, element));
            draft.elements->prefix.push_back(id);
        }
        draft.elements_keyword = draft.items_list;
        if (draft.additional_items) {
            FOXWEDGE_TRY(rest, sub(draft, *draft.additional_items));
            draft.elements->rest = rest;
        }
    }
    if (draft.elements)
        add(OpKind::elements, keep(program_.elements, draft.elements), draft.elements_keyword);
    if (draft.contains && draft.contains->node != no_node)
        add(OpKind::contains, keep(program_.contains, draft.contains), nullptr);
    ops.insert(ops.end(), draft.ops.begin(), draft.ops.end());
    if (draft.if_ && (draft.then || draft.else_ || draft.dialect.draft >= Draft::draft2019_09)) {
        auto first = static_cast<std::uint32_t>(program_.targets.size());
        for (const auto* branch : {draft.if_, draft.then, draft.else_}) {
            if (!branch) {
                program_.targets.push_back(no_node);
                continue;
            }
            FOXWEDGE_CHECK(target(*branch));
        }
        ops.push_back({OpKind::if_, 0, first, 3, draft.if_});
    }
    for (auto [keyword, kind] :
         {std::pair(draft.unevaluated_items, OpKind::unevaluated_items),
          std::pair(draft.unevaluated_properties, OpKind::unevaluated_properties)}) {
        if (!keyword) continue;
        FOXWEDGE_TRY(first, target(*keyword));
        ops.push_back({kind, 0, first, 1, keyword});
        node.evaluates = true;
    }
    node.first_op = static_cast<std::uint32_t>(program_.ops.size());
    node.ops = static_cast<std::uint32_t>(ops.size());
    node.leaf = ops.empty();
    program_.ops.insert(program_.ops.end(), ops.begin(), ops.end());
    program_.nodes[draft.id] = node;
    return {};
}

bool Compiler::extend_dynamics() {
    auto before = program_.nodes.size();
    for (std::size_t i = 0; i < dynamic_names_.size(); ++i) {
        std::vector<std::pair<std::uint32_t, NodeId>> found;
        for (ResourceId resource = 0; resource < library_.size(); ++resource)
            if (const auto* schema = library_.dynamic_anchor(resource, dynamic_names_[i]))
                found.emplace_back(resource,
                                   node_for({schema, library_.resource_of(*schema, resource)}));
        program_.dynamics[i].by_resource = std::move(found);
    }
    return program_.nodes.size() != before;
}

void Compiler::shorten() {
    const auto& nodes = program_.nodes;
    auto leads_on = [&](NodeId id) {
        const auto& node = nodes[id];
        return node.ops == 1 && node.plain && node.types == any_type &&
               program_.ops[node.first_op].kind == OpKind::apply;
    };
    auto end_of = [&](NodeId id) {
        for (std::size_t hops = 0; id != no_node && leads_on(id); ++hops) {
            if (hops > nodes.size()) break; // a circle, reported later
            id = program_.targets[program_.ops[nodes[id].first_op].first];
        }
        return id;
    };
    for (auto& target : program_.targets) target = end_of(target);
    for (auto& part : program_.members) {
        for (auto& slot : part.slots) slot.node = end_of(slot.node);
        for (auto& matching : part.patterns) matching.node = end_of(matching.node);
        part.additional = end_of(part.additional);
    }
    for (auto& part : program_.elements) {
        for (auto& node : part.prefix) node = end_of(node);
        part.rest = end_of(part.rest);
    }
    for (auto& part : program_.contains) part.node = end_of(part.node);
    program_.root = end_of(program_.root);
}

/// A schema that applies itself to the same value would never end.
Status Compiler::no_circles() const {
    enum : std::uint8_t { unseen, open, done };
    std::vector<std::uint8_t> state(program_.nodes.size(), unseen);
    struct Visit {
        NodeId node;
        std::uint32_t op;
        std::uint32_t target;
    };
    for (NodeId start = 0; start < program_.nodes.size(); ++start) {
        if (state[start] != unseen) continue;
        std::vector<Visit> path{{start, 0, 0}};
        state[start] = open;
        while (!path.empty()) {
            auto& [id, op_index, target_index] = path.back();
            const auto& node = program_.nodes[id];
            if (op_index == node.ops) {
                state[id] = done;
                path.pop_back();
                continue;
            }
            const auto& op = program_.ops[node.first_op + op_index];
            bool same_value = op.kind == OpKind::apply || op.kind == OpKind::dependent ||
                              op.kind == OpKind::any_of || op.kind == OpKind::one_of ||
                              op.kind == OpKind::not_ || op.kind == OpKind::if_;
            if (!same_value || target_index == op.count) {
                ++op_index;
                target_index = 0;
                continue;
            }
            auto next = program_.targets[op.first + target_index++];
            if (next == no_node || state[next] == done) continue;
            if (state[next] == open) {
                auto where = library_.pointer_of(*program_.nodes[next].schema);
                return invalid_schema("the schema at \"" + where +
                                      "\" applies itself to the same value without end");
            }
            state[next] = open;
            path.push_back({next, 0, 0});
        }
    }
    return {};
}

} // namespace foxwedge::schema
