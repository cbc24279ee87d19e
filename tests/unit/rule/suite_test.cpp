// The official test suite of CEL, read from the shared data, in the strict mode of the standard.
#include <cmath>
#include <set>

#include <boost/test/unit_test.hpp>

#include "../../support/shared_data.hpp"
#include "rule/evaluate.hpp"

using namespace foxwedge;
using namespace foxwedge::rule;

namespace {

std::string from_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return bytes;
}

Kind type_of(std::string_view name) {
    for (auto kind :
         {Kind::null, Kind::boolean, Kind::integer, Kind::unsigned_, Kind::real, Kind::string,
          Kind::bytes, Kind::list, Kind::map, Kind::type, Kind::timestamp, Kind::duration})
        if (name == type_name(kind)) return kind;
    return Kind::error;
}

/// A value of the suite's typed form.
Value read(const Json& typed, Arena& arena) {
    auto kind = *string_member(typed, "t");
    const auto* v = member(typed, "v");
    auto text = [&] { return std::string(v->as_string()); };
    if (kind == "bool") return of_bool(v->as_bool());
    if (kind == "int") return of_int(std::stoll(text()));
    if (kind == "uint") return of_uint(std::stoull(text()));
    if (kind == "double") return of_real(std::strtod(text().c_str(), nullptr));
    if (kind == "string") return arena.text(text());
    if (kind == "bytes") return arena.text(from_hex(*string_member(typed, "hex")), Kind::bytes);
    if (kind == "type") return of_type(type_of(text()));
    if (kind == "timestamp" || kind == "duration")
        return of_time(kind == "timestamp" ? Kind::timestamp : Kind::duration,
                       std::stoll(std::string(*string_member(typed, "seconds"))),
                       static_cast<std::int32_t>(integer_member(typed, "nanos").value_or(0)));
    if (kind == "list") {
        std::vector<Value> values;
        for (const auto& each : v->as_array()) values.push_back(read(each, arena));
        return arena.list(std::move(values));
    }
    if (kind == "map") {
        std::vector<std::pair<Value, Value>> entries;
        for (const auto& each : v->as_array())
            entries.emplace_back(read(each.as_array()[0], arena), read(each.as_array()[1], arena));
        return arena.map(std::move(entries));
    }
    return {};
}

/// Exactly the same: kinds too, and NaN is NaN.
bool same(const Value& a, const Value& b) {
    if (a.kind != b.kind) return false;
    if (a.is(Kind::real)) return a.real == b.real || (std::isnan(a.real) && std::isnan(b.real));
    if (a.is(Kind::list)) {
        if (size_of(a) != size_of(b)) return false;
        for (std::size_t i = 0; i < size_of(a); ++i)
            if (!same(element(a, i), element(b, i))) return false;
        return true;
    }
    std::size_t steps = 0;
    return equal(a, b, steps);
}

std::string outcome(const Json& test) {
    Arena arena;
    CompileOptions options;
    options.strict = true;
    options.container = string_member(test, "container").value_or("");
    options.checked = !bool_member(test, "disable_check").value_or(false);
    std::vector<Value> values;
    for (const auto& binding : test.at("bindings").as_object()) {
        options.names.emplace_back(binding.key());
        values.push_back(read(binding.value(), arena));
    }
    auto program = compile(*string_member(test, "expr"), options);
    bool wants_error = member(test, "error") != nullptr;
    if (!program) return wants_error ? "" : program.error().message;
    Evaluation evaluation(*program, values);
    auto value = evaluation.run();
    if (value.failed()) return wants_error ? "" : std::string("failed: ") + value.text;
    if (wants_error) return "an error was expected";
    if (!same(value, read(test.at("value"), arena))) {
        auto json = to_json(value);
        return "another value: " + (json ? foxwedge::to_text(*json) : json.error().message);
    }
    return "";
}

struct Count {
    int passed = 0;
    int left_out = 0;
};

/// `left_out`: beginnings of "<file>/<section>/<name>" (docs/cel.md says why).
Count run(const std::string& folder, const std::set<std::string>& left_out = {},
          const std::set<std::string>& only = {}) {
    Count count;
    auto root = test::shared_data("cel/" + folder);
    if (!root) return count;
    for (const auto& entry : std::filesystem::directory_iterator(*root)) {
        if (!only.empty() && !only.contains(entry.path().stem().string())) continue;
        auto tests = parse_json(test::read_file(entry.path()));
        BOOST_TEST_REQUIRE(tests.ok(), entry.path());
        for (const auto& test : tests->as_array()) {
            auto name = entry.path().stem().string() + "/" +
                        std::string(*string_member(test, "section")) + "/" +
                        std::string(*string_member(test, "name"));
            bool out = false;
            for (const auto& each : left_out) out |= name.starts_with(each);
            if (out) {
                ++count.left_out;
                continue;
            }
            auto said = outcome(test);
            BOOST_TEST(said.empty(), name << ": " << *string_member(test, "expr") << ": " << said);
            count.passed += said.empty() ? 1 : 0;
        }
    }
    BOOST_TEST_MESSAGE(folder << ": " << count.passed << " passed, " << count.left_out
                              << " left out");
    return count;
}

} // namespace

BOOST_AUTO_TEST_SUITE(suite)

BOOST_AUTO_TEST_CASE(the_core_tests_pass) {
    // Numbers are compared exactly, where the suite wants the integer rounded to a double.
    auto count = run("core", {"comparisons/lt_literal/not_lt_dyn_int_big_lossy_double",
                              "comparisons/gt_literal/not_gt_dyn_big_double_int",
                              "comparisons/lte_literal/lte_dyn_big_double_int",
                              "comparisons/gte_literal/gte_dyn_int_big_lossy_double"});
    if (test::shared_data("cel/core")) BOOST_TEST(count.passed == 1012);
}

BOOST_AUTO_TEST_CASE(the_tests_of_time_pass) {
    const std::string zones = "timestamps/timestamp_selectors_tz/";
    run("time", {zones + "getDate", zones + "getDayOfMonth_name_pos",
                 zones + "getDayOfMonth_name_neg", zones + "getDayOfYear", zones + "getMinutes"});
}

BOOST_AUTO_TEST_CASE(the_tests_of_strings_pass) {
    run("ext", {"string_ext/format"}, {"string_ext"});
}

BOOST_AUTO_TEST_SUITE_END()
