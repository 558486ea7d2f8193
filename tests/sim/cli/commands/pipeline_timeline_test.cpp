#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

// Tasks of a cut model are of its parts, not of its layers: what a timeline says of them.

namespace stepcast {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Parts = std::map<std::string, std::set<std::string>>;  // by name of the task

Parts parts_of(const std::string& timeline) {
  Parts parts;
  const nlohmann::json trace = nlohmann::json::parse(text_of(timeline));
  for (const nlohmann::json& event : trace.at("traceEvents"))
    if (event.contains("args") && event["args"].contains("layer"))
      parts[event.at("cat")].insert(event["args"]["layer"]);
  return parts;
}

Outcome run_of(const std::string& workload, const std::string& cluster, const std::string& schedule,
               const std::vector<std::string>& more,
               const std::string& data = STEPCAST_SOURCE_DIR) {
  std::vector<std::string> arguments{"run",     "--workload", workload,     "--cluster", cluster,
                                     "--nodes", "2",          "--schedule", schedule,    "--layout",
                                     "pp=4",    "--fidelity", "analytic"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_cli(arguments, data);
}

TEST(PipelineTimeline, NamesThePartsOfWhichPassesAre) {
  const TemporaryFolder folder;
  const std::string file = folder.file("timeline.json");
  const std::set<std::string> stages{"stage 0", "stage 1", "stage 2", "stage 3"};
  for (const std::string schedule : {"gpipe", "1f1b"}) {
    const Outcome outcome = run_of("transformer:model=bert-large,device=a100", "dgx-a100", schedule,
                                   {"--timeline", file});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(parts_of(file)["forward"], stages) << schedule;
    const std::set<std::string> backward = parts_of(file)["backward"];
    EXPECT_TRUE(std::ranges::includes(backward, stages)) << schedule;
    EXPECT_TRUE(backward.contains("block 23"));  // the last ones hand over gradients of each block
    EXPECT_FALSE(backward.contains("block 24"));
  }
}

/// The shipped data beside charts that are a comment: those of npm are not always there.
void link_data(const std::string& root) {
  namespace fs = std::filesystem;
  const fs::path shipped(STEPCAST_SOURCE_DIR);
  fs::create_directories(root + "/configs");
  fs::create_directory_symlink(shipped / "traces", root + "/traces");
  for (const auto& entry : fs::directory_iterator(shipped / "configs"))
    if (entry.path().filename() != "page")
      fs::create_symlink(entry.path(), root + "/configs/" + entry.path().filename().string());
  fs::copy(shipped / "configs/page", root + "/configs/page");
  std::ofstream(root + "/configs/page/echarts.min.js") << "/* charts */";
}

TEST(PipelineTimeline, OfEveryOrderIsWritten) {
  const TemporaryFolder folder;
  link_data(folder.file("data"));
  const std::string file = folder.file("timeline.json");
  for (const std::string schedule : {"interleaved", "zb-h1", "zb-h2", "zb-v", "dualpipe"}) {
    const Outcome outcome = run_of("transformer:model=bert-large,device=a100", "dgx-a100", schedule,
                                   {"--timeline", file, "--page", folder.file(schedule + ".html")},
                                   folder.file("data"));
    ASSERT_EQ(outcome.exit_code, 0) << schedule << ": " << outcome.err;
    EXPECT_GE(parts_of(file)["forward"].size(), 4U) << schedule;
    EXPECT_NE(text_of(folder.file(schedule + ".html")).find(">3: "), std::string::npos)
        << "the page names every stage";
  }
}

TEST(PipelineTimeline, NamesPartsOfProfiledModels) {
  const TemporaryFolder folder;
  const std::string file = folder.file("timeline.json");
  const Outcome outcome = run_of("resnet50-rtx2080ti-bs64", "rtx2080ti-16x4-10gbe", "1f1b",
                                 {"--timeline", file, "--set", "zero=3"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(parts_of(file)["forward"].contains("conv1"));
}

}  // namespace
}  // namespace stepcast
