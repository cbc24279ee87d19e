// What the compiler's files share about the subschema at hand.
#pragma once
#include <optional>

#include "schema/compiler.hpp"

namespace foxwedge::schema {

struct Compiler::Draft_ {
    NodeId id = no_node;
    Location at;
    Dialect dialect;
    Node node;
    std::optional<StringPart> string;
    std::optional<NumberPart> number;
    std::optional<CountPart> count;
    std::optional<MembersPart> members;
    std::optional<ElementsPart> elements;
    std::optional<ContainsPart> contains;
    const Json* members_keyword = nullptr;
    const Json* elements_keyword = nullptr;
    const Json* additional_items = nullptr;
    const Json* items_list = nullptr;
    const Json* if_ = nullptr;
    const Json* then = nullptr;
    const Json* else_ = nullptr;
    const Json* unevaluated_items = nullptr;
    const Json* unevaluated_properties = nullptr;
    bool exclusive_minimum = false; ///< draft-04's booleans
    bool exclusive_maximum = false;
    std::vector<std::string_view> required;
    std::vector<Op> ops;

    MembersPart& member_part(const Json& keyword) {
        if (!members) members.emplace();
        members_keyword = &keyword;
        return *members;
    }
};

} // namespace foxwedge::schema
