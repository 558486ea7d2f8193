#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/png/png_module.hpp"
#include "tests/sim/cli/run_cli.hpp"
#include "traces/module_file.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string text_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What `--figure FILE` of these words wrote.
std::string figure_of(std::vector<std::string> words, const std::string& file) {
  words.insert(words.end(), {"--figure", file});
  const Outcome outcome = run_cli(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return text_of(file);
}

const std::vector<std::string> kRun{"run",       "--workload", "resnet50-rtx2080ti-bs64",
                                    "--cluster", "ideal-2x2",  "--schedule",
                                    "dear",      "--fidelity", "analytic"};

TEST(Figure, OfARunHoldsEveryPictureOfItsPage) {
  const TemporaryFolder folder;
  const std::string svg = figure_of(kRun, folder.file("a.svg"));
  for (const char* picture : {"Where the step goes", "What ran when", "How busy the links are",
                              "Memory of a GPU", ">reduce-scatter<"})
    EXPECT_THAT(svg, HasSubstr(picture));
}

TEST(Figure, OfAJobThatCutsTheModelIsItsPipeline) {
  const TemporaryFolder folder;
  const std::string svg = figure_of(
      {"run", "--workload", "transformer:model=gpt-1.7b,device=a100", "--cluster", "dgx-a100",
       "--nodes", "1", "--layout", "tp=2,pp=4", "--schedule", "1f1b", "--fidelity", "analytic"},
      folder.file("a.svg"));
  EXPECT_THAT(svg, HasSubstr(">3: "));
  EXPECT_THAT(svg, Not(HasSubstr(">4: ")));
  EXPECT_THAT(svg, HasSubstr(">backward<"));
}

TEST(Figure, OfAComparisonHasABarForEachSchedule) {
  const TemporaryFolder folder;
  const std::string svg =
      figure_of({"compare", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", "ideal-2x2",
                 "--schedules", "ddp,dear", "--nodes", "2,3", "--fidelity", "analytic"},
                folder.file("a.svg"));
  EXPECT_THAT(svg, HasSubstr(">dear nodes=3<"));
  EXPECT_THAT(svg, Not(HasSubstr("workload=")));
}

TEST(Figure, OfASearchMarksItsTrials) {
  const TemporaryFolder folder;
  std::vector<std::string> words = kRun;
  words.front() = "tune";
  words.insert(words.end(), {"--option", "fusion_buffer", "--trials", "3"});
  EXPECT_THAT(figure_of(words, folder.file("a.svg")), HasSubstr("<title>25MiB: "));
}

TEST(Figure, EndsInPngWhereThisBuildDrawsIt) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.png");
  std::error_code error;
  if (std::filesystem::exists(module_file(kPngModule), error)) {
    EXPECT_THAT(figure_of(kRun, file), StartsWith("\x89PNG"));
    return;
  }
  std::vector<std::string> words = kRun;
  words.insert(words.end(), {"--figure", file});
  const Outcome outcome = run_cli(words);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("a.png: this build draws no PNG"));
}

}  // namespace
}  // namespace stepcast
