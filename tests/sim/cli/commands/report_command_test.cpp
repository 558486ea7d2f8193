#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;

TEST(ReportCommand, AsksForAResultAndAPage) {
  EXPECT_EQ(run_cli({"report"}).exit_code, 2);
  EXPECT_THAT(run_cli({"report", "x.json"}).err, HasSubstr("--page FILE.html"));
}

TEST(ReportCommand, PagesAreHtmlInAFolderThatIsThere) {
  const std::vector<std::string> run{"run",       "--workload", "resnet50-rtx2080ti-bs64",
                                     "--cluster", "ideal-2x2",  "--schedule",
                                     "ddp",       "--fidelity", "analytic"};
  for (const auto& [file, what] :
       {std::pair{"p.svg", "ends in .html"}, {"/no/f/p.html", "/no/f"}}) {
    std::vector<std::string> words = run;
    words.insert(words.end(), {"--page", file});
    const Outcome outcome = run_cli(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(what));
  }
}

// With or without the charts: an error leaves no page.
TEST(ReportCommand, RefusesWhatIsNoResult) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("r.json")) << "[1, 2]";
  const Outcome outcome =
      run_cli({"report", folder.file("r.json"), "--page", folder.file("p.html")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.file("p.html")));
  EXPECT_EQ(run_cli({"report", folder.file("no.json"), "--page", folder.file("p.html")}).exit_code,
            2);
}

TEST(ReportCommand, RefusesResultsWithNothingToShowBeforeItLooksForCharts) {
  const TemporaryFolder folder;
  for (const auto& [text, what] :
       {std::pair{"{}", "--json"},
        {R"({"results": []})", "/results: expected forecasts"},
        {R"({"results": [{"iteration_time_s": -1}]})", "/results/0/iteration_time_s"},
        {R"({"iteration_time_s": "1"})", "/iteration_time_s: expected a number above 0"}}) {
    const Outcome outcome =
        run_cli({"report", folder.file("r.json", text), "--page", folder.file("p.html")});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(what));
    EXPECT_FALSE(std::filesystem::exists(folder.file("p.html")));
  }
}

}  // namespace
}  // namespace stepcast
