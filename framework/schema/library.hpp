// The documents of one compilation: who is called what, and where references lead.
#pragma once
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/dialect.hpp"
#include "schema/program.hpp"

namespace foxwedge::schema {

using ResourceId = std::uint32_t;
/// The mark of `$recursiveAnchor`, which no anchor can be called.
inline constexpr std::string_view recursive_name = "#";

/// A schema with a URI of its own: the root of a document, or what has an `$id`.
struct Resource {
    std::string uri;
    const Json* root = nullptr;
    Dialect dialect;
};

/// A schema, and the resource that its references are seen from.
struct Location {
    const Json* schema = nullptr;
    ResourceId resource = 0;
};

class Library {
public:
    /// `loaded` keeps the documents that are loaded on the way, in `storage`.
    Library(const CompileOptions& options, std::list<Json>& loaded,
            boost::json::storage_ptr storage, std::vector<std::string>& warnings);

    /// Registers the main document, which outlives the library.
    Status add(const Json& document);
    /// Where `reference`, written in `from`, leads. Loads what is at hand, fetches nothing.
    Result<Location> find(std::string_view reference, ResourceId from);
    /// The resource that `schema`, met while reading `around`, belongs to.
    ResourceId resource_of(const Json& schema, ResourceId around) const;
    /// Where `$dynamicAnchor: name` stands in `resource`, or null.
    const Json* dynamic_anchor(ResourceId resource, std::string_view name) const;

    const std::vector<Document>& documents() const { return documents_; }
    std::string pointer_of(const Json& part) const { return schema::pointer_of(documents_, part); }
    const Resource& operator[](ResourceId id) const { return resources_[id]; }
    std::size_t size() const { return resources_.size(); }

private:
    struct Anchor {
        const Json* schema;
        bool dynamic;
    };
    struct Visit {
        const Json* schema;
        ResourceId resource;
    };

    Status scan(const Json& document, std::string uri, Dialect around);
    Status visit(const Json& schema, ResourceId resource, std::vector<Visit>& rest);
    ResourceId enter(const Json& schema, ResourceId around);
    ResourceId make_resource(const Json& schema, std::string uri, Dialect dialect);
    void name_anchors(const JsonObject& schema, const Json& where, ResourceId resource);
    Dialect dialect_for(const Json& schema, Dialect around);
    Result<bool> load(std::string_view uri);
    Result<Location> walk(Location from, std::string_view pointer, std::string_view reference);

    const CompileOptions& options_;
    std::list<Json>& loaded_;
    boost::json::storage_ptr storage_;
    std::vector<std::string>& warnings_;
    std::vector<Document> documents_;
    std::vector<Resource> resources_;
    std::unordered_map<std::string, ResourceId> by_uri_;
    std::unordered_map<const Json*, ResourceId> by_root_;
    std::unordered_map<std::string, Anchor> anchors_; ///< "<resource>#<name>"
    std::size_t schemas_ = 0;
};

Error invalid_schema(std::string message);

} // namespace foxwedge::schema
