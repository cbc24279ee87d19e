// A file is judged before anything of it is mapped (field case B65).
#include <fcntl.h>

#include "plugin/elf.hpp"
#include "plugin/file.hpp"
#include "plugin/refusal.hpp"

#include "folder.hpp"

using namespace foxwedge;
using namespace foxwedge::plugin;
using plugin_tests::Folder;

namespace {

struct Damage : Folder {
    const std::string good = bytes_of(exhibit("tame"));

    std::string code(const std::string& bytes) {
        const auto path = write("damaged.so", bytes);
        const Fd fd(::open(path.c_str(), O_RDONLY));
        const auto facts = read_elf(fd.get());
        if (facts) return "ok";
        BOOST_TEST(!reason_of(facts.error()).empty());
        BOOST_TEST(!mend_of(facts.error()).empty());
        return facts.error().code;
    }
    std::size_t note_at() const { return good.find(std::string("foxwedge\0\0\0\0{", 13)); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(elf, Damage)

BOOST_AUTO_TEST_CASE(a_good_plugin_shows_its_descriptor_and_one_symbol) {
    const Fd fd(::open(exhibit("tame").c_str(), O_RDONLY));
    const auto facts = read_elf(fd.get());
    BOOST_REQUIRE(facts.ok());
    BOOST_TEST(facts->has_entry());
    BOOST_TEST(facts->stray_symbol() == "");
    BOOST_TEST(facts->descriptor.front() == '{');
}

BOOST_AUTO_TEST_CASE(what_is_no_library_is_refused) {
    BOOST_TEST(code("") == "not_a_library");
    BOOST_TEST(code("hello, I am a text file\n") == "not_a_library");
    BOOST_TEST(code(std::string(200, 'x')) == "not_a_library");
    BOOST_TEST(code(bytes_of("/proc/self/exe")) == "not_a_library");
}

BOOST_AUTO_TEST_CASE(a_library_for_another_machine_is_called_that) {
    auto arm = good, wide = good, big = good;
    arm[18] = '\xb7';
    wide[4] = '\1';
    big[5] = '\2';
    BOOST_TEST(code(arm) == "wrong_machine");
    BOOST_TEST(code(wide) == "wrong_machine");
    BOOST_TEST(code(big) == "wrong_machine");
}

BOOST_AUTO_TEST_CASE(a_truncated_library_never_gets_to_the_loader) {
    for (const std::size_t size :
         {std::size_t{100}, std::size_t{2000}, std::size_t{4096}, good.size() / 2})
        BOOST_TEST(code(good.substr(0, size)) == "truncated");
}

BOOST_AUTO_TEST_CASE(a_damaged_note_is_refused) {
    auto name = good, length = good;
    BOOST_REQUIRE(note_at() != std::string::npos);
    name[note_at()] = 'F';
    length.replace(note_at() - 8, 4, "\xf0\xff\xff\xff");
    BOOST_TEST(code(name) == "no_descriptor");
    BOOST_TEST(code(length) == "bad_descriptor");
}

BOOST_AUTO_TEST_CASE(no_flipped_byte_of_the_headers_brings_the_reader_down) {
    for (std::size_t at = 0; at < 1024 && at < good.size(); ++at)
        for (const char flip : {'\x01', '\x80', '\xff'}) {
            auto bytes = good;
            bytes[at] = static_cast<char>(bytes[at] ^ flip);
            code(bytes);
        }
}

BOOST_AUTO_TEST_CASE(a_library_without_the_entry_is_refused) {
    BOOST_TEST(code(bytes_of(exhibit("no-entry"))) == "no_entry");
    BOOST_TEST(code(bytes_of(exhibit("no-note"))) == "no_descriptor");
}

BOOST_AUTO_TEST_SUITE_END()
