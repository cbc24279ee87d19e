// The compiler's way through keywords that hold subschemas and references.
#include "schema/compiler_draft.hpp"
#include "schema/uri.hpp"

namespace foxwedge::schema {
Status Compiler::keyword(Draft_& draft, Keyword keyword, const Json& value) {
    switch (keyword) {
    case Keyword::ref:
    case Keyword::dynamic_ref:
    case Keyword::recursive_ref:
        return reference(draft, keyword, value);
    case Keyword::if_:
        draft.if_ = &value;
        return {};
    case Keyword::then:
        draft.then = &value;
        return {};
    case Keyword::else_:
        draft.else_ = &value;
        return {};
    case Keyword::unevaluated_items:
        draft.unevaluated_items = &value;
        return {};
    case Keyword::unevaluated_properties:
        draft.unevaluated_properties = &value;
        return {};
    case Keyword::additional_items:
        draft.additional_items = &value;
        return {};
    case Keyword::all_of:
        return list(draft, OpKind::apply, value);
    case Keyword::any_of:
        return list(draft, OpKind::any_of, value);
    case Keyword::one_of:
        return list(draft, OpKind::one_of, value);
    case Keyword::properties:
        return properties(draft, value);
    case Keyword::pattern_properties:
        return pattern_properties(draft, value);
    case Keyword::dependent_schemas:
    case Keyword::dependent_required:
    case Keyword::dependencies:
        return dependencies(draft, keyword, value);
    case Keyword::not_:
    case Keyword::additional_properties:
    case Keyword::property_names:
    case Keyword::items:
    case Keyword::prefix_items:
    case Keyword::contains:
        return subschemas(draft, keyword, value);
    default:
        return assertion(draft, keyword, value);
    }
}

Status Compiler::subschemas(Draft_& draft, Keyword keyword, const Json& value) {
    bool is_list = value.is_array();
    if (keyword == Keyword::prefix_items ||
        (keyword == Keyword::items && is_list && draft.dialect.draft != Draft::draft2020_12)) {
        if (!is_list) return malformed(draft, value, "must be a list of schemas");
        if (keyword == Keyword::items) {
            draft.items_list = &value; // with additionalItems, wherever that stands
            return {};
        }
        if (!draft.elements) draft.elements.emplace();
        for (const auto& element : value.get_array()) {
            FOXWEDGE_TRY(id, sub(draft, element));
            draft.elements->prefix.push_back(id);
        }
        if (!draft.elements_keyword) draft.elements_keyword = &value;
        return {};
    }
    FOXWEDGE_TRY(id, sub(draft, value));
    switch (keyword) {
    case Keyword::items:
        if (!draft.elements) draft.elements.emplace();
        draft.elements->rest = id;
        draft.elements_keyword = &value;
        break;
    case Keyword::contains:
        if (!draft.contains) draft.contains.emplace();
        draft.contains->node = id;
        draft.contains->annotates = draft.dialect.draft == Draft::draft2020_12;
        break;
    case Keyword::additional_properties:
        draft.member_part(value).additional = id;
        break;
    default:
        program_.targets.push_back(id);
        draft.ops.push_back({keyword == Keyword::not_ ? OpKind::not_ : OpKind::names, 0,
                             static_cast<std::uint32_t>(program_.targets.size()) - 1, 1, &value});
    }
    return {};
}

Status Compiler::properties(Draft_& draft, const Json& value) {
    if (!value.is_object()) return malformed(draft, value, "must be an object of schemas");
    auto& part = draft.member_part(value);
    for (const auto& member : value.get_object()) {
        FOXWEDGE_TRY(id, sub(draft, member.value()));
        part.slots.push_back({key_of(member), id, false});
    }
    return {};
}

Status Compiler::pattern_properties(Draft_& draft, const Json& value) {
    if (!value.is_object()) return malformed(draft, value, "must be an object of schemas");
    auto& part = draft.member_part(value);
    for (const auto& member : value.get_object()) {
        FOXWEDGE_TRY(id, sub(draft, member.value()));
        FOXWEDGE_TRY(matcher, pattern(draft, member.value(), key_of(member)));
        if (matcher == none)
            part.unchecked_pattern = true;
        else
            part.patterns.push_back({matcher, id});
    }
    return {};
}

Status Compiler::list(Draft_& draft, OpKind kind, const Json& value) {
    if (!value.is_array() || value.get_array().empty())
        return malformed(draft, value, "must be a list of schemas that is not empty");
    std::vector<NodeId> nodes;
    for (const auto& element : value.get_array()) {
        FOXWEDGE_TRY(id, sub(draft, element));
        nodes.push_back(id);
    }
    auto first = static_cast<std::uint32_t>(program_.targets.size());
    program_.targets.insert(program_.targets.end(), nodes.begin(), nodes.end());
    auto count = static_cast<std::uint32_t>(nodes.size());
    if (kind != OpKind::apply)
        draft.ops.push_back({kind, 0, first, count, &value});
    else
        for (std::uint32_t i = 0; i < count; ++i)
            draft.ops.push_back({kind, 0, first + i, 1, &value.get_array()[i]});
    return {};
}

Status Compiler::dependencies(Draft_& draft, Keyword keyword, const Json& value) {
    if (!value.is_object()) return malformed(draft, value, "must be an object");
    for (const auto& member : value.get_object()) {
        const auto& needed = member.value();
        bool names = keyword == Keyword::dependent_required ||
                     (keyword == Keyword::dependencies && !needed.is_object() && !needed.is_bool());
        if (names) {
            FOXWEDGE_CHECK(needs(draft, key_of(member), needed, needed));
            continue;
        }
        FOXWEDGE_TRY(id, sub(draft, needed));
        program_.needs.push_back({key_of(member), {}});
        program_.targets.push_back(id);
        draft.ops.push_back({OpKind::dependent,
                             static_cast<std::uint32_t>(program_.needs.size()) - 1,
                             static_cast<std::uint32_t>(program_.targets.size()) - 1, 1, &needed});
    }
    return {};
}

Status Compiler::needs(Draft_& draft, std::string_view trigger, const Json& names,
                       const Json& keyword) {
    NeedsPart part{trigger, {}};
    if (names.is_string()) { // drafts before 04 allowed it, and it is clear what is meant
        part.names.push_back(view(names.get_string()));
    } else {
        if (!names.is_array()) return malformed(draft, names, "must be a list of property names");
        for (const auto& name : names.get_array()) {
            if (!name.is_string()) return malformed(draft, name, "must be a property name");
            part.names.push_back(view(name.get_string()));
        }
    }
    program_.needs.push_back(std::move(part));
    draft.ops.push_back(
        {OpKind::needs, static_cast<std::uint32_t>(program_.needs.size()) - 1, 0, 0, &keyword});
    return {};
}

Status Compiler::reference(Draft_& draft, Keyword keyword, const Json& value) {
    if (!value.is_string()) return malformed(draft, value, "must be a URI reference");
    auto text = view(value.get_string());
    auto found = library_.find(text, draft.at.resource);
    if (!found) {
        auto error = std::move(found).error();
        if (error.details.empty())
            error.details = "{\"schemaPointer\":" + quoted(library_.pointer_of(value)) + "}";
        return error;
    }
    auto target = *found;
    if (keyword == Keyword::recursive_ref &&
        library_.dynamic_anchor(target.resource, recursive_name))
        return dynamic_reference(draft, recursive_name, target, value);
    if (keyword == Keyword::dynamic_ref) {
        // Dynamic only if what it finds at first was named by $dynamicAnchor.
        auto name = percent_decoded(split_fragment(text).fragment);
        if (!name.empty() && name[0] != '/' &&
            library_.dynamic_anchor(target.resource, name) == target.schema)
            return dynamic_reference(draft, name, target, value);
    }
    auto id = node_for(target);
    program_.targets.push_back(id);
    draft.ops.push_back(
        {OpKind::apply, 0, static_cast<std::uint32_t>(program_.targets.size()) - 1, 1, &value});
    return {};
}

Status Compiler::dynamic_reference(Draft_& draft, std::string_view name, Location fallback,
                                   const Json& value) {
    auto id = node_for(fallback);
    program_.dynamics.push_back({id, {}});
    dynamic_names_.emplace_back(name);
    draft.ops.push_back(
        {OpKind::dynamic, static_cast<std::uint32_t>(program_.dynamics.size()) - 1, 0, 0, &value});
    return {};
}

Result<std::int32_t> Compiler::pattern(Draft_&, const Json& value, std::string_view text) {
    if (auto found = pattern_of_.find(text); found != pattern_of_.end()) return found->second;
    auto compiled = Pattern::compile(text);
    std::int32_t index = none;
    if (compiled) {
        index = static_cast<std::int32_t>(program_.patterns.size());
        program_.patterns.push_back(*std::move(compiled));
    } else {
        auto error = std::move(compiled).error();
        auto where = library_.pointer_of(value);
        if (options_.strict_patterns) {
            error.details = "{\"schemaPointer\":" + quoted(where) + "}";
            return error;
        }
        warnings_.push_back("not checked, at \"" + where + "\": " + error.message);
    }
    pattern_of_.emplace(text, index);
    return index;
}

} // namespace foxwedge::schema
