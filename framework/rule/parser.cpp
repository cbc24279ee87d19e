#include "rule/parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "rule/functions.hpp"

namespace foxwedge::rule {
namespace {

struct Operator {
    std::string_view sign;
    Op op;
    int precedence;
};
constexpr std::array operators{
    Operator{"||", Op::or_, 1},     Operator{"&&", Op::and_, 2},
    Operator{"==", Op::equal, 3},   Operator{"!=", Op::not_equal, 3},
    Operator{"<", Op::less, 3},     Operator{"<=", Op::less_equal, 3},
    Operator{">", Op::greater, 3},  Operator{">=", Op::greater_equal, 3},
    Operator{"in", Op::in, 3},      Operator{"+", Op::add, 4},
    Operator{"-", Op::subtract, 4}, Operator{"*", Op::multiply, 5},
    Operator{"/", Op::divide, 5},   Operator{"%", Op::modulo, 5},
};

constexpr std::uint32_t deepest_tree = 250;

const Operator* operator_of(const Token& token) {
    if (token.kind != Token::Kind::sign && !token.is_word("in")) return nullptr;
    auto found = std::find_if(operators.begin(), operators.end(),
                              [&](const Operator& each) { return each.sign == token.raw; });
    return found == operators.end() ? nullptr : &*found;
}

} // namespace

Parser::Parser(std::string_view text, const CompileOptions& options, Program& program)
    : text_(text), options_(options), program_(program), lexer_(text) {
    advance();
    advance();
}

Status Parser::run() {
    auto root = expression();
    if (root && now_.kind != Token::Kind::end) root = fail("the rule should end here");
    if (!root) return *error_;
    program_.root = *root;
    return {};
}

void Parser::advance() {
    now_ = std::move(ahead_);
    ahead_ = lexer_.next();
}

bool Parser::take(std::string_view sign) {
    if (!now_.is(sign)) return false;
    advance();
    return true;
}

bool Parser::expect(std::string_view sign) {
    if (take(sign)) return true;
    fail("\"" + std::string(sign) + "\" was expected here");
    return false;
}

Parser::Made Parser::fail(const char* code, std::string reason, std::size_t offset) {
    if (error_) return std::nullopt;
    if (now_.kind == Token::Kind::mistake) {
        reason = now_.text;
        offset = now_.offset;
    } else if (now_.kind == Token::Kind::end && code == std::string_view("rule_syntax")) {
        reason = "the rule ends too early: " + reason;
    }
    auto before = text_.substr(0, offset);
    auto line = std::to_string(1 + std::count(before.begin(), before.end(), '\n'));
    auto last = before.rfind('\n');
    auto column = std::to_string(last == std::string_view::npos ? offset + 1 : offset - last);
    error_ = permanent(code, "line " + line + ", column " + column + ": " + reason,
                       "{\"line\":" + line + ",\"column\":" + column + "}");
    return std::nullopt;
}

NodeId Parser::add(Node node) {
    for (auto child : {node.a, node.b, node.c})
        if (child < program_.nodes.size())
            node.depth = std::max(node.depth, program_.nodes[child].depth + 1);
    for (std::uint32_t i = 0; i < node.count; ++i)
        node.depth = std::max(node.depth, program_.nodes[program_.args[node.first + i]].depth + 1);
    if (node.depth > deepest_tree)
        fail("rule_too_complex", "the rule nests too deeply", now_.offset);
    program_.nodes.push_back(node);
    return static_cast<NodeId>(program_.nodes.size()) - 1;
}

NodeId Parser::constant(Value value) {
    Node node;
    node.value = value;
    return add(node);
}

NodeId Parser::operation(Op op, NodeId a, NodeId b) {
    Node node;
    node.op = op;
    node.a = a;
    node.b = b;
    return add(node);
}

Value Parser::kept(std::string text, Kind kind) {
    return of_text(*program_.texts.emplace_back(std::make_unique<std::string>(std::move(text))),
                   kind);
}

Parser::Made Parser::expression() {
    if (++depth_ > options_.limits.depth)
        return fail("rule_too_complex", "the rule nests too deeply", now_.offset);
    auto made = conditional();
    --depth_;
    return error_ ? std::nullopt : made;
}

Parser::Made Parser::conditional() {
    auto condition = binary(1);
    if (!condition || !take("?")) return condition;
    auto yes = binary(1);
    if (!yes || !expect(":")) return std::nullopt;
    auto no = expression();
    if (!no) return no;
    Node node;
    node.op = Op::condition;
    node.a = *condition;
    node.b = *yes;
    node.c = *no;
    return add(node);
}

Parser::Made Parser::binary(int least_precedence) {
    auto left = unary();
    while (left) {
        const auto* found = operator_of(now_);
        if (!found || found->precedence < least_precedence) break;
        advance();
        auto right = binary(found->precedence + 1);
        if (!right) return right;
        left = operation(found->op, *left, *right);
        if (error_) return std::nullopt;
    }
    return left;
}

Parser::Made Parser::unary() {
    std::string_view sign = now_.is("!") ? "!" : now_.is("-") ? "-" : "";
    if (sign.empty()) return member();
    std::size_t count = 0;
    while (now_.is(sign)) {
        ++count;
        // The sign belongs to the number: the smallest integer has no positive twin.
        bool number = ahead_.kind == Token::Kind::integer || ahead_.kind == Token::Kind::real;
        if (sign == "-" && number && count % 2 == 1) break;
        advance();
    }
    Made operand;
    if (now_.is("-") && sign == "-") {
        --count;
        operand = member();
    } else {
        operand = member();
    }
    auto op = sign == "!" ? Op::not_ : Op::negate;
    for (; operand && count > 0 && !error_; --count) operand = operation(op, *operand);
    return error_ ? std::nullopt : operand;
}

Parser::Made Parser::member() {
    auto made = primary();
    while (made && !error_) {
        if (take("."))
            made = selection(*made);
        else if (take("["))
            made = index(*made);
        else
            break;
    }
    return error_ ? std::nullopt : made;
}

Parser::Made Parser::index(NodeId receiver) {
    auto key = expression();
    if (!key || !expect("]")) return std::nullopt;
    return operation(Op::index, receiver, *key);
}

Parser::Made Parser::selection(NodeId receiver) {
    bool quoted = now_.kind == Token::Kind::quoted_identifier;
    if (!quoted && now_.kind != Token::Kind::identifier)
        return fail("a member's name was expected here");
    auto name = now_.raw;
    auto offset = now_.offset;
    bool keyword = name == "in" || name == "true" || name == "false" || name == "null";
    if (keyword && !quoted) return fail("\"" + std::string(name) + "\" is no name");
    advance();
    if (quoted || !now_.is("(")) {
        Node node;
        node.op = Op::select;
        node.a = receiver;
        node.value = kept(std::string(name));
        return add(node);
    }
    advance();
    if (is_macro(name)) return macro(name, receiver);
    std::vector<NodeId> all{receiver};
    if (!arguments(all)) return std::nullopt;
    return call(name, true, std::move(all), offset);
}

bool Parser::arguments(std::vector<NodeId>& out) {
    if (take(")")) return true;
    do {
        auto argument = expression();
        if (!argument) return false;
        out.push_back(*argument);
    } while (take(","));
    return expect(")");
}

Parser::Made Parser::call(std::string_view name, bool method, std::vector<NodeId> all,
                          std::size_t offset) {
    Node node;
    node.op = Op::call;
    node.function = function_of(name, method, all.size());
    if (!node.function) {
        if (options_.checked)
            return fail("rule_unknown_name",
                        is_function(name) ? "\"" + std::string(name) + "\" is not called like this"
                                          : "there is no function \"" + std::string(name) + "\"",
                        offset);
        return constant(failure("unknown function"));
    }
    const auto& last = program_.nodes[all.back()];
    if (name == "matches" && last.op == Op::constant && last.value.is(Kind::string)) {
        auto pattern = Pattern::compile(last.value.view());
        if (!pattern) return fail(pattern.error().code.c_str(), pattern.error().message, offset);
        node.pattern = static_cast<std::int32_t>(program_.patterns.size());
        program_.patterns.push_back(*std::move(pattern));
    }
    node.first = static_cast<std::uint32_t>(program_.args.size());
    node.count = static_cast<std::uint32_t>(all.size());
    program_.args.insert(program_.args.end(), all.begin(), all.end());
    return add(node);
}

Parser::Made Parser::primary() {
    switch (now_.kind) {
    case Token::Kind::integer:
    case Token::Kind::unsigned_:
    case Token::Kind::real:
        return number(false);
    case Token::Kind::string:
    case Token::Kind::bytes: {
        auto kind = now_.kind == Token::Kind::string ? Kind::string : Kind::bytes;
        auto made = constant(kept(std::move(now_.text), kind));
        advance();
        return made;
    }
    case Token::Kind::identifier:
        return word(false);
    case Token::Kind::sign:
        break;
    default:
        return fail("a value was expected here");
    }
    if (take("-")) return number(true);
    if (take("(")) {
        auto made = expression();
        return made && expect(")") ? made : std::nullopt;
    }
    if (take("[")) return list();
    if (take("{")) return map();
    if (now_.is(".") && ahead_.kind == Token::Kind::identifier) {
        advance();
        return word(true);
    }
    return fail("a value was expected here");
}

Parser::Made Parser::number(bool negative) {
    auto digits = now_.raw;
    auto kind = now_.kind;
    bool hex = digits.starts_with("0x") || digits.starts_with("0X");
    Value value;
    bool fits = false;
    if (kind == Token::Kind::real) {
        double number = 0;
        auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        fits = read.ec == std::errc{} || read.ec == std::errc::result_out_of_range;
        value = of_real(negative ? -number : number);
    } else {
        if (hex) digits.remove_prefix(2);
        std::uint64_t number = 0;
        auto read =
            std::from_chars(digits.data(), digits.data() + digits.size(), number, hex ? 16 : 10);
        fits = read.ec == std::errc{};
        constexpr std::uint64_t limit = 1ULL << 63;
        if (kind == Token::Kind::unsigned_) {
            value = of_uint(number);
            fits = fits && !negative;
        } else {
            fits = fits && (negative ? number <= limit : number < limit);
            value = of_int(static_cast<std::int64_t>(negative ? 0 - number : number));
        }
    }
    if (!fits) return fail("this number is out of range");
    advance();
    return constant(value);
}

Parser::Made Parser::list() {
    std::vector<NodeId> elements;
    while (!take("]")) {
        auto element = expression();
        if (!element) return element;
        elements.push_back(*element);
        if (take(",")) continue;
        if (!expect("]")) return std::nullopt;
        break;
    }
    Node node;
    node.op = Op::list;
    node.first = static_cast<std::uint32_t>(program_.args.size());
    node.count = static_cast<std::uint32_t>(elements.size());
    program_.args.insert(program_.args.end(), elements.begin(), elements.end());
    return add(node);
}

Parser::Made Parser::map() {
    std::vector<NodeId> entries;
    while (!take("}")) {
        auto key = expression();
        if (!key || !expect(":")) return std::nullopt;
        auto value = expression();
        if (!value) return value;
        entries.push_back(*key);
        entries.push_back(*value);
        if (take(",")) continue;
        if (!expect("}")) return std::nullopt;
        break;
    }
    Node node;
    node.op = Op::map;
    node.first = static_cast<std::uint32_t>(program_.args.size());
    node.count = static_cast<std::uint32_t>(entries.size());
    program_.args.insert(program_.args.end(), entries.begin(), entries.end());
    return add(node);
}

Result<Program> compile(std::string_view text, const CompileOptions& options) {
    if (text.size() > options.limits.bytes)
        return permanent("rule_too_complex", "the rule is longer than " +
                                                 std::to_string(options.limits.bytes) + " bytes");
    Program program;
    program.steps = options.limits.steps;
    program.strict = options.strict;
    FOXWEDGE_CHECK(Parser(text, options, program).run());
    return program;
}

} // namespace foxwedge::rule
