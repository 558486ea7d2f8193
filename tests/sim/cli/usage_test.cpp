#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/cli/subcommand.hpp"
#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

TEST(Usage, WithoutArgumentsTheProgramSaysWhatItIsAndListsEveryCommand) {
  const Outcome outcome = run_cli({});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.out.starts_with("StepCast forecasts")) << outcome.out;
  for (const auto& command : all_subcommands()) {
    EXPECT_NE(outcome.out.find("\n  " + command->listed.name + " "), std::string::npos);
    EXPECT_NE(outcome.out.find(command->listed.summary), std::string::npos);
  }
  EXPECT_EQ(run_cli({"--help"}).out, outcome.out);
}

TEST(Usage, VersionIsOneLine) {
  const Outcome outcome = run_cli({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.out.starts_with("stepcast ")) << outcome.out;
  EXPECT_EQ(lines_of(outcome.out).size(), 1U);
}

TEST(Usage, HelpIsACommandToo) {
  EXPECT_EQ(run_cli({"help"}).out, run_cli({"--help"}).out);
  EXPECT_EQ(run_cli({"help", "run"}).out, run_cli({"run", "--help"}).out);
  const Outcome outcome = run_cli({"help", "rnu"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("unknown command \"rnu\" (see stepcast --help); did you mean"),
            std::string::npos)
      << outcome.err;
}

TEST(Usage, TheVersionNamesItsCommitAndSimGrid) {
  const Outcome outcome = run_cli({"version"});
  EXPECT_EQ(outcome.exit_code, 0);
  const std::regex expected(
      "stepcast [0-9.]+ \\(commit ([0-9a-f]{12}(-dirty)?|unknown), SimGrid [34]\\.[0-9.]+\\)\n");
  EXPECT_TRUE(std::regex_match(outcome.out, expected)) << outcome.out;
  const nlohmann::json json = nlohmann::json::parse(run_cli({"version", "--json"}).out);
  EXPECT_EQ(outcome.out.find("commit unknown") != std::string::npos, json["commit"] == "");
  EXPECT_TRUE(outcome.out.starts_with("stepcast " + json["version"].get<std::string>() + " "));
}

TEST(Usage, EveryCommandHasAHelpWithAnExampleInHundredColumns) {
  for (const auto& command : all_subcommands()) {
    const std::string name = command->listed.name;
    const Outcome outcome = run_cli({name, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find(command->listed.summary), std::string::npos) << name;
    EXPECT_NE(outcome.out.find("Example"), std::string::npos) << name;
    EXPECT_NE(outcome.out.find("\n  stepcast " + name), std::string::npos) << name;
    for (const std::string& line : lines_of(outcome.out))
      EXPECT_LE(line.size(), 100U) << name << ": " << line;
  }
}

/// A command line that is wrong, and what its message must hold.
struct WrongUsage {
  std::vector<std::string> arguments;
  std::string expected;
};

const std::vector<WrongUsage> kWrongUsages{
    {{"rnu"}, "unknown command \"rnu\" (see stepcast --help); did you mean \"run\"?"},
    {{"--vresion"},
     "unknown option \"--vresion\" (see stepcast --help); did you mean \"--version\"?"},
    {{"run", "--worklaod", "x"},
     "unknown option \"--worklaod\" (see stepcast run --help); did you mean "
     "\"--workload\"?"},
    {{"run", "--worklaod=x"}, "did you mean \"--workload\"?"},
    {{"show", "dear", "bsp"}, "unexpected argument \"bsp\" (see stepcast show --help)"},
    {{"run", "--workload"}, "--workload: expected a value, found none"},
    {{"run", "--workload", "a", "--workload", "b"}, "--workload: given twice: \"a\" and \"b\""},
    {{"compare", "--set", "batch=8", "--set", "batch=8"}, "--set batch=8: given twice"},
    {{"compare", "--schedules", "ddp dear"},
     "--schedules: lists take commas, as in ddp,dear; found \"ddp dear\""},
    {{"compare", "--nodes", "1, 2"}, "--nodes: lists take commas, as in 1,2; found"},
    {{"compare", "--schedules", "ddp", "dear"}, "; lists take commas: --schedules ddp,dear"},
    {{"compare", "--nodes", "1", "2"}, "; lists take commas: --nodes 1,2"},
    {{"run", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", "ideal-1x2", "--schedule",
      "dear,ddp"},
     "; --schedule takes one value, not a list"},
    {{"run", "--nodes", "1,2"}, "; --nodes takes one value, not a list"},
    {{"plan", "--clusters", "a,,b"}, "stepcast: --clusters: expected values separated by"},
    {{"plan", "--cluster=a,,b"}, "stepcast: --cluster: expected values separated by"},
    {{"validate", "--figure", ""}, "stepcast: --figure: expected a value"},
    {{"derive", "-o", ""}, "stepcast: -o: expected a value"},
    {{"derive", "-o"}, "stepcast: -o: expected a value, found none"},
    {{"run", "--nodes", "zero"}, "--nodes: expected a whole number"},
    {{"run", "--nodes", "0"}, "--nodes: expected a whole number"},
    {{"run", "--workload", ""}, "--workload: expected a value"},
    {{"compare", "--schedules", "bsp,,dear"}, "--schedules: expected values"},
    {{"run"}, "no workload given; name one with --workload"},
    {{"run", "--workload", "resnet50-rtx2080ti-bs64"}, "no cluster given"},
    {{"run", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", "ideal-1x2"},
     "no schedule given"},
    {{"list", "worklods"}, "did you mean \"workloads\"?"},
    {{"schema", "worklod"}, "did you mean \"workload\"?"},
    {{"explain", "troughput"}, "did you mean \"throughput\"?"},
    {{"show", "resnet50-rtx2080ti-bs65"}, "did you mean \"resnet50-rtx2080ti-bs64\"?"},
    {{"show"}, "expected a name"},
    {{"import"}, "expected a file"},
    {{"inspect"}, "inspect: expected a file"},
    {{"replay"}, "replay: expected a trace"},
    {{"replay", "t.json", "--nodes", "2"}, "--nodes: expected --cluster beside it"},
    {{"replay", "t.json", "--without", "talk"}, "--without: expected all or a kind"},
    {{"replay", "t.json", "--device-speed", "0"},
     "--device-speed: expected a number from 0.001 to 1000"},
    {{"import", "t.json", "--gaps", "some"}, "--gaps: expected keep or drop"},
    {{"derive"}, "expected an architecture"},
    {{"derive", "resnet50", "--device", "rtx2080ti", "--batch", "8"},
     "expected either --step-time or --throughput"},
    {{"collective"}, "no cluster given"},
};

TEST(Usage, WrongUsageIsOneLineOnStderrAndExitCodeTwo) {
  for (const WrongUsage& wrong : kWrongUsages) {
    const Outcome outcome = run_cli(wrong.arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("stepcast: ")) << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find(wrong.expected), std::string::npos)
        << "expected " << wrong.expected << "\n   found " << outcome.err;
  }
}

}  // namespace
}  // namespace stepcast
