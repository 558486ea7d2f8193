#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/cli/subcommand.hpp"
#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Manual, OfTheProgramNamesEveryCommand) {
  const Outcome outcome = run_cli({"help", "--man"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const auto& command : all_subcommands())
    EXPECT_THAT(outcome.out, HasSubstr(".BR stepcast\\-" + command->listed.name + " (1)"));
}

// A hyphen that one types is written as one, and a line that begins with a dot would be a request.
TEST(Manual, OfACommandHoldsItsOptionsAndExamples) {
  const std::string page = run_cli({"help", "run", "--man"}).out;
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-timeline\\fR \\fIFILE\\fR"));
  EXPECT_THAT(page, HasSubstr("stepcast run \\-\\-workload resnet50\\-rtx2080ti\\-bs64"));
  for (const auto& command : all_subcommands())
    EXPECT_THAT(run_cli({"help", command->listed.name, "--man"}).out, Not(HasSubstr("\n...")));
}

TEST(Manual, CompletionKnowsCommandsAndOptions) {
  const std::string script = run_cli({"help", "--completion"}).out;
  EXPECT_THAT(script, HasSubstr("run compare tune"));
  EXPECT_THAT(script, HasSubstr("    gate) options=\"--help --baseline --max-slowdown"));
}

// bash cuts words at colons and equals signs.
TEST(Manual, CompletionKnowsModelsAndDevicesOfTransformers) {
  const std::string script = run_cli({"help", "--completion"}).out;
  EXPECT_THAT(script, HasSubstr("=) before=${COMP_WORDS[COMP_CWORD - 2]} ;;"));
  EXPECT_THAT(script, HasSubstr("model | *,model) kind=transformers ;;"));
  EXPECT_THAT(script, HasSubstr("device | *,device | --device) kind=devices ;;"));
}

TEST(Manual, OfAnUnknownCommandIsRefused) {
  const Outcome outcome = run_cli({"help", "rum", "--man"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean \"run\""));
}

}  // namespace
}  // namespace stepcast
