#include "sim/cli/on_one_line.hpp"

#include <gtest/gtest.h>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

TEST(OnOneLine, RunsOfWhiteSpaceBecomeOneSpace) {
  EXPECT_EQ(on_one_line("stepcast run\n      --nodes  2"), "stepcast run --nodes 2");
}

// Examples of --help go over several lines.
TEST(OnOneLine, ExamplesInErrorsHaveNoRunsOfSpaces) {
  for (const char* command :
       {"run", "compare", "tune", "collective", "derive", "replay", "inspect"}) {
    const Outcome outcome = run_cli({command});
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_EQ(outcome.err.find("  "), std::string::npos) << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  }
}

}  // namespace
}  // namespace stepcast
