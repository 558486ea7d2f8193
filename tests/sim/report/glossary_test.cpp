#include "sim/report/glossary.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(GlossaryTest, EveryPrintedColumnHasItsLine) {
  const auto columns = printed_columns();
  EXPECT_GT(columns.size(), 40U);
  for (const std::string& column : columns)
    EXPECT_NE(find_term(column), nullptr) << column;
}

TEST(GlossaryTest, TermsAreFoundByHeadingAndKeyWhateverTheirSpelling) {
  ASSERT_NE(find_term("exposed_communication_s"), nullptr);
  EXPECT_EQ(find_term("Exposed-Communication"), find_term("exposed ms"));
  EXPECT_EQ(find_term("expose"), nullptr);
  EXPECT_EQ(find_term(""), nullptr);
}

TEST(GlossaryTest, TermsAreSortedUniqueAndDefined) {
  std::set<std::string_view> names;
  for (const Term& term : all_terms()) {
    EXPECT_TRUE(names.insert(term.name).second) << term.name;
    EXPECT_TRUE(term.definition.ends_with('.')) << term.name;
  }
  EXPECT_TRUE(std::ranges::is_sorted(all_terms(), {}, &Term::name));
}

}  // namespace
}  // namespace stepcast
