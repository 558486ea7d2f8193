// A file that cannot be written costs no result.

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/cli/output/study_output.hpp"
#include "sim/cli/output_file.hpp"
#include "tests/sim/cli/run_cli.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

/// A name that check_writable() cannot refuse and that no file can have, whoever runs the test.
std::string too_long(const TemporaryFolder& folder, const std::string& extension) {
  return folder.file(std::string(250, 'x') + extension);
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
  EXPECT_TRUE(std::filesystem::exists(figure));
}

TEST(Unwritable, StudiesPrintTheirTables) {
  const TemporaryFolder folder;
  const std::string figure = too_long(folder, ".svg");
  const std::vector<std::string> job{"--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                                     "rtx2080ti-16x4-10gbe"};
  for (std::vector<std::string> command :
       {std::vector<std::string>{"compare", "--schedules", "ddp,dear"},
        std::vector<std::string>{"compare", "--schedules", "ddp,dear", "--nodes", "1,2"},
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
  StudyOutput output;
  output.options({.figure = "a picture"});
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
