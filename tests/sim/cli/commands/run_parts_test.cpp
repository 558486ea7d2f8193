#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> parts_of(const std::string& protocol) {
  const Outcome outcome =
      run_cli({"run", "--workload", "resnet50-rtx2080ti-bs32", "--cluster", "ideal-2x2",
               "--schedule", "spd-kfac", "--parts", protocol, "--fidelity", "analytic", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<std::string> names;
  const ordered_json json = ordered_json::parse(outcome.out);
  for (const auto& [name, time] : json["parts_s"].items())
    names.push_back(name);
  return names;
}

TEST(RunParts, BothProtocolsNameTheirPartsAlike) {
  std::vector<std::string> ablation = parts_of("ablation");
  EXPECT_EQ(ablation.size(), 7U);
  ablation.insert(ablation.end(), {"packing", "other"});  // the protocol cannot tell them apart
  EXPECT_EQ(parts_of("exposed"), ablation);
}

// Also where an iteration is a period of ten steps, or one phase of Horovod's cycle after the
// other.
TEST(RunParts, PartsAddUpToTheStepThatRunForecasts) {
  for (const std::string interval : {"1", "10"}) {
    const std::vector<std::string> job = {"--workload", "resnet50-rtx2080ti-bs32",
                                          "--cluster",  "rtx2080ti-16x4-10gbe",
                                          "--schedule", "d-kfac",
                                          "--set",      "factor_interval=" + interval,
                                          "--json"};
    const auto step_of = [&](std::vector<std::string> words) {
      words.insert(words.end(), job.begin(), job.end());
      const Outcome outcome = run_cli(words);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      return ordered_json::parse(outcome.out)["iteration_time_s"].get<double>();
    };
    const double step = step_of({"run"});
    for (const std::string protocol : {"exposed", "ablation"})
      EXPECT_NEAR(step_of({"run", "--parts", protocol}), step, 1e-9 * step)
          << protocol << ", every " << interval;
  }
}

TEST(RunParts, AreATableToo) {
  const TemporaryFolder folder;
  const std::string file = folder.file("parts.csv");
  const Outcome outcome =
      run_cli({"run", "--workload", "resnet50-rtx2080ti-bs32", "--cluster", "ideal-2x2",
               "--schedule", "spd-kfac", "--parts", "ablation", "--csv", file});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  EXPECT_TRUE(text.starts_with("part,time_s\nff-bp,")) << text;
  EXPECT_EQ(lines_of(text).size(), 1U + 7U);
}

TEST(RunParts, HaveNoneOfTheFilesOfAForecast) {
  const auto error_with = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "dear-64gpu-10gbe", "--schedule", "dear"});
    const Outcome outcome = run_cli(more);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_EQ(error_with({"--parts", "exposed", "--verbose"}),
            "stepcast: --verbose: not with --parts\n");
  EXPECT_EQ(error_with({"--parts", "exposed", "--seeds", "4"}),
            "stepcast: --seeds: not with --parts\n");
  EXPECT_EQ(error_with({"--csv", "x.csv"}), "stepcast: --csv: expected together with --parts\n");
  EXPECT_EQ(
      error_with({"--edge", "x.csv", "--set", "batch=8", "--nodes", "2"}),
      "stepcast: EXPERIMENT, --schedule, --nodes and --set: not with --edge, which reads only "
      "its table of devices\n");
  EXPECT_EQ(error_with({"--parts", "some"}),
            "stepcast: --parts: expected exposed or ablation, found \"some\"\n");
}

}  // namespace
}  // namespace stepcast
