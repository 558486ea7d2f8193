#include "sim/cli/called_as.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// A newcomer pasted "stepcast compare ..." from the end of scripts/run: command not found.
TEST(CalledAs, GivesThePathWhereTheShellHadNone) {
  EXPECT_EQ(called_as("build/release/bin/stepcast"), "build/release/bin/stepcast");
  EXPECT_EQ(called_as("/opt/x/bin/stepcast"), "/opt/x/bin/stepcast");
  EXPECT_EQ(called_as("./stepcast"), "./stepcast");
}

TEST(CalledAs, GivesTheNameWhereThePathFoundIt) {
  EXPECT_EQ(called_as("stepcast"), "stepcast");
}

TEST(CalledAs, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(called_as("/home/a b/stepcast"), "'/home/a b/stepcast'");
  EXPECT_EQ(called_as("/home/$HOME/stepcast"), "'/home/$HOME/stepcast'");
  EXPECT_EQ(called_as("/it's/stepcast"), "'/it'\\''s/stepcast'");
  EXPECT_EQ(called_as("~/stepcast"), "'~/stepcast'");  // argv[0] was not expanded by a shell.
}

// Nobody can type what has another name, and nothing may move a terminal's cursor.
TEST(CalledAs, GivesTheNameWhereThePathIsOfNoUse) {
  EXPECT_EQ(called_as("/usr/bin/python3"), "stepcast");
  EXPECT_EQ(called_as(""), "stepcast");
  EXPECT_EQ(called_as("/tmp/\x1b[2J/stepcast"), "stepcast");
  EXPECT_EQ(called_as(), "stepcast") << "this program has another name";
}

}  // namespace
}  // namespace stepcast
