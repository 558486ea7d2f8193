#include "sim/cli/output_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const std::vector<std::string> kJob{"--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                                    "ideal-2x2"};

std::vector<std::string> of_job(std::vector<std::string> words,
                                const std::vector<std::string>& more) {
  words.insert(words.end(), kJob.begin(), kJob.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Whatever the command, and before it reads: the text is of none of their formats.
TEST(OutputFile, NoCommandOverwritesWhatItReads) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.html", "as it was");
  const std::string same = folder.file("./a.html");
  fs::create_symlink(file, folder.file("link.html"));
  const std::string link = folder.file("link.html");
  const std::vector<std::vector<std::string>> commands{
      {"gate", file, "--baseline", "old.json", "--markdown", same},
      {"gate", "new.json", "--baseline", file, "--junit", link},
      of_job({"compare"}, {"--against", file, "--csv", same}),
      of_job({"compare"}, {"--resume", file, "--csv", link}),
      {"run", "--workload", file, "--cluster", "ideal-2x2", "--timeline", same},
      {"run", file, "--export-plan", file},
      {"import", file, "-o", same},
      {"import", folder.file(""), "-o", file},
      {"calibrate", file, "-o", link},
      {"diagnose", file, "--timeline", same},
      {"diagnose", "x.csv", "--job", file, "--figure", same},
      {"report", file, "--page", same},
      {"tune", file, "--csv", same},
      {"compare", file, "--csv", link},
      {"compare", "--workload", file, "--figure", same},
      {"derive", file, "-o", same},
      {"validate", file, "-o", same},
      of_job({"run"}, {"--set", "second_workload=" + file, "--timeline", same})};
  for (const std::vector<std::string>& command : commands) {
    const Outcome outcome = run_cli(command);
    EXPECT_EQ(outcome.exit_code, 2) << command.front();
    EXPECT_THAT(outcome.err, HasSubstr("is the file that is read")) << command.front();
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(text_of(file), "as it was") << command.front();
  }
}

TEST(OutputFile, TwoNewOutputsOfOneNameAreRefused) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.file(""));
  fs::create_symlink("target", "dangling");
  for (const auto& command :
       {of_job({"compare"}, {"--csv", "z", "--json-lines", "./z"}),
        of_job({"run"}, {"--timeline", "./q", "--export-plan", "q"}),
        of_job({"run"}, {"--timeline", "dangling", "--export-plan", "target"}),
        of_job({"run"}, {"--page", "a.html", "--timeline", "./a.html"})}) {
    const Outcome outcome = run_cli(command);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("too; one of the two would be lost"));
  }
  for (const char* name : {"z", "q", "target", "a.html"})
    EXPECT_FALSE(fs::exists(name)) << name;
  fs::current_path(before);
}

TEST(OutputFile, NamesOfTheCatalogAreNoFiles) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.file(""));
  std::ofstream("ddp") << "a file that happens to be called so";
  const Outcome outcome = run_cli(
      of_job({"run"}, {"--schedule", "ddp", "--fidelity", "analytic", "--timeline", "ddp"}));
  fs::current_path(before);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

// A schedule of that name there is not: were the output not refused before, nothing would be lost.
TEST(OutputFile, NoCommandOverwritesWhatItReadsByName) {
  const std::string data = STEPCAST_SOURCE_DIR;
  const std::string name = "resnet50-rtx2080ti-bs64";
  const std::string workload = data + "/traces/workloads/" + name + ".json";
  const std::string cluster = data + "/configs/clusters/rtx2080ti-16x4-10gbe.json";
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           of_job({"run"}, {"--schedule", "no-such", "--timeline", workload}),
           of_job({"compare"}, {"--schedules", "no-such", "--csv", workload}),
           of_job({"run"}, {"--schedule", "no-such", "--set", "second_workload=" + name,
                            "--export-plan", workload}),
           {"run", "dear-64gpu-10gbe", "--schedule", "no-such", "--timeline", cluster},
           {"compare", "--workload", name, "--cluster", "ideal-2x2,rtx2080ti-16x4-10gbe",
            "--schedules", "no-such", "--page", cluster}}) {
    const Outcome outcome = run_cli(command);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("is the file that is read")) << command.front();
  }
}

}  // namespace
}  // namespace stepcast
