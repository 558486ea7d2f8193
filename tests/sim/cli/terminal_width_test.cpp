#include "sim/cli/terminal_width.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(TerminalWidth, IsThatOfTheVariableThenOfTheTerminal) {
  EXPECT_EQ(terminal_width(true, "80", 120), 80U);
  EXPECT_EQ(terminal_width(true, nullptr, 120), 120U);
  for (const char* none : {"", "wide", "0", "80x"})
    EXPECT_EQ(terminal_width(true, none, 120), 120U) << none;
}

TEST(TerminalWidth, Is100WhereItIsUnknownOrNoTerminalReads) {
  EXPECT_EQ(terminal_width(true, nullptr, 0), 100U);
  EXPECT_EQ(terminal_width(false, "80", 120), 100U);
}

}  // namespace
}  // namespace stepcast
