// The parser's way through names: variables, declared names, types, macros.
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "rule/functions.hpp"
#include "rule/parser.hpp"

namespace foxwedge::rule {
namespace {

constexpr std::array reserved{
    std::string_view("as"),        std::string_view("break"),  std::string_view("const"),
    std::string_view("continue"),  std::string_view("else"),   std::string_view("for"),
    std::string_view("function"),  std::string_view("if"),     std::string_view("import"),
    std::string_view("let"),       std::string_view("loop"),   std::string_view("package"),
    std::string_view("namespace"), std::string_view("return"), std::string_view("var"),
    std::string_view("void"),      std::string_view("while")};

struct MacroName {
    std::string_view name;
    Op op;
};
constexpr std::array macros{MacroName{"all", Op::all},
                            MacroName{"exists", Op::exists},
                            MacroName{"exists_one", Op::exists_one},
                            MacroName{"existsOne", Op::exists_one},
                            MacroName{"map", Op::map_each},
                            MacroName{"filter", Op::filter}};

struct TypeName {
    std::string_view name;
    Kind kind;
};
constexpr std::array types{TypeName{"bool", Kind::boolean},
                           TypeName{"int", Kind::integer},
                           TypeName{"uint", Kind::unsigned_},
                           TypeName{"double", Kind::real},
                           TypeName{"string", Kind::string},
                           TypeName{"bytes", Kind::bytes},
                           TypeName{"list", Kind::list},
                           TypeName{"map", Kind::map},
                           TypeName{"null_type", Kind::null},
                           TypeName{"type", Kind::type},
                           TypeName{"google.protobuf.Timestamp", Kind::timestamp},
                           TypeName{"google.protobuf.Duration", Kind::duration}};

} // namespace

bool Parser::is_macro(std::string_view name) {
    return std::any_of(macros.begin(), macros.end(),
                       [&](const MacroName& each) { return each.name == name; });
}

std::optional<std::uint32_t> Parser::declared(const std::string& name) const {
    auto found = std::find(options_.names.begin(), options_.names.end(), name);
    if (found == options_.names.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - options_.names.begin());
}

/// A word where a value may stand: a literal, a call, a variable, or a name with its dots.
Parser::Made Parser::word(bool from_root) {
    auto first = now_.raw;
    auto offset = now_.offset;
    if (!from_root) {
        if (first == "true" || first == "false") {
            advance();
            return constant(of_bool(first == "true"));
        }
        if (first == "null") {
            advance();
            return constant({});
        }
    }
    if (first == "in" || first == "true" || first == "false" || first == "null" ||
        std::find(reserved.begin(), reserved.end(), first) != reserved.end())
        return fail("\"" + std::string(first) + "\" is reserved");
    advance();
    if (take("(")) {
        if (first == "has") return has();
        std::vector<NodeId> all;
        if (!arguments(all)) return std::nullopt;
        return call(first, false, std::move(all), offset);
    }
    if (!from_root) {
        auto variable = std::find(variables_.rbegin(), variables_.rend(), first);
        if (variable != variables_.rend()) {
            Node node;
            node.op = Op::local;
            node.first = static_cast<std::uint32_t>(variables_.rend() - variable) - 1;
            return add(node);
        }
    }
    // A declared name may have dots. The longest that is declared counts, so look ahead.
    std::vector<std::string> chain{std::string(first)};
    auto saved_now = now_;
    auto saved_ahead = ahead_;
    auto saved_lexer = lexer_;
    while (now_.is(".") && ahead_.kind == Token::Kind::identifier) {
        advance();
        chain.emplace_back(now_.raw);
        advance();
        if (!now_.is("(")) continue;
        if (auto whole = join(chain, "."); is_function(whole)) { // strings.quote(…)
            advance();
            std::vector<NodeId> all;
            if (!arguments(all)) return std::nullopt;
            return call(whole, false, std::move(all), offset);
        }
        chain.pop_back();
        break;
    }
    now_ = std::move(saved_now);
    ahead_ = std::move(saved_ahead);
    lexer_ = saved_lexer;
    return name_of(chain, from_root, offset);
}

Parser::Made Parser::name_of(const std::vector<std::string>& chain, bool from_root,
                             std::size_t offset) {
    auto skip = [&](std::size_t parts) {
        for (std::size_t i = 1; i < parts; ++i) {
            advance();
            advance();
        }
    };
    auto container = from_root ? std::string() : options_.container;
    while (true) {
        for (auto parts = chain.size(); parts > 0; --parts) {
            auto name =
                join({chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(parts)}, ".");
            auto slot = declared(container.empty() ? name : container + "." + name);
            if (!slot) continue;
            skip(parts);
            Node node;
            node.op = Op::name;
            node.first = *slot;
            return add(node);
        }
        if (container.empty()) break;
        auto dot = container.rfind('.');
        container = dot == std::string::npos ? std::string() : container.substr(0, dot);
    }
    for (auto parts = chain.size(); parts > 0; --parts) {
        auto name = join({chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(parts)}, ".");
        for (const auto& type : types)
            if (type.name == name) {
                skip(parts);
                return constant(of_type(type.kind));
            }
    }
    if (!options_.checked) return constant(failure("unknown name"));
    auto near = nearest(chain[0], options_.names);
    return fail("rule_unknown_name",
                "there is no \"" + chain[0] + "\" here" +
                    (!near.empty()            ? "; did you mean \"" + std::string(near) + "\"?"
                     : options_.names.empty() ? std::string()
                                              : "; a rule may use " + join(options_.names, ", ")),
                offset);
}

/// has(a.b): the question whether a has the member b.
Parser::Made Parser::has() {
    auto operand = expression();
    if (!operand) return operand;
    auto& node = program_.nodes[*operand];
    if (node.op != Op::select) return fail("has() asks for a member: has(a.b)");
    if (!expect(")")) return std::nullopt;
    program_.nodes[*operand].op = Op::has;
    return operand;
}

/// range.name(variable, …), behind the bracket.
Parser::Made Parser::macro(std::string_view name, NodeId range) {
    if (now_.kind != Token::Kind::identifier || !ahead_.is(","))
        return fail("\"" + std::string(name) + "\" needs a variable's name and an expression");
    auto variable = std::string(now_.raw);
    advance();
    advance();
    Node node;
    node.op = std::find_if(macros.begin(), macros.end(), [&](const MacroName& each) {
                  return each.name == name;
              })->op;
    node.a = range;
    node.first = static_cast<std::uint32_t>(variables_.size());
    variables_.push_back(std::move(variable));
    program_.variables =
        std::max(program_.variables, static_cast<std::uint32_t>(variables_.size()));
    auto first = expression();
    auto second = first && node.op == Op::map_each && take(",") ? expression() : Made();
    variables_.pop_back();
    if (!first || !expect(")")) return std::nullopt;
    node.b = *first;
    if (node.op == Op::map_each) {
        node.c = second ? *second : *first;
        node.count = 0;
        node.pattern = second ? 1 : -1; // 1: b is a condition
    }
    return error_ ? std::nullopt : Made(add(node));
}

} // namespace foxwedge::rule
