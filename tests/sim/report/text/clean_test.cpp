#include "sim/report/text/clean.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(Clean, EscapeSequencesOfANameNeverReachATerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\r\x07\x7f"), "a?[2Jb???");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2Jb"),
            "a?2Jb");  // the same as one character, U+009B
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a?b");  // turns the direction of writing
  EXPECT_EQ(printable("gr\xc3\xb6\xc3\x9f"
                      "e\n\tx"),
            "gr\xc3\xb6\xc3\x9f"
            "e\n\tx");
  EXPECT_EQ(printable(std::string_view("\0\xc2", 2)), "?\xc2");
}

TEST(Clean, AFormulaInACellStaysText) {
  EXPECT_EQ(csv_cell("=HYPERLINK(\"http://x\")"), "\"'=HYPERLINK(\"\"http://x\"\")\"");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_cell("-"), "-");
  EXPECT_EQ(csv_cell("-1.5"), "-1.5");
  EXPECT_EQ(csv_cell("-cmd|x"), "'-cmd|x");
  EXPECT_EQ(csv_cell("dear"), "dear");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
}

}  // namespace
}  // namespace stepcast
