// A file that cannot be written costs no result.

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/cli/output/study_output.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/study/study_log.hpp"
#include "tests/sim/cli/run_cli.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

/// A name that check_writable() cannot refuse and that no file can have, whoever runs the test.
std::string too_long(const TemporaryFolder& folder, const std::string& extension) {
  return folder.file(std::string(250, 'x') + extension);
}

/// Works in another folder for the length of a test.
class In {
 public:
  explicit In(const std::string& folder) : before_(fs::current_path()) { fs::current_path(folder); }
  ~In() { fs::current_path(before_); }
  In(const In&) = delete;
  In& operator=(const In&) = delete;

 private:
  fs::path before_;
};

TEST(Unwritable, DemoPrintsItsTableWithoutAPlaceForTheTimeline) {
  const TemporaryFolder folder;
  folder.file("out", "a file where the folder of the timeline would be");
  const In there(folder.file(""));
  const Outcome outcome = run_cli({"demo"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("dear/best"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\nNext\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("Timeline of"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("the timeline was not written: out/demo-timeline.json.gz"),
            std::string::npos)
      << outcome.err;
}

TEST(Unwritable, RunPrintsItsForecastAndWritesTheOtherFiles) {
  const TemporaryFolder folder;
  const std::string figure = folder.file("figure.svg");
  const Outcome outcome =
      run_cli({"run", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", "rtx2080ti-16x4-10gbe",
               "--schedule", "dear", "--timeline", too_long(folder, ".json"), "--figure", figure});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.out.find("throughput"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("cannot be written: File name too long"), std::string::npos)
      << outcome.err;
  EXPECT_TRUE(fs::exists(figure));
}

TEST(Unwritable, StudiesPrintTheirTables) {
  const TemporaryFolder folder;
  const std::string figure = too_long(folder, ".svg");
  const std::vector<std::string> job{"--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                                     "rtx2080ti-16x4-10gbe"};
  for (std::vector<std::string> command :
       {std::vector<std::string>{"compare", "--schedules", "ddp,dear"},
        std::vector<std::string>{"scaling", "--schedules", "ddp,dear", "--nodes", "1,2"},
        std::vector<std::string>{"run", "--schedule", "hop"}}) {
    command.insert(command.end(), job.begin(), job.end());
    command.insert(command.end(), {"--figure", figure});
    const Outcome outcome = run_cli(command);
    EXPECT_EQ(outcome.exit_code, 2) << command.front();
    EXPECT_GT(outcome.out.size(), 200U) << command.front();
    EXPECT_NE(outcome.err.find("cannot be written"), std::string::npos) << outcome.err;
  }
}

// The table's head goes where it must, its rows do not: a disk that is full by then.
TEST(Unwritable, ATableThatStopsGrowingCostsNoResult) {
  const TemporaryFolder folder;
  const std::string file = folder.file("table.csv");
  GrowingTable table(file, "head\n");
  table.add(0, std::string(1 << 20, 'x'));
  EXPECT_EQ(fs::file_size(file), 5U + (1U << 20U));
  table.finish();
  StudyOutput output;
  output.options({.csv = "a table"});
  testing::internal::CaptureStdout();
  const std::string error = input_error_of([&] {
    output.write({.text = [] { return "result\n"; },
                  .json = [] { return "{}"; },
                  .finish = [] { throw InputError("table.csv: cannot be written"); }});
  });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "result\n");
  EXPECT_EQ(error, "table.csv: cannot be written");
}

TEST(PrintThenWrite, GoesOnAfterAFileThatFails) {
  bool is_second_written = false;
  testing::internal::CaptureStdout();
  const std::string error = input_error_of([&] {
    print_then_write("result\n", {[] { throw InputError("a: cannot be written"); },
                                  [&] { is_second_written = true; }});
  });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "result\n");
  EXPECT_EQ(error, "a: cannot be written");
  EXPECT_TRUE(is_second_written);
}

}  // namespace
}  // namespace stepcast
