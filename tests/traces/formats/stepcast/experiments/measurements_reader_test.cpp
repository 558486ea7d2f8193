#include "traces/formats/stepcast/experiments/measurements_reader.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

std::string file_with_case(const std::string& measured_case) {
  return R"({"format": "stepcast-measurements", "version": 1, "name": "m",
            "provenance": {"kind": "measured", "source": "us"}, "cases": [)" +
         measured_case + "]}";
}

std::string error_of_case(const std::string& measured_case) {
  return input_error_of([&] { parse_measurements(file_with_case(measured_case), "m.json"); });
}

TEST(MeasurementsReader, ReadsACase) {
  const Measurements read = parse_measurements(
      file_with_case(R"({"workload": "w", "cluster": "c", "schedule": "bsp", "nodes": 2,
                         "set": {"batch": "8"}, "use": "bandwidth", "measured_s": 0.5,
                         "spread": 0.01})"),
      "m.json");
  ASSERT_EQ(read.cases.size(), 1U);
  EXPECT_EQ(read.cases[0].experiment.schedules, std::vector<std::string>{"bsp"});
  EXPECT_EQ(read.cases[0].experiment.settings.batch, 8U);
  EXPECT_EQ(read.cases[0].use, MeasurementUse::Bandwidth);
  EXPECT_EQ(read.cases[0].measured, Seconds{0.5});
}

TEST(MeasurementsReader, ReadsACaseOfASystemsOwnSoftware) {
  const Measurements read = parse_measurements(
      file_with_case(R"({"workload": "w", "cluster": "c", "schedule": "ps", "label": "BSP-PS",
                         "set": {"placement": "remote", "start": "backward_end"},
                         "use": "software", "measured_s": 0.5, "spread": 0.01})"),
      "m.json");
  ASSERT_EQ(read.cases.size(), 1U);
  EXPECT_EQ(read.cases[0].use, MeasurementUse::Software);
  EXPECT_EQ(read.cases[0].label, "BSP-PS");
  EXPECT_EQ(read.cases[0].spread, 0.01);
  EXPECT_EQ(
      read.cases[0].experiment.settings.schedule,
      (std::map<std::string, std::string>{{"placement", "remote"}, {"start", "backward_end"}}));
}

TEST(MeasurementsReader, RefusesALabelThatIsNoText) {
  EXPECT_EQ(error_of_case(R"({"workload": "w", "cluster": "c", "schedule": "ps", "label": 1,
                              "use": "software", "measured_s": 0.5})"),
            "m.json: /cases/0/label: expected a string, found 1");
}

TEST(MeasurementsReader, RefusesAnUnknownUse) {
  EXPECT_EQ(
      error_of_case(R"({"workload": "w", "cluster": "c", "schedule": "bsp",
                              "use": "fun", "measured_s": 0.5})"),
      "m.json: /cases/0/use: expected \"bandwidth\", \"overlap\", \"start-up\", \"software\" or "
      "\"check\", found "
      "\"fun\"");
}

TEST(MeasurementsReader, RefusesATimeOfZero) {
  EXPECT_EQ(error_of_case(R"({"workload": "w", "cluster": "c", "schedule": "bsp",
                              "use": "check", "measured_s": 0})"),
            "m.json: /cases/0/measured_s: expected a time above 0, found 0");
}

TEST(MeasurementsReader, RefusesTwoSchedulesInOneCase) {
  EXPECT_EQ(error_of_case(R"({"workload": "w", "cluster": "c", "schedules": ["bsp", "ddp"],
                              "use": "check", "measured_s": 1})"),
            "m.json: /cases/0/schedules: expected one in a case, found 2");
}

TEST(MeasurementsReader, RefusesTwoWorkloadsOrClustersInOneCase) {
  EXPECT_EQ(error_of_case(R"({"workloads": ["v", "w"], "cluster": "c", "schedule": "bsp",
                              "use": "check", "measured_s": 1})"),
            "m.json: /cases/0/workloads: expected one in a case, found 2");
  EXPECT_EQ(error_of_case(R"({"workload": "w", "clusters": ["c", "d"], "schedule": "bsp",
                              "use": "check", "measured_s": 1})"),
            "m.json: /cases/0/clusters: expected one in a case, found 2");
}

TEST(MeasurementsReader, RefusesAFileWithoutCases) {
  EXPECT_EQ(input_error_of([] { parse_measurements(file_with_case(""), "m.json"); }),
            "m.json: /cases: expected at least one case");
}

}  // namespace
}  // namespace stepcast
