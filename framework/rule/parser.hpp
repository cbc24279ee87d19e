// From a rule's text to its nodes, names resolved on the way.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rule/lexer.hpp"
#include "rule/program.hpp"

namespace foxwedge::rule {

/// Recursive, but never deeper than the limit. The first mistake ends it.
class Parser {
public:
    Parser(std::string_view text, const CompileOptions&, Program&);
    Status run();

private:
    using Made = std::optional<NodeId>; ///< nothing: a mistake was made

    Made expression();
    Made conditional();
    Made binary(int least_precedence);
    Made unary();
    Made member();
    Made selection(NodeId receiver);
    Made index(NodeId receiver);
    Made primary();
    Made word(bool from_root);
    Made number(bool negative);
    Made list();
    Made map();
    Made call(std::string_view name, bool method, std::vector<NodeId> arguments,
              std::size_t offset);
    Made has();
    Made macro(std::string_view name, NodeId range);
    bool arguments(std::vector<NodeId>& out);
    static bool is_macro(std::string_view name);

    Made name_of(const std::vector<std::string>& chain, bool from_root, std::size_t offset);
    std::optional<std::uint32_t> declared(const std::string& name) const;

    NodeId add(Node node);
    NodeId constant(Value value);
    NodeId operation(Op op, NodeId a, NodeId b = 0);
    Value kept(std::string text, Kind kind = Kind::string);

    void advance();
    bool take(std::string_view sign);
    bool expect(std::string_view sign);
    Made fail(const char* code, std::string reason, std::size_t offset);
    Made fail(std::string reason) { return fail("rule_syntax", std::move(reason), now_.offset); }

    std::string_view text_;
    const CompileOptions& options_;
    Program& program_;
    Lexer lexer_;
    Token now_;
    Token ahead_;
    std::size_t depth_ = 0;
    std::vector<std::string> variables_; ///< of the macros around, outermost first
    std::optional<Error> error_;
};

} // namespace foxwedge::rule
