#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "sim/forecast/scenario.hpp"
#include "tests/support/recorded_data.hpp"

// BlueFog's charts: ResNet-50 on p3.16xlarge instances. Step times and bandwidth are fitted to the
// rows of Horovod and of one node; averaging between nodes tells how good protocols are.

namespace stepcast {
namespace {

struct Row {
  std::string batch;
  std::string system;
  std::uint32_t gpus = 0;
  Seconds step{};
  double error = 0;  // of reading it off the chart, as a share
};

std::vector<Row> rows_of(const std::filesystem::path& path) {
  std::vector<Row> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    Row row;
    std::string gpus, images, plus_minus, step;
    if (line.starts_with('#') || line.starts_with("batch") ||
        !std::getline(std::getline(cells, row.batch, ','), row.system, ',') ||
        !std::getline(std::getline(std::getline(cells, gpus, ','), images, ','), plus_minus, ','))
      continue;
    row.gpus = static_cast<std::uint32_t>(std::stoul(gpus));
    std::getline(cells, step, ',');
    row.step = Seconds{std::stod(step) * 1e-3};
    row.error = std::stod(plus_minus) / std::stod(images);
    rows.push_back(row);
  }
  return rows;
}

Seconds forecast(const Row& row, const std::string& schedule, const ScheduleOptions& options) {
  Experiment experiment{.workload = "resnet50-v100-bs" + row.batch, .cluster = "v100-16x8-25g"};
  experiment.settings.cluster = {{"nodes", std::to_string(std::max(1U, row.gpus / 8))},
                                 {"gpus_per_node", std::to_string(std::min(8U, row.gpus))}};
  experiment.settings.schedule = options;
  return simulated(scenario_of(std::move(experiment)), schedule).forecast.iteration_time;
}

const std::filesystem::path kFile = recorded_data("multirank/bluefog/resnet50_v100_25g.csv");

TEST(BlueFog, HorovodsRowsAreMetWithinFivePercentAndTheErrorOfReading) {
  STEPCAST_SKIP_WITHOUT(kFile);
  std::size_t checked = 0;
  for (const Row& row : rows_of(kFile))
    if (row.system == "horovod") {
      ++checked;
      const Seconds step = forecast(row, "horovod", {{"algorithm", "hierarchical-ring"}});
      EXPECT_LT(step / (row.step / (1 - row.error)), 1.05) << row.batch << " " << row.gpus;
      EXPECT_GT(step / (row.step / (1 + row.error)), 0.95) << row.batch << " " << row.gpus;
    }
  EXPECT_EQ(checked, 8U);
}

// Its hook is one of the whole model, called behind the forward pass: all models are sent then, and
// only the backward pass hides them.
TEST(BlueFog, OnePeerAveragingIsForecastWithinEightPercent) {
  STEPCAST_SKIP_WITHOUT(kFile);
  std::size_t checked = 0;
  for (const Row& row : rows_of(kFile)) {
    if (row.system != "neighbour_one_peer")
      continue;
    ++checked;
    EXPECT_NEAR(
        forecast(row, "d-psgd", {{"graph", "inner-outer"}, {"send", "after-forward"}}) / row.step,
        1, 0.08)
        << row.batch << " " << row.gpus;
  }
  EXPECT_EQ(checked, 8U);
}

// Local all-reduce, one rank of a machine exchanges, broadcast. On 32 GPUs at batch 32 it is 8.1 %
// off, of which the pixel of the chart is 1.2 %.
TEST(BlueFog, HierarchicalAveragingIsForecastWithinEightPercentAndAPixel) {
  STEPCAST_SKIP_WITHOUT(kFile);
  std::size_t checked = 0;
  for (const Row& row : rows_of(kFile)) {
    if (row.system != "hierarchical_neighbour" || row.gpus <= 8)
      continue;
    ++checked;
    const Seconds step = forecast(
        row, "d-psgd", {{"graph", "one-peer"}, {"hierarchical", "yes"}, {"send", "after-forward"}});
    EXPECT_GT(step / (row.step / (1 + row.error)), 0.92) << row.batch << " " << row.gpus;
    EXPECT_LT(step / (row.step / (1 - row.error)), 1.08) << row.batch << " " << row.gpus;
  }
  EXPECT_EQ(checked, 4U);
}

}  // namespace
}  // namespace stepcast
