// gTop-k's measured throughputs on 1 Gb/s Ethernet.
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "sim/study/validate/validate.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

using Case = std::pair<std::string, std::uint32_t>;  // workload, GPUs

std::vector<Validation> validations() {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  const auto file = data_root() / "traces/published/sparse/gtopk-p102-1gbe.json";
  return validate(read_measurements(file).cases, {}, Fidelity::Flow);
}

std::map<Case, std::map<std::string, Validation>> by_case() {
  std::map<Case, std::map<std::string, Validation>> cases;
  for (const Validation& each : validations())
    cases[{each.workload, each.gpus}][each.schedule] = each;
  return cases;
}

TEST(GTopkMeasurements, GTopkIsTheFastestInAllSixteenCasesAsMeasured) {
  const auto cases = by_case();
  EXPECT_EQ(cases.size(), 16U);
  for (const auto& [where, systems] : cases)
    for (const char* other : {"bsp", "topk-allgather"}) {
      EXPECT_LT(systems.at("gtopk").measured, systems.at(other).measured) << where.first;
      EXPECT_LT(systems.at("gtopk").predicted, systems.at(other).predicted) << where.first;
    }
}

TEST(GTopkMeasurements, DenseGradientsAreTheSlowestFromSixteenNodesOn) {
  for (const auto& [where, systems] : by_case())
    if (where.second >= 16) {
      EXPECT_GT(systems.at("bsp").measured, systems.at("topk-allgather").measured) << where.first;
      EXPECT_GT(systems.at("bsp").predicted, systems.at("topk-allgather").predicted) << where.first;
    }
}

// Six rows of VGG-16 are fitted: a bandwidth for each number of nodes, host work of two systems.
TEST(GTopkMeasurements, FittedRowsFitAndTheOthersStayWithinTheErrorsInTheReadme) {
  const auto all = validations();
  EXPECT_LT(summarise(all, MeasurementUse::Bandwidth).worst, 1e-3);
  EXPECT_LT(summarise(all, MeasurementUse::Software).worst, 1e-3);
  const ErrorSummary checks = summarise(all, MeasurementUse::Check);
  EXPECT_EQ(checks.cases, 42U);
  EXPECT_LT(checks.median, 0.045);
  EXPECT_LT(checks.worst, 0.265);
}

}  // namespace
}  // namespace stepcast
