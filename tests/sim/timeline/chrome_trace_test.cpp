#include "sim/timeline/chrome_trace.hpp"

#include <array>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "models/base/error.hpp"
#include "sim/timeline/gzip.hpp"
#include "tests/sim/timeline/hand_made.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

nlohmann::json events_of(const Plan& plan, const Timeline& timeline) {
  return nlohmann::json::parse(chrome_trace(small_workload(), plan, timeline))["traceEvents"];
}

/// Events of a phase ("X", "s", ...) of a process.
std::vector<nlohmann::json> events_of(const nlohmann::json& all, const std::string& phase,
                                      int pid) {
  std::vector<nlohmann::json> found;
  for (const auto& event : all)
    if (event["ph"] == phase && event["pid"] == pid)
      found.push_back(event);
  return found;
}

TEST(ChromeTraceTest, EveryTaskOfBothIterationsIsASliceAtItsTime) {
  const auto slices = events_of(events_of(serial_plan(), serial_timeline()), "X", 1);
  ASSERT_EQ(slices.size(), 10U);
  // Times count from the begin of the iteration before: the last all-reduce runs 16.5..20 ms.
  EXPECT_EQ(slices.back()["name"], "bucket 0");
  EXPECT_EQ(slices.back()["cat"], "all-reduce");
  EXPECT_NEAR(slices.back()["ts"].get<double>(), 16500, 1e-9);
  EXPECT_NEAR(slices.back()["dur"].get<double>(), 3500, 1e-9);
  EXPECT_EQ(slices.back()["args"]["bytes"], 1e6);
}

TEST(ChromeTraceTest, ProcessesAreClassesAndThreadsAreStreams) {
  std::map<std::string, int> names;
  for (const auto& event : events_of(events_of(serial_plan(), serial_timeline()), "M", 1))
    if (event["args"].contains("name"))
      ++names[event["args"]["name"].get<std::string>()];
  EXPECT_EQ(names, (std::map<std::string, int>{
                       {"ranks 0-3 (4 alike)", 1}, {"compute", 1}, {"comm", 1}, {"comm 2", 1}}));
}

TEST(ChromeTraceTest, DependenciesAcrossStreamsAreArrowsFromSliceToSlice) {
  const auto events = events_of(serial_plan(), serial_timeline());
  const auto starts = events_of(events, "s", 1);
  const auto ends = events_of(events, "f", 1);
  // B0 -> bucket 0 in both iterations, bucket 0 -> F0 of the next.
  ASSERT_EQ(starts.size(), 3U);
  ASSERT_EQ(ends.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(starts[i]["id"], ends[i]["id"]);
    EXPECT_LT(starts[i]["ts"].get<double>(), ends[i]["ts"].get<double>());
    EXPECT_NE(starts[i]["tid"], ends[i]["tid"]);
  }
}

TEST(ChromeTraceTest, TheReportedStepIsMarked) {
  const auto steps = events_of(events_of(serial_plan(), serial_timeline()), "X", 0);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1]["name"], "step");
  EXPECT_NEAR(steps[1]["ts"].get<double>(), 10000, 1e-9);
  EXPECT_NEAR(steps[1]["dur"].get<double>(), 10000, 1e-9);
}

TEST(ChromeTraceTest, FusedTensorsAreOneSliceAndOverlappingOnesGetAThreadOfTheirOwn) {
  const std::vector<HandTask> tasks = {{TaskKind::Backward, "fc", {{0, 1}}},
                                       {TaskKind::Communication, "a", {{1, 4}}, 1},
                                       {TaskKind::Communication, "b", {{1, 4}}, 1},
                                       {TaskKind::Communication, "c", {{2, 5}}, 1}};
  const auto events = events_of(plan_of(tasks, {}, {}), timeline_of(tasks, ms(6)));
  const auto slices = events_of(events, "X", 1);
  ASSERT_EQ(slices.size(), 6U);
  EXPECT_EQ(slices[2]["name"], "all-reduce of 2 tensors");
  EXPECT_EQ(slices[2]["args"]["bytes"], 2e6);
  EXPECT_EQ(slices[3]["name"], "c");
  EXPECT_NE(slices[2]["tid"], slices[3]["tid"]);
}

TEST(ChromeTraceTest, LabelsWithQuotesAndControlCharactersStayValidJson) {
  std::vector<HandTask> tasks = serial_tasks();
  tasks[4].label = "a \"quoted\\\" \n name";
  const auto slices =
      events_of(events_of(plan_of(tasks, {}, {}), timeline_of(tasks, ms(10))), "X", 1);
  EXPECT_EQ(slices.back()["name"], tasks[4].label);
}

std::string gunzip(const fs::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string text;
  std::array<char, 4096> buffer{};
  for (int got = 0; (got = gzread(file, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  gzclose(file);
  return text;
}

TEST(ChromeTraceTest, ANameInGzIsCompressedAndHoldsTheSameTrace) {
  const fs::path folder = fs::temp_directory_path();
  const fs::path packed = folder / "stepcast_trace_test.json.gz";
  const fs::path plain = folder / "stepcast_trace_test.json";
  write_chrome_trace(packed, small_workload(), serial_plan(), serial_timeline());
  write_chrome_trace(plain, small_workload(), serial_plan(), serial_timeline());
  const std::string text = read_text_file(plain);
  EXPECT_EQ(gunzip(packed), text);
  EXPECT_LT(fs::file_size(packed), text.size() / 2);
  fs::remove(packed);
  fs::remove(plain);
}

TEST(ChromeTraceTest, TextLongerThanTheBufferSurvivesCompression) {
  std::string text;
  for (int i = 0; i < 100'000; ++i)
    text += std::to_string(i * 7919);
  const fs::path path = fs::temp_directory_path() / "stepcast_gzip_test.gz";
  write_text_file(path, gzip(text));
  EXPECT_EQ(gunzip(path), text);
  fs::remove(path);
}

TEST(ChromeTraceTest, AnUnwritablePathIsRefused) {
  EXPECT_THROW(write_chrome_trace("/no/such/folder/trace.json", small_workload(), serial_plan(),
                                  serial_timeline()),
               InputError);
}

}  // namespace
}  // namespace stepcast
