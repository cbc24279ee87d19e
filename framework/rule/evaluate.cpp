#include "rule/evaluate.hpp"

#include <array>
#include <cmath>

#include "rule/functions.hpp"

namespace foxwedge::rule {

Evaluation::Evaluation(const Program& program, std::span<const Value> values)
    : program_(program), values_(values), variables_(program.variables) {}

Evaluation::Evaluation(const Program& program, std::span<const Json* const> values)
    : program_(program), json_(values), variables_(program.variables) {}

Value Evaluation::run() {
    auto value = at(program_.root);
    return steps_ > program_.steps ? exhausted() : value;
}

Value Evaluation::exhausted() {
    return failure("the rule takes too many steps");
}

Value Evaluation::at(NodeId id) {
    const auto& node = program_.nodes[id];
    if (!spend()) return exhausted();
    switch (node.op) {
    case Op::constant:
        return node.value;
    case Op::name:
        return name(node.first);
    case Op::local:
        return variables_[node.first];
    case Op::select:
    case Op::has:
        return select(node);
    case Op::index:
        return index(node);
    case Op::list:
        return list(node);
    case Op::map:
        return map(node);
    case Op::call:
        return call(node);
    case Op::condition:
        return condition(node);
    case Op::and_:
        return logic(node, false);
    case Op::or_:
        return logic(node, true);
    case Op::not_: {
        auto value = at(node.a);
        if (value.failed()) return value;
        return value.is(Kind::boolean) ? of_bool(!value.boolean) : failure(no_overload);
    }
    case Op::negate: {
        auto value = at(node.a);
        return value.failed() ? value : negated(value);
    }
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::modulo:
        return arithmetic(node);
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
        return comparison(node);
    case Op::in:
        return in(node);
    case Op::all:
    case Op::exists:
        return quantifier(node);
    case Op::exists_one:
        return one(node);
    case Op::map_each:
    case Op::filter:
        return each(node);
    }
    return failure("this is no expression");
}

Value Evaluation::name(std::uint32_t slot) {
    if (slot < json_.size() && json_[slot]) return from_json(*json_[slot]);
    if (slot < values_.size()) return values_[slot];
    return failure("a name has no value");
}

Value Evaluation::select(const Node& node) {
    auto object = at(node.a);
    if (object.failed()) return object;
    if (!object.is(Kind::map)) return failure(no_overload);
    Value found;
    bool there = find(object, node.value.view(), found);
    if (node.op == Op::has) return of_bool(there);
    if (there) return found;
    return arena_.fail("there is no member \"" + std::string(node.value.view()) + "\"");
}

Value Evaluation::index(const Node& node) {
    auto from = at(node.a);
    if (from.failed()) return from;
    auto key = at(node.b);
    if (key.failed()) return key;
    if (from.is(Kind::map)) {
        if (key.is(Kind::real)
                ? key.real != key.real
                : !key.is_number() && !key.is(Kind::string) && !key.is(Kind::boolean))
            return failure(no_overload);
        Value found;
        if (find(from, key, found)) return found;
        return failure("there is no such key");
    }
    if (!from.is(Kind::list) || !key.is_number()) return failure(no_overload);
    auto size = size_of(from);
    // Any kind of number that is whole: JSON's are doubles.
    if (key.is(Kind::real)) {
        if (key.real != std::floor(key.real)) return failure("an index must be whole");
        if (!(key.real >= 0 && key.real < static_cast<double>(size)))
            return failure("the index is out of range");
        return element(from, static_cast<std::size_t>(key.real));
    }
    bool below = key.is(Kind::integer) && key.integer < 0;
    auto place = key.is(Kind::integer) ? static_cast<std::uint64_t>(key.integer) : key.unsigned_;
    if (below || place >= size) return failure("the index is out of range");
    return element(from, place);
}

Value Evaluation::list(const Node& node) {
    std::vector<Value> values;
    for (std::uint32_t i = 0; i < node.count; ++i) {
        values.push_back(at(program_.args[node.first + i]));
        if (values.back().failed()) return values.back();
    }
    return arena_.list(std::move(values));
}

Value Evaluation::map(const Node& node) {
    std::vector<std::pair<Value, Value>> entries;
    for (std::uint32_t i = 0; i < node.count; i += 2) {
        auto key = at(program_.args[node.first + i]);
        if (key.failed()) return key;
        auto value = at(program_.args[node.first + i + 1]);
        if (value.failed()) return value;
        if (!key.is(Kind::integer) && !key.is(Kind::unsigned_) && !key.is(Kind::boolean) &&
            !key.is(Kind::string) && !(key.is(Kind::real) && !program_.strict))
            return failure("a key must be a string, a boolean or a whole number");
        for (const auto& [other, ignored] : entries)
            if (equal(other, key, steps_)) return failure("a key stands twice in a map");
        entries.emplace_back(key, value);
    }
    return arena_.map(std::move(entries));
}

Value Evaluation::call(const Node& node) {
    constexpr std::size_t most = 8;
    std::array<Value, most> values;
    for (std::uint32_t i = 0; i < node.count && i < most; ++i) {
        values[i] = at(program_.args[node.first + i]);
        if (values[i].failed()) return values[i];
    }
    Context context{arena_, steps_, program_, node};
    return node.function->call({values.data(), std::min<std::size_t>(node.count, most)}, context);
}

/// && and ||: whichever side decides, decides; a failure counts only where neither does.
Value Evaluation::logic(const Node& node, bool decisive) {
    auto left = at(node.a);
    if (left.is(Kind::boolean) && left.boolean == decisive) return left;
    auto right = at(node.b);
    if (right.is(Kind::boolean) && right.boolean == decisive) return right;
    if (left.failed()) return left;
    if (right.failed()) return right;
    if (!left.is(Kind::boolean) || !right.is(Kind::boolean)) return failure(no_overload);
    return of_bool(!decisive);
}

Value Evaluation::condition(const Node& node) {
    auto condition = at(node.a);
    if (condition.failed()) return condition;
    if (!condition.is(Kind::boolean)) return failure(no_overload);
    return at(condition.boolean ? node.b : node.c);
}

Value Evaluation::arithmetic(const Node& node) {
    auto left = at(node.a);
    if (left.failed()) return left;
    auto right = at(node.b);
    if (right.failed()) return right;
    return calculate(node.op, left, right, program_.strict, arena_, steps_);
}

Value Evaluation::comparison(const Node& node) {
    auto left = at(node.a);
    if (left.failed()) return left;
    auto right = at(node.b);
    if (right.failed()) return right;
    if (node.op == Op::equal) return of_bool(equal(left, right, steps_));
    if (node.op == Op::not_equal) return of_bool(!equal(left, right, steps_));
    auto order = compare(left, right);
    switch (order) {
    case Order::no_overload:
        return failure(no_overload);
    case Order::unordered:
        return of_bool(false);
    default:
        break;
    }
    switch (node.op) {
    case Op::less:
        return of_bool(order == Order::less);
    case Op::less_equal:
        return of_bool(order != Order::greater);
    case Op::greater:
        return of_bool(order == Order::greater);
    default:
        return of_bool(order != Order::less);
    }
}

Value Evaluation::in(const Node& node) {
    auto value = at(node.a);
    if (value.failed()) return value;
    auto range = at(node.b);
    if (range.failed()) return range;
    if (range.is(Kind::map)) {
        Value ignored;
        return of_bool(find(range, value, ignored));
    }
    if (!range.is(Kind::list)) return failure(no_overload);
    for (std::size_t i = 0; i < size_of(range); ++i) {
        if (!spend()) return exhausted();
        if (equal(element(range, i), value, steps_)) return of_bool(true);
    }
    return of_bool(false);
}

/// all and exists: one element may decide, and failures elsewhere do not count then.
Value Evaluation::quantifier(const Node& node) {
    auto range = at(node.a);
    if (range.failed()) return range;
    if (!range.is(Kind::list) && !range.is(Kind::map)) return failure(no_overload);
    bool decisive = node.op == Op::exists;
    auto result = of_bool(!decisive);
    auto size = range_size(range);
    for (std::size_t i = 0; i < size; ++i) {
        if (!spend()) return exhausted();
        variables_[node.first] = range_at(range, i);
        auto value = at(node.b);
        if (value.is(Kind::boolean)) {
            if (value.boolean == decisive) return value;
        } else if (!result.failed()) {
            result = value.failed() ? value : failure(no_overload);
        }
    }
    return result;
}

Value Evaluation::one(const Node& node) {
    auto range = at(node.a);
    if (range.failed()) return range;
    if (!range.is(Kind::list) && !range.is(Kind::map)) return failure(no_overload);
    std::size_t count = 0;
    auto size = range_size(range);
    for (std::size_t i = 0; i < size; ++i) {
        if (!spend()) return exhausted();
        variables_[node.first] = range_at(range, i);
        auto value = at(node.b);
        if (value.failed()) return value;
        if (!value.is(Kind::boolean)) return failure(no_overload);
        if (value.boolean) ++count;
    }
    return of_bool(count == 1);
}

Value Evaluation::each(const Node& node) {
    auto range = at(node.a);
    if (range.failed()) return range;
    if (!range.is(Kind::list) && !range.is(Kind::map)) return failure(no_overload);
    bool filters = node.op == Op::filter;
    bool asks = filters || node.pattern == 1;
    std::vector<Value> values;
    auto size = range_size(range);
    for (std::size_t i = 0; i < size; ++i) {
        if (!spend()) return exhausted();
        auto element = range_at(range, i);
        variables_[node.first] = element;
        if (asks) {
            auto wanted = at(node.b);
            if (wanted.failed()) return wanted;
            if (!wanted.is(Kind::boolean)) return failure(no_overload);
            if (!wanted.boolean) continue;
        }
        values.push_back(filters ? element : at(node.c));
        if (values.back().failed()) return values.back();
    }
    return arena_.list(std::move(values));
}

} // namespace foxwedge::rule
