#include "schema/library.hpp"

#include "schema/meta.hpp"
#include "schema/uri.hpp"

namespace foxwedge::schema {
namespace {

std::string anchor_key(ResourceId resource, std::string_view name) {
    return std::to_string(resource) + "#" + std::string(name);
}

bool has(const JsonObject& schema, std::string_view key) {
    return schema.contains(key);
}

/// The `$id` that counts: drafts up to 07 ignore everything beside a `$ref`.
std::string_view id_of(const JsonObject& schema, const Dialect& dialect) {
    if (dialect.draft <= Draft::draft7 && has(schema, "$ref")) return {};
    const auto* id = schema.if_contains(dialect.draft == Draft::draft4 ? "id" : "$id");
    return id && id->is_string() ? view(id->get_string()) : std::string_view();
}

} // namespace

Error invalid_schema(std::string message) {
    return permanent("invalid_schema", std::move(message));
}

Library::Library(const CompileOptions& options, std::list<Json>& loaded,
                 boost::json::storage_ptr storage, std::vector<std::string>& warnings)
    : options_(options), loaded_(loaded), storage_(std::move(storage)), warnings_(warnings) {}

Status Library::add(const Json& document) {
    return scan(document, "", {options_.dialect, true, true, true, options_.assert_format});
}

Dialect Library::dialect_for(const Json& schema, Dialect around) {
    auto uri = string_member(schema, "$schema");
    if (!uri) return around;
    if (auto draft = draft_of(*uri)) return {*draft, true, true, true, options_.assert_format};
    if (options_.documents) {
        auto found = options_.documents->find(split_fragment(*uri).document);
        if (found != options_.documents->end()) return dialect_of(found->second, around);
    }
    warnings_.push_back("the $schema " + quoted(uri->substr(0, 200)) +
                        " is not known; the schema is read as the default draft");
    return {options_.dialect, true, true, true, options_.assert_format};
}

ResourceId Library::make_resource(const Json& schema, std::string uri, Dialect dialect) {
    auto id = static_cast<ResourceId>(resources_.size());
    by_uri_.emplace(uri, id);
    by_root_.emplace(&schema, id);
    resources_.push_back({std::move(uri), &schema, dialect});
    return id;
}

/// A schema's own resource if it has an `$id`, else the one around it.
ResourceId Library::enter(const Json& schema, ResourceId around) {
    const auto& object = schema.get_object();
    auto dialect = resources_[around].dialect;
    // Only a resource of its own may be of another draft, which decides what its id is called.
    if (has(object, "$schema") && (has(object, "$id") || has(object, "id")))
        dialect = dialect_for(schema, dialect);
    auto id = id_of(object, dialect);
    auto [document, fragment] = split_fragment(id);
    if (document.empty()) return around;
    return make_resource(schema, resolved(resources_[around].uri, document), dialect);
}

void Library::name_anchors(const JsonObject& schema, const Json& where, ResourceId resource) {
    const auto& dialect = resources_[resource].dialect;
    auto name = [&](std::string_view anchor, bool dynamic) {
        anchors_.emplace(anchor_key(resource, anchor), Anchor{&where, dynamic});
    };
    if (dialect.draft <= Draft::draft7) {
        auto fragment = split_fragment(id_of(schema, dialect)).fragment;
        if (!fragment.empty()) name(fragment, false);
        return;
    }
    if (auto anchor = string_member(where, "$anchor")) name(*anchor, false);
    if (dialect.draft == Draft::draft2019_09) {
        if (bool_member(where, "$recursiveAnchor").value_or(false)) name(recursive_name, true);
    } else if (auto anchor = string_member(where, "$dynamicAnchor")) {
        name(*anchor, true);
    }
}

Status Library::scan(const Json& document, std::string uri, Dialect around) {
    auto dialect = dialect_for(document, around);
    documents_.push_back({&document, uri});
    // The root is a resource under the URI it came from, and under its own `$id`.
    auto root = make_resource(document, std::move(uri), dialect);
    if (document.is_object()) {
        auto id = split_fragment(id_of(document.get_object(), dialect)).document;
        if (!id.empty()) {
            resources_[root].uri = resolved(resources_[root].uri, id);
            by_uri_.emplace(resources_[root].uri, root);
        }
    }
    std::vector<Visit> rest{{&document, root}};
    while (!rest.empty()) {
        auto [schema, resource] = rest.back();
        rest.pop_back();
        if (!schema->is_object()) continue;
        FOXWEDGE_CHECK(visit(*schema, resource, rest));
    }
    return {};
}

Status Library::visit(const Json& schema, ResourceId around, std::vector<Visit>& rest) {
    if (++schemas_ > options_.limits.schemas)
        return permanent("schema_too_complex", "the schema has more than " +
                                                   std::to_string(options_.limits.schemas) +
                                                   " subschemas");
    bool root = resources_[around].root == &schema;
    auto resource = root ? around : enter(schema, around);
    const auto& object = schema.get_object();
    name_anchors(object, schema, resource);
    auto dialect = resources_[resource].dialect;
    for (const auto& member : object) {
        const Json& value = member.value();
        switch (keyword_of(key_of(member), dialect).shape) {
        case Shape::none:
            break;
        case Shape::schema:
            rest.push_back({&value, resource});
            break;
        case Shape::schema_or_list:
        case Shape::list:
            if (value.is_array())
                for (const auto& element : value.get_array()) rest.push_back({&element, resource});
            else
                rest.push_back({&value, resource});
            break;
        case Shape::map:
        case Shape::mixed_map:
            if (value.is_object())
                for (const auto& entry : value.get_object())
                    rest.push_back({&entry.value(), resource});
            break;
        }
    }
    return {};
}

ResourceId Library::resource_of(const Json& schema, ResourceId around) const {
    if (!schema.is_object()) return around;
    auto found = by_root_.find(&schema);
    return found == by_root_.end() ? around : found->second;
}

const Json* Library::dynamic_anchor(ResourceId resource, std::string_view name) const {
    auto found = anchors_.find(anchor_key(resource, name));
    return found != anchors_.end() && found->second.dynamic ? found->second.schema : nullptr;
}

/// Makes the document at `uri` known, if it is at hand.
Result<bool> Library::load(std::string_view uri) {
    const Json* found = nullptr;
    if (options_.documents) {
        auto entry = options_.documents->find(uri);
        if (entry != options_.documents->end())
            found = &loaded_.emplace_back(entry->second, storage_);
    }
    if (!found) {
        auto text = built_in(uri);
        if (text.empty()) return false;
        FOXWEDGE_TRY(document, parse_json(text, {}, storage_));
        found = &loaded_.emplace_back(std::move(document));
    }
    FOXWEDGE_CHECK(scan(*found, std::string(uri),
                        {options_.dialect, true, true, true, options_.assert_format}));
    return true;
}

Result<Location> Library::find(std::string_view reference, ResourceId from) {
    auto full = resolved(resources_[from].uri, reference);
    auto [document, fragment] = split_fragment(full);
    auto found = by_uri_.find(std::string(document));
    if (reference.starts_with('#')) { // its own resource, even if another has taken the name
        document = resources_[from].uri;
    } else if (found == by_uri_.end()) {
        FOXWEDGE_TRY(there, load(document));
        if (!there)
            return permanent("remote_ref",
                             "the reference " + quoted(reference.substr(0, 200)) +
                                 " leads to another document; references are never fetched");
        found = by_uri_.find(std::string(document));
    }
    auto resource = reference.starts_with('#') ? from : found->second;
    Location root{resources_[resource].root, resource};
    auto name = percent_decoded(fragment);
    if (name.empty()) return root;
    if (name[0] == '/') return walk(root, name, reference);
    auto anchor = anchors_.find(anchor_key(resource, name));
    if (anchor == anchors_.end())
        return invalid_schema("the reference " + quoted(reference.substr(0, 200)) +
                              " names no anchor of its schema");
    return Location{anchor->second.schema, resource_of(*anchor->second.schema, resource)};
}

Result<Location> Library::walk(Location from, std::string_view pointer,
                               std::string_view reference) {
    // Token by token: an `$id` on the way changes what references behind it are seen from.
    while (!pointer.empty()) {
        auto end = pointer.find('/', 1);
        const auto* next = at_pointer(*from.schema, pointer.substr(0, end));
        if (!next)
            return invalid_schema("the reference " + quoted(reference.substr(0, 200)) +
                                  " leads to nothing");
        from = {next, resource_of(*next, from.resource)};
        pointer = end == std::string_view::npos ? std::string_view() : pointer.substr(end);
    }
    return from;
}

} // namespace foxwedge::schema
