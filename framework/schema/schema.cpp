#include "schema/schema.hpp"

#include <boost/json/monotonic_resource.hpp>

#include "schema/compiler.hpp"
#include "schema/machine.hpp"

namespace foxwedge::schema {
namespace {

/// Measures a schema before anything copies it or goes into its depth.
Result<std::size_t> measured(const Json& document, const Limits& limits) {
    struct Visit {
        const Json* value;
        std::size_t depth;
    };
    std::size_t bytes = 0;
    std::vector<Visit> rest{{&document, 1}};
    while (!rest.empty()) {
        auto [value, depth] = rest.back();
        rest.pop_back();
        bytes += 4;
        if (value->is_string()) bytes += value->get_string().size();
        if (value->is_structured() && depth > limits.depth)
            return permanent("schema_too_complex", "the schema nests deeper than " +
                                                       std::to_string(limits.depth) + " levels");
        if (value->is_array())
            for (const auto& element : value->get_array()) rest.push_back({&element, depth + 1});
        if (value->is_object())
            for (const auto& member : value->get_object()) {
                bytes += member.key().size() + 3;
                rest.push_back({&member.value(), depth + 1});
            }
        if (bytes > limits.bytes)
            return permanent("schema_too_complex",
                             "the schema has more than " + std::to_string(limits.bytes) + " bytes");
    }
    return bytes;
}

} // namespace

struct Schema::State {
    State(const Json& source, std::size_t bytes)
        : memory(3 * bytes + 256), document(source, &memory) {}

    boost::json::monotonic_resource memory; ///< holds the documents that the program points into
    Json document;
    std::list<Json> loaded;
    Program program;
    std::vector<std::string> warnings;
};

Schema::Schema(std::unique_ptr<State> state) : state_(std::move(state)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(const Json& document, const CompileOptions& options) {
    FOXWEDGE_TRY(bytes, measured(document, options.limits));
    auto state = std::make_unique<State>(document, bytes);
    state->program.steps = options.limits.steps;
    Library library(options, state->loaded, &state->memory, state->warnings);
    FOXWEDGE_CHECK(library.add(state->document));
    FOXWEDGE_CHECK(
        Compiler(options, library, state->program, state->warnings).run(state->document));
    return Schema(std::move(state));
}

bool Schema::valid(const Json& value) const {
    return Machine(state_->program, nullptr, 0).run(value);
}

std::vector<Violation> Schema::check(const Json& value, const CheckOptions& options) const {
    std::vector<Violation> violations;
    // Room for those of alternatives that are weighed and dropped.
    auto most = options.most_violations + 100;
    Machine machine(state_->program, &violations, most);
    if (machine.run(value)) violations.clear();
    if (violations.size() > options.most_violations) violations.resize(options.most_violations);
    if (const auto* surrender = machine.surrender()) {
        // What was found before may belong to alternatives that were not weighed to the end.
        violations.assign(1, *surrender);
    }
    return violations;
}

const std::vector<std::string>& Schema::warnings() const {
    return state_->warnings;
}

} // namespace foxwedge::schema
