#include "traces/formats/stepcast/experiments/experiment_reader.hpp"

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

json small_experiment() {
  return json::parse(R"({
    "format": "stepcast-experiment", "version": 1, "workload": "w", "cluster": "c",
    "schedule": "dear", "nodes": 4, "fidelity": "step",
    "set": {"step_time": "252.9ms", "straggler.3": "1.5", "cluster.nic.bandwidth": "25Gbps",
            "fusion_buffer": "10MiB"}})");
}

std::string error_after(const char* change) {
  json file = small_experiment();
  file.merge_patch(json::parse(change));
  return input_error_of([&] { parse_experiment(file.dump(), "e.json"); });
}

TEST(ExperimentReader, ReadsNamesSizeAndSettings) {
  const Experiment experiment = parse_experiment(small_experiment().dump(), "e.json");
  EXPECT_EQ(experiment.workload, "w");
  EXPECT_EQ(experiment.cluster, "c");
  EXPECT_EQ(experiment.schedules, std::vector<std::string>{"dear"});
  EXPECT_EQ(experiment.fidelity, "step");
  EXPECT_EQ(experiment.settings.step_time, Seconds{0.2529});
  EXPECT_EQ(experiment.settings.stragglers.at(3), 1.5);
  EXPECT_EQ(experiment.settings.cluster.at("nic.bandwidth"), "25Gbps");
  EXPECT_EQ(experiment.settings.cluster.at("nodes"), "4");
  EXPECT_EQ(experiment.settings.schedule.at("fusion_buffer"), "10MiB");
}

TEST(ExperimentReader, KeepsSchedulesInTheirOrder) {
  json file = small_experiment();
  file.erase("schedule");
  file["schedules"] = {"wfbp", "bsp"};
  const Experiment experiment = parse_experiment(file.dump(), "e.json");
  EXPECT_EQ(experiment.schedules, (std::vector<std::string>{"wfbp", "bsp"}));
}

TEST(ExperimentReader, WantsOneOfScheduleAndSchedules) {
  EXPECT_EQ(error_after(R"({"schedules": ["bsp"]})"),
            "e.json: /schedule: give either \"schedule\" or \"schedules\", not both");
  EXPECT_EQ(error_after(R"({"schedule": null})"), "e.json: /schedule: missing");
  EXPECT_EQ(error_after(R"({"schedule": null, "schedules": []})"),
            "e.json: /schedules: expected at least one name and none empty");
}

TEST(ExperimentReader, NamesTheSettingThatIsWrong) {
  EXPECT_EQ(error_after(R"({"set": {"step_time": "-1ms"}})"),
            "e.json: /set/step_time: expected a time such as \"2us\", found \"-1ms\"");
  EXPECT_EQ(error_after(R"({"set": {"cluster.nic.bandwith": "1Gbps"}})"),
            "e.json: /set/cluster.nic.bandwith: unknown cluster field; did you mean "
            "\"nic.bandwidth\"?");
  EXPECT_EQ(error_after(R"({"set": {"batch": 8}})"),
            "e.json: /set/batch: expected a string such as \"25MiB\" or \"8\"");
}

TEST(ExperimentReader, KeepsErrorsOnOneLine) {
  for (const char* change : {R"({"set": {"batch\n": 8}})", R"({"fidelity": "a\nb"})",
                             R"({"format": "a\nb"})", R"({"set": {"batch": "a\nb"}})"}) {
    const std::string error = error_after(change);
    EXPECT_FALSE(error.empty()) << change;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(ExperimentReader, RefusesASizeGivenTwice) {
  EXPECT_EQ(error_after(R"({"set": {"cluster.nodes": "8"}})"), "e.json: /nodes: given twice");
}

TEST(ExperimentReader, RefusesWrongValuesAndUnknownKeys) {
  EXPECT_EQ(error_after(R"({"fidelity": "exact"})"),
            "e.json: /fidelity: expected \"analytic\", \"flow\" or \"step\", found \"exact\"");
  EXPECT_EQ(error_after(R"({"wrkload": "w"})"),
            "e.json: unknown key \"wrkload\"; did you mean \"workload\"?");
  EXPECT_NE(error_after(R"({"nodes": 0})"), "");
  EXPECT_NE(error_after(R"({"nodes": 4294967296})"), "");
  EXPECT_NE(error_after(R"({"workload": ""})"), "");
}

TEST(ExperimentReader, ReadsTheShippedExperiments) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(STEPCAST_SOURCE_DIR "/configs/experiments")) {
    EXPECT_FALSE(read_experiment(entry.path()).schedules.empty()) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace stepcast
