#include "sim/report/table.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(TableTest, NumbersAreRightAlignedAndLinesDoNotEndInSpaces) {
  const Table table{{{"name", Align::Left}, {"ms"}, {"note", Align::Left}},
                    {{"a", "1.5", "x"}, {"long name", "100.0", ""}}};
  EXPECT_EQ(render(table),
            "name          ms  note\n"
            "---------  -----  ----\n"
            "a            1.5  x\n"
            "long name  100.0\n");
}

TEST(TableTest, WidthCountsCodePointsNotBytes) {
  EXPECT_EQ(width_of("µs"), 2U);
  const Table table{{{"unit", Align::Left}, {"n"}}, {{"µs", "1"}}};
  EXPECT_NE(render(table).find("µs    1\n"), std::string::npos);
}

TEST(TableTest, AWideTableShortensItsFirstColumnToTheReportWidth) {
  const Table table{{{"name", Align::Left}, {"ms"}}, {{std::string(150, 'n'), "1"}}};
  const std::string text = render(table);
  EXPECT_EQ(width_of(text.substr(0, text.find('\n'))), kReportWidth);
  EXPECT_NE(text.find("n…  1\n"), std::string::npos) << text;
}

TEST(TableTest, ATableThatIsAlmostTooWideKeepsItsNamesAndMovesTogether) {
  // 97 + 2 + 2 columns are one too many: one space between them instead of two.
  const Table table{{{"name", Align::Left}, {"ms"}}, {{std::string(97, 'n'), "1"}}};
  EXPECT_NE(render(table).find(std::string(97, 'n') + "  1\n"), std::string::npos);
}

TEST(TableTest, WrappedLinesAreIndentedAndKeepEveryWord) {
  const std::string text = wrap(std::string(60, 'a') + " " + std::string(60, 'b') + " c", 2);
  EXPECT_EQ(text, std::string(60, 'a') + "\n  " + std::string(60, 'b') + " c\n");
}

}  // namespace
}  // namespace stepcast
