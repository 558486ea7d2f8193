#include "sim/probe/arguments.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

ProbeArguments parse(const std::vector<std::string>& arguments) {
  return parse_probe_arguments(arguments);
}

std::string error_of(const std::vector<std::string>& arguments) {
  return input_error_of([&] { parse(arguments); });
}

TEST(ProbeArguments, MeanAllProbesWhereNoneIsNamed) {
  const ProbeArguments arguments = parse({"--quick"});
  EXPECT_EQ(arguments.probes.size(), 6U);
  EXPECT_TRUE(arguments.quick);
  EXPECT_FALSE(arguments.chosen);
}

TEST(ProbeArguments, KeepNamedProbesOnceInAFixedOrder) {
  const ProbeArguments arguments = parse({"memory", "gemm", "memory"});
  EXPECT_EQ(arguments.probes, (std::vector{ProbeKind::Gemm, ProbeKind::Memory}));
  EXPECT_TRUE(arguments.chosen);
}

TEST(ProbeArguments, TakeAPlanToReplay) {
  const ProbeArguments arguments =
      parse({"replay", "plan.json", "--iterations", "7", "--emulate", "timer", "--gpus", "1"});
  EXPECT_EQ(arguments.plan, "plan.json");
  EXPECT_EQ(arguments.iterations, 7U);
  EXPECT_EQ(arguments.emulation, Emulation::Timer);
  EXPECT_EQ(arguments.gpus, 1U);
  EXPECT_TRUE(arguments.probes.empty());
}

TEST(ProbeArguments, ReplayFewIterationsInAHurryUnlessAskedForMore) {
  EXPECT_EQ(parse({"replay", "p"}).iterations, 30U);
  EXPECT_EQ(parse({"replay", "p", "--quick"}).iterations, 5U);
  EXPECT_EQ(parse({"replay", "p", "--iterations", "9", "--quick"}).iterations, 9U);
}

TEST(ProbeArguments, NameTheNearestOption) {
  EXPECT_EQ(error_of({"--quik"}),
            "unknown option \"--quik\" (see stepcast-probe --help); did you mean \"--quick\"?");
  EXPECT_EQ(error_of({"gem"}).substr(0, 19), "unknown probe \"gem\"");
}

TEST(ProbeArguments, RefuseValuesThatMakeNoSense) {
  EXPECT_EQ(error_of({"--gpus", "0"}), "--gpus: expected a whole number from 1 on, found \"0\"");
  EXPECT_EQ(error_of({"--gpus"}), "--gpus: expected a value");
  EXPECT_EQ(error_of({"replay", "p", "--iterations", "10001"}),
            "--iterations: expected at most 10000, found \"10001\"");
  EXPECT_EQ(error_of({"replay", "p", "--emulate", "x"}),
            "--emulate: expected copies or timer, found \"x\"");
  EXPECT_EQ(error_of({"--device", "../x"}).substr(0, 26), "--device: expected a name ");
}

TEST(ProbeArguments, KeepReplaysAndProbesApart) {
  EXPECT_EQ(error_of({"gemm", "--timeline", "t.json"}),
            "--timeline belongs to: stepcast-probe replay PLAN");
  EXPECT_EQ(error_of({"replay"}),
            "replay: expected a plan, made by: stepcast run ... --export-plan plan.json");
  EXPECT_EQ(error_of({"gemm", "replay"}), "replay comes first: stepcast-probe replay PLAN");
  EXPECT_EQ(error_of({"replay", "p", "gemm"}), "unexpected argument \"gemm\" after the plan");
}

}  // namespace
}  // namespace stepcast
