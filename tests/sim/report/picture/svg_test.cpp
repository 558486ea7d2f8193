#include "sim/report/picture/svg.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(Svg, TextOfAnyContentStaysText) {
  EXPECT_EQ(svg::escaped(R"(a<b>c&d"e)"), "a&lt;b&gt;c&amp;d&quot;e");
}

TEST(Svg, TextLiesAtItsPoint) {
  EXPECT_EQ(svg::text(1, 2.25, "end", "a<b"),
            "<text x=\"1.0\" y=\"2.2\" text-anchor=\"end\">a&lt;b</text>\n");
  EXPECT_EQ(svg::text(0, 0, "start", "a", "fill=\"white\""),
            "<text x=\"0.0\" y=\"0.0\" text-anchor=\"start\" fill=\"white\">a</text>\n");
}

TEST(Svg, ADocumentHoldsItsElementsOnWhite) {
  const std::string page = svg::document(760, 420, "<line/>\n");
  EXPECT_TRUE(
      page.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" "
                       "height=\"420\" viewBox=\"0 0 760 420\""));
  EXPECT_TRUE(page.ends_with("fill=\"white\"/>\n<line/>\n</svg>\n"));
}

}  // namespace
}  // namespace stepcast
