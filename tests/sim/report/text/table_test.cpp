#include "sim/report/text/table.hpp"

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
  EXPECT_EQ(width_of(text.substr(0, text.find('\n'))), report_width());
  EXPECT_NE(text.find("n…  1\n"), std::string::npos) << text;
}

TEST(TableTest, ATableThatIsAlmostTooWideKeepsItsNamesAndMovesTogether) {
  // 97 + 2 + 2 columns are one too many: one space between them instead of two.
  const Table table{{{"name", Align::Left}, {"ms"}}, {{std::string(97, 'n'), "1"}}};
  EXPECT_NE(render(table).find(std::string(97, 'n') + "  1\n"), std::string::npos);
}

TEST(TableTest, AWideTableInPartsRepeatsItsFirstColumns) {
  // 4 + 2 x (2 + 40) fit into 100 columns, a third one does not.
  const std::string a(40, 'a');
  const std::string b(40, 'b');
  const std::string c(40, 'c');
  const Table table{{{"name", Align::Left}, {a}, {b}, {c}}, {{"x", "1", "2", "3"}}};
  EXPECT_EQ(render_in_parts(table, 1),
            render({{{"name", Align::Left}, {a}, {b}}, {{"x", "1", "2"}}}) + "\n" +
                render({{{"name", Align::Left}, {c}}, {{"x", "3"}}}));
}

TEST(TableTest, ATableThatFitsIsOnePart) {
  const Table table{{{"name", Align::Left}, {"ms"}}, {{"x", "1"}}};
  EXPECT_EQ(render_in_parts(table, 1), render(table));
}

TEST(TableTest, WrappedLinesAreIndentedAndKeepEveryWord) {
  const std::string text = wrap(std::string(60, 'a') + " " + std::string(60, 'b') + " c", 2);
  EXPECT_EQ(text, std::string(60, 'a') + "\n  " + std::string(60, 'b') + " c\n");
}

}  // namespace
}  // namespace stepcast
