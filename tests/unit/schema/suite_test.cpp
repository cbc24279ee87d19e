// The official test suite of JSON Schema, read from the shared data.
#include <set>

#include <boost/test/unit_test.hpp>

#include "../../support/shared_data.hpp"
#include "schema/schema.hpp"

using namespace foxwedge;
using namespace foxwedge::schema;
namespace fs = std::filesystem;

namespace {

/// The suite's remote documents, as its server at localhost:1234 would hand them out.
const Documents& remotes(const fs::path& root) {
    static const Documents documents = [&] {
        Documents all;
        for (const auto& entry : fs::recursive_directory_iterator(root / "remotes")) {
            if (entry.path().extension() != ".json") continue;
            auto value = parse_json(test::read_file(entry.path()));
            BOOST_TEST_REQUIRE(value.ok(), entry.path());
            auto name = fs::relative(entry.path(), root / "remotes").generic_string();
            all.emplace("http://localhost:1234/" + name, *value);
        }
        return all;
    }();
    return documents;
}

struct Options {
    Draft draft;
    bool assert_format = false;
    std::set<std::string> left_out = {}; ///< "<file>: <group>: <test>" or a beginning of it
};

struct Count {
    int passed = 0;
    int left_out = 0;
};

void run_file(const fs::path& root, const fs::path& file, const Options& options, Count& count) {
    auto groups = parse_json(test::read_file(file));
    BOOST_TEST_REQUIRE(groups.ok(), file);
    CompileOptions compile{.dialect = options.draft, .assert_format = options.assert_format};
    compile.documents = &remotes(root);
    for (const auto& group : groups->as_array()) {
        auto title =
            file.filename().string() + ": " + std::string(*string_member(group, "description"));
        auto left_out = [&](const std::string& name) {
            for (const auto& each : options.left_out)
                if (name.starts_with(each)) return true;
            return false;
        };
        auto schema = Schema::compile(group.at("schema"), compile);
        for (const auto& each : group.at("tests").as_array()) {
            auto name = title + ": " + std::string(*string_member(each, "description"));
            if (left_out(name)) {
                ++count.left_out;
                continue;
            }
            BOOST_TEST(schema.ok(), name << ": " << (schema ? "" : schema.error().message));
            if (!schema) continue;
            const auto& data = each.at("data");
            bool expected = each.at("valid").as_bool();
            BOOST_TEST(schema->valid(data) == expected, name);
            BOOST_TEST(schema->check(data).empty() == expected, name << " (all violations)");
            ++count.passed;
        }
    }
}

Count run_folder(const std::string& folder, const Options& options,
                 const std::set<std::string>& only = {}) {
    Count count;
    auto root = test::shared_data("jsonschema");
    if (!root) return count;
    for (const auto& entry : fs::directory_iterator(*root / "tests" / folder)) {
        if (entry.path().extension() != ".json") continue;
        if (!only.empty() && !only.contains(entry.path().stem().string())) continue;
        run_file(*root, entry.path(), options, count);
    }
    BOOST_TEST_MESSAGE(folder << ": " << count.passed << " run, " << count.left_out << " left out");
    return count;
}

bool here() {
    return test::shared_data("jsonschema").has_value();
}

} // namespace

BOOST_AUTO_TEST_SUITE(suite)

BOOST_AUTO_TEST_CASE(the_required_tests_of_2020_12_pass) {
    auto count = run_folder("draft2020-12", {Draft::draft2020_12});
    if (here()) BOOST_TEST(count.passed == 1299);
}

BOOST_AUTO_TEST_CASE(the_required_tests_of_draft_07_pass) {
    auto count = run_folder("draft7", {Draft::draft7});
    if (here()) BOOST_TEST(count.passed == 927);
}

BOOST_AUTO_TEST_CASE(the_required_tests_of_2019_09_pass) {
    run_folder("draft2019-09", {Draft::draft2019_09});
}

BOOST_AUTO_TEST_CASE(the_required_tests_of_draft_06_pass) {
    run_folder("draft6", {Draft::draft6});
}

BOOST_AUTO_TEST_CASE(the_required_tests_of_draft_04_pass) {
    run_folder("draft4", {Draft::draft4});
}

BOOST_AUTO_TEST_CASE(the_optional_tests_of_2020_12_pass) {
    run_folder("draft2020-12/optional", {Draft::draft2020_12});
}

BOOST_AUTO_TEST_CASE(the_optional_tests_of_draft_07_pass) {
    // contentEncoding and contentMediaType note, they do not judge (docs/json-schema.md).
    run_folder("draft7/optional", {Draft::draft7, false, {"content.json"}});
}

BOOST_AUTO_TEST_CASE(the_formats_that_matter_are_asserted_on_demand) {
    const std::set<std::string> formats{"date-time",
                                        "date",
                                        "time",
                                        "email",
                                        "uri",
                                        "uri-reference",
                                        "uuid",
                                        "ipv4",
                                        "ipv6",
                                        "regex",
                                        "hostname",
                                        "json-pointer",
                                        "relative-json-pointer",
                                        "duration",
                                        "unknown"};
    // What an A-label decodes to is not looked at (docs/json-schema.md).
    const std::set<std::string> left_out{"hostname.json: validation of A-label"};
    run_folder("draft2020-12/optional/format", {Draft::draft2020_12, true, left_out}, formats);
    run_folder("draft7/optional/format", {Draft::draft7, true, left_out}, formats);
}

BOOST_AUTO_TEST_CASE(every_schema_of_real_servers_compiles) {
    auto root = test::shared_data("mcp-tools");
    if (!root) return;
    int compiled = 0;
    for (const auto& entry : fs::directory_iterator(*root)) {
        if (entry.path().extension() != ".json" || entry.path().filename() == "INDEX.json")
            continue;
        auto list = parse_json(test::read_file(entry.path()));
        BOOST_TEST_REQUIRE(list.ok(), entry.path());
        const auto* tools = list->is_array() ? &list->as_array() : array_member(*list, "tools");
        BOOST_TEST_REQUIRE(tools, entry.path());
        for (const auto& tool : *tools)
            for (const char* key : {"inputSchema", "outputSchema"}) {
                const auto* schema = member(tool, key);
                if (!schema) continue;
                auto result = Schema::compile(*schema, {.strict_patterns = true});
                BOOST_TEST(result.ok(), entry.path() << " " << *string_member(tool, "name") << ": "
                                                     << (result ? "" : result.error().message));
                ++compiled;
            }
    }
    BOOST_TEST(compiled == 838);
}

BOOST_AUTO_TEST_SUITE_END()
