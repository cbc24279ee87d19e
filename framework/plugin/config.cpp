#include "plugin/config.hpp"

#include "schema/schema.hpp"

namespace foxwedge::plugin {
namespace {

constexpr int deepest = 32;

void fill(Json& value, const Json& schema, int depth) {
    const auto* properties = object_member(schema, "properties");
    if (!properties || !value.is_object() || depth > deepest) return;
    auto& object = value.get_object();
    for (const auto& [key, sub] : *properties) {
        if (!object.contains(key))
            if (const auto* standard = member(sub, "default")) object.emplace(key, *standard);
        if (auto* inner = object.if_contains(key)) fill(*inner, sub, depth + 1);
    }
}

/// Texts of the configuration whose schema says that they hold JSON (`contentMediaType`,
/// `contentSchema`), looked into. A file that ${file:…} gave such a text is so checked before
/// anything of the plugin runs.
class Contents {
public:
    explicit Contents(const Json& schema) : schema_(schema) {}

    std::vector<schema::Violation> check(const Json& config) {
        look(config, schema_, "", "", 0);
        return std::move(found_);
    }

private:
    void look(const Json& value, const Json& part, const std::string& at,
              const std::string& keyword, int depth) {
        if (depth > deepest) return;
        if (value.is_string() && string_member(part, "contentMediaType") == "application/json")
            return look_into(view(value.get_string()), part, at, keyword);
        const auto* properties = object_member(part, "properties");
        if (!properties || !value.is_object()) return;
        for (const auto& [name, sub] : *properties)
            if (const auto* inner = value.get_object().if_contains(name))
                look(*inner, sub, pointer_append(at, name),
                     pointer_append(keyword + "/properties", name), depth + 1);
    }

    void look_into(std::string_view text, const Json& part, const std::string& at,
                   const std::string& keyword) {
        const auto content = parse_json(text);
        if (!content)
            return found_.push_back({at, keyword + "/contentMediaType",
                                     "must be a JSON text: " + content.error().message});
        if (!member(part, "contentSchema")) return;
        // Under a name of its own, so that its references lead where they did.
        constexpr std::string_view name = "urn:foxwedge:configuration";
        Json whole = schema_;
        whole.as_object()["$id"] = name;
        const auto compiled = schema::Schema::compile(
            JsonObject{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"$defs", JsonObject{{"configuration", std::move(whole)}}},
                       {"$ref", std::string(name) + '#' + keyword + "/contentSchema"}});
        if (!compiled)
            return found_.push_back(
                {at, keyword + "/contentSchema", "cannot be checked: " + compiled.error().message});
        for (auto& violation : compiled->check(*content)) {
            violation.instance_pointer = at + violation.instance_pointer;
            found_.push_back(std::move(violation));
        }
    }

    const Json& schema_;
    std::vector<schema::Violation> found_;
};

/// Whether the part of the schema to which this keyword belongs describes {"secret": NAME}.
bool names_a_secret(const Json& schema, std::string_view keyword_pointer) {
    boost::system::error_code none;
    const auto* part =
        schema.find_pointer(keyword_pointer.substr(0, keyword_pointer.rfind('/')), none);
    const auto* properties = part ? object_member(*part, "properties") : nullptr;
    return properties && properties->contains("secret");
}

/// What was violated. A text in a secret's place may well be the secret: it is not repeated.
std::string sentence(const Component& component, const schema::Violation& violation) {
    if (names_a_secret(component.config_schema, violation.schema_pointer))
        return R"(must name a secret of the configuration, as {"secret": NAME}, not be one)";
    return violation.message;
}

Error violated(const Component& component, const std::vector<schema::Violation>& violations) {
    std::string message = "the configuration of " + component.id + " does not fit:";
    JsonArray list;
    for (const auto& v : violations) {
        const auto said = sentence(component, v);
        message += "\n  " + (v.instance_pointer.empty() ? "/" : v.instance_pointer) + ": " + said;
        list.push_back(JsonObject{{"instancePointer", v.instance_pointer},
                                  {"schemaPointer", v.schema_pointer},
                                  {"message", said}});
    }
    const JsonObject details{{"pointer", violations.front().instance_pointer},
                             {"violations", std::move(list)}};
    return permanent("invalid_config", std::move(message), to_text(details));
}

} // namespace

void fill_defaults(Json& value, const Json& schema) {
    fill(value, schema, 0);
}

Result<Json> checked_config(const Component& component, const Json& config) {
    Json full = config.is_null() ? Json(JsonObject{}) : config;
    if (!full.is_object())
        return permanent("invalid_config",
                         "the configuration of " + component.id + " must be an object",
                         R"({"pointer":""})");
    if (component.config_schema.is_null()) return full;
    fill_defaults(full, component.config_schema);
    const auto compiled = schema::Schema::compile(component.config_schema);
    if (!compiled)
        return permanent("bad_descriptor", "the configSchema of " + component.id +
                                               " is no usable schema: " + compiled.error().message);
    if (const auto violations = compiled->check(full); !violations.empty())
        return violated(component, violations);
    if (const auto violations = Contents(component.config_schema).check(full); !violations.empty())
        return violated(component, violations);
    return full;
}

} // namespace foxwedge::plugin
