#include "models/base/utf8.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

// Eight characters are looked at together: a byte that is none must be found wherever it stands.
TEST(Utf8, TheFirstWrongByteIsFoundAtEveryPlace) {
  for (std::size_t at = 0; at < 40; ++at) {
    std::string text(40, 'a');
    text[at] = '\xff';
    EXPECT_EQ(first_invalid_utf8(text), at);
    EXPECT_EQ(valid_utf8(text), std::string(at, 'a') + "?" + std::string(39 - at, 'a'));
  }
  EXPECT_FALSE(first_invalid_utf8("plain, \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80"));
  EXPECT_EQ(first_invalid_utf8("12345678\xc3"), 8U);          // The text ends in a character.
  EXPECT_EQ(first_invalid_utf8("12345678\xed\xa0\x80"), 8U);  // Half of a pair of UTF-16.
}

TEST(Utf8, IsCutBetweenCharacters) {
  EXPECT_EQ(abridged("abc", 3), "abc");
  EXPECT_EQ(abridged("abcd", 3), "abc...");
  EXPECT_EQ(abridged("ab\xe2\x82\xac"
                     "d",
                     4),
            "ab...");  // U+20AC takes three bytes.
  EXPECT_EQ(abridged("\xff"
                     "bcd",
                     3),
            "?bc...");
}

TEST(Utf8, IsRefusedByLineAndColumn) {
  EXPECT_EQ(input_error_of([] { check_utf8("one\ntw\xff", "f.csv"); }),
            "f.csv: line 2, column 3: this byte is not UTF-8 text");
}

}  // namespace
}  // namespace stepcast
