#include <boost/test/unit_test.hpp>

#include "base/digest.hpp"

using namespace foxwedge;

BOOST_AUTO_TEST_SUITE(digest)

BOOST_AUTO_TEST_CASE(known_texts_have_known_digests) {
    BOOST_TEST(to_hex(sha256("")) ==
               "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    BOOST_TEST(to_hex(sha256("abc")) ==
               "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

BOOST_AUTO_TEST_CASE(pieces_have_the_digest_of_the_whole) {
    BOOST_TEST((sha256("ab", "c") == sha256("abc")));
    Sha256 pieces;
    for (auto piece : {"a", "", "bc"}) pieces.update(piece);
    BOOST_TEST((pieces.finish() == sha256("abc")));
}

BOOST_AUTO_TEST_CASE(a_digest_in_pieces_is_not_disturbed_by_others) {
    Sha256 pieces;
    pieces.update("ab");
    BOOST_TEST((sha256("other") == sha256("other")));
    pieces.update("c");
    BOOST_TEST((pieces.finish() == sha256("abc")));
}

BOOST_AUTO_TEST_SUITE_END()
