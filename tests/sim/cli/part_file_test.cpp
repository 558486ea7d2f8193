#include "sim/cli/study/part_file.hpp"

#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/forecast/forecast_text.hpp"
#include "tests/sim/cli/run_cli.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

TEST(PartFile, AShardIsANumberAndHowManyThereAre) {
  EXPECT_EQ(parse_shard("2/8").number, 2U);
  EXPECT_EQ(parse_shard("2/8").of, 8U);
  for (const char* text : {"", "3", "/", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1/9999999"})
    EXPECT_NE(input_error_of([&] { parse_shard(text); }).find("--shard: expected a number"),
              std::string::npos)
        << text;
}

SweepRequest twelve() {
  return {.base = {.workload = "resnet50-rtx2080ti-bs64",
                   .cluster = "rtx2080ti-16x4-10gbe",
                   .schedules = {"wfbp", "dear"}},
          .axes = {{"workload", {"resnet50-rtx2080ti-bs64", "bert-base-rtx2080ti-bs64"}},
                   {"nodes", {"2", "4"}},
                   {"fusion_buffer", {"5MiB", "25MiB"}}}};
}

TEST(PartFile, ShardsShareOutEveryCombinationOnce) {
  // 2 workloads x 2 sizes x (wfbp, which has no buffer, and dear with 2)
  const Sweep whole = plan_sweep(twelve());
  ASSERT_EQ(whole.combinations.size(), 12U);
  std::vector<int> taken(12);
  for (std::uint32_t number = 1; number <= 5; ++number) {
    SweepRequest request = twelve();
    request.places = places_of({.number = number, .of = 5});
    const Sweep part = plan_sweep(request);
    EXPECT_EQ(part.whole, 12U);
    for (std::size_t i = 0; i < part.combinations.size(); ++i) {
      const Combination& same = whole.combinations[part.place_of(i)];
      EXPECT_EQ(name_of(part.combinations[i]), name_of(same));
      EXPECT_EQ(part.combinations[i].baseline, same.baseline);
      EXPECT_EQ(part.combinations[i].scenario, same.scenario);
      ++taken[part.place_of(i)];
    }
  }
  EXPECT_EQ(taken, std::vector<int>(12, 1));
  SweepRequest beyond = twelve();
  beyond.places = places_of({.number = 13, .of = 13});
  EXPECT_TRUE(plan_sweep(beyond).combinations.empty());
}

TEST(PartFile, AStudyIsKnownByItsInputsAndByWhatVaries) {
  const std::string study = study_of(twelve());
  EXPECT_EQ(study, study_of(twelve()));
  SweepRequest other = twelve();
  other.axes[1].values = {"2", "8"};
  EXPECT_NE(study, study_of(other));
  other = twelve();
  other.base.schedules = {"wfbp", "ddp"};
  other.axes.pop_back();
  SweepRequest third = other;
  third.base.schedules = {"ddp", "wfbp"};
  EXPECT_NE(study_of(third), study_of(other));
  other = twelve();
  other.slow = {"rank=1,factor=2"};
  EXPECT_NE(study, study_of(other));
}

std::vector<std::string> long_study(const std::vector<std::string>& more) {
  std::string nodes = "1", times = "100ms";
  for (int i = 2; i <= 30; ++i)
    nodes += fmt::format(",{}", i);
  for (int i = 101; i < 180; ++i)
    times += fmt::format(",{}ms", i);
  std::vector<std::string> words{"compare",
                                 "--workload",
                                 "resnet50-rtx2080ti-bs64",
                                 "--fidelity",
                                 "analytic",
                                 "--cluster",
                                 "rtx2080ti-16x4-10gbe",
                                 "--schedules",
                                 "bsp",
                                 "--nodes",
                                 nodes,
                                 "--set",
                                 "step_time=" + times};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// 30 sizes x 80 times are more than the pieces in which a study is done.
TEST(PartFile, ALongStudyIsTheSameInOneGoInShardsAndBesideATable) {
  const TemporaryFolder folder;
  const Outcome whole = run_cli(long_study({"--json"}));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  std::vector<std::string> words{"merge", "--json"};
  for (int number = 1; number <= 2; ++number) {
    words.push_back(folder.file(fmt::format("part-{}", number)));
    ASSERT_EQ(
        run_cli(long_study({"--shard", fmt::format("{}/2", number), "-o", words.back()})).exit_code,
        0);
  }
  EXPECT_EQ(run_cli(words).out, whole.out);
  for (const char* workers : {"1", "3"}) {
    std::vector<std::string> by = words;
    by.insert(by.end(), {"--workers", workers});
    EXPECT_EQ(run_cli(by).out, whole.out) << workers;
  }
  EXPECT_EQ(run_cli(long_study({"--json", "--csv", folder.file("all.csv")})).out, whole.out);
}

// Writes a part with two combinations and returns its path.
std::string part_of_two_in(const TemporaryFolder& folder) {
  std::string file = folder.file("part");
  const Outcome outcome =
      run_cli({"compare", "dear-64gpu-10gbe", "--fidelity", "analytic", "--nodes", "2,4",
               "--schedules", "ddp", "--shard", "1/1", "-o", file});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return file;
}

TEST(PartFile, AShardBeyondTheLastCombinationIsAnEmptyPart) {
  const Outcome outcome = run_cli({"compare", "dear-64gpu-10gbe", "--fidelity", "analytic",
                                   "--nodes", "2,4", "--schedules", "ddp", "--shard", "3/3"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines_of(outcome.out).size(), 2U) << outcome.out;  // its head and its end
}

TEST(PartFile, APartThatIsCutOffOrLacksALineIsRefused) {
  const TemporaryFolder folder;
  const std::string file = part_of_two_in(folder);
  std::ifstream stream(file);
  std::string head, first, second, end;
  for (std::string* line : {&head, &first, &second, &end})
    std::getline(stream, *line);
  const auto refusal = [&](const std::string& text) {
    std::ofstream(file) << text;
    return run_cli({"merge", file}).err;
  };
  EXPECT_NE(refusal(head + "\n" + first + "\n").find("the part is not whole"), std::string::npos);
  EXPECT_NE(
      refusal(head + "\n" + first + "\n" + end + "\n").find("ends before its last combination"),
      std::string::npos);
  EXPECT_NE(refusal(head + "\n" + second + "\n" + first + "\n" + end + "\n")
                .find("expected place 0 in shard 1 of 1"),
            std::string::npos);
  EXPECT_NE(refusal(head + "\n" + first + "\n" + second + "\n" + second + "\n" + end + "\n")
                .find("line 4: expected the end of the part"),
            std::string::npos);
}

// Its numbers were taken for those of other fields: "/forecast/56: expected a whole number".
TEST(PartFile, APartByAnotherBuildIsRefusedInWords) {
  const TemporaryFolder folder;
  const std::string file = part_of_two_in(folder);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::string part = text.str();
  const std::size_t layout = part.find(forecast_layout());
  ASSERT_NE(layout, std::string::npos);
  part.replace(layout, forecast_layout().size(), "0123456789abcdef");
  std::ofstream(file) << part;
  const Outcome outcome = run_cli({"merge", file});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("was written by another build of stepcast"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("run this shard again"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace stepcast
