// Traces of a job that are cut off, have values of other types or times that jump, or are of two
// jobs: whatever the format, they are read and what is odd in them is counted, or refused in one
// line that names the file.
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/support/made_profiles.hpp"
#include "tests/support/made_streams.hpp"
#include "tests/support/trace_folder.hpp"
#include "traces/job/read_job.hpp"

namespace stepcast {
namespace {

using Paths = std::vector<std::filesystem::path>;

/// What came of reading a job's files.
struct Taken {
  bool read = false;
  bool counted = false;  ///< Something was skipped or doubtful.
  std::string error;
};

Taken taken(const Paths& paths) {
  Taken taken;
  ImportReport report;
  try {
    const Job job = read_job(paths, "", report);
    taken.read = true;
    EXPECT_FALSE(job.steps.empty());
    for (const JobStep& step : job.steps)
      for (const JobOperation& done : step.operations)
        EXPECT_LE(done.begin, done.end) << paths.front();
  } catch (const InputError& error) {
    taken.error = error.what();
    EXPECT_EQ(taken.error.find('\n'), std::string::npos) << taken.error;
    EXPECT_TRUE(taken.error.starts_with(paths.front().parent_path().string())) << taken.error;
  }
  taken.counted = !report.skipped().empty() || !report.doubtful().empty();
  return taken;
}

/// BytePS: two tensors of which each is pushed and pulled a step.
std::string byteps(int rank, int steps, const std::string& tensor = "grad") {
  std::string text = R"({"traceEvents": [)";
  for (int step = 0; step < steps; ++step)
    for (int of = 0; of < 2; ++of)
      for (const auto& [stage, from, to] : {std::tuple("PUSH", 0, 900), {"PULL", 900, 2000}})
        text += fmt::format(
            R"({}{{"ph": "X", "name": "Comm.{}.{}.{}", "ts": {}, "dur": {}, "pid": "Comm.{}.{}", "tid": "0", "cat": "Comm"}})",
            text.ends_with('[') ? "" : ",\n", tensor, of, stage,
            10'000 * step + 3000 * of + from + 100 * rank, to - from, tensor, of);
  return text + R"(], "displayTimeUnit": "ms"})";
}

struct TextFormat {
  const char* name;
  std::function<std::string(const MadeStreams&, int rank)> text;
  bool has_times = true;
};

std::vector<TextFormat> text_formats() {
  return {{"tensorflow", [](const MadeStreams& made, int rank) { return made.tensorflow(rank); }},
          {"mxnet", [](const MadeStreams& made, int rank) { return made.mxnet(rank); }},
          {"chakra", [](const MadeStreams& made, int rank) { return made.chakra(rank); }, false},
          {"byteps", [](const MadeStreams& made, int rank) { return byteps(rank, made.steps); }}};
}

/// A folder for each format, as of ranks that BytePS numbers its folders by.
Paths write(const TraceFolder& folder, const TextFormat& format, const std::string& first,
            const std::string& second) {
  return {folder.text(fmt::format("{}.0.json", format.name), first),
          folder.text(fmt::format("{}.1.json", format.name), second)};
}

TEST(HostileJobsTest, WholeJobsAreRead) {
  const TraceFolder folder;
  const MadeStreams made{.ranks = 2, .steps = 4};
  for (const TextFormat& format : text_formats())
    EXPECT_EQ(taken(write(folder, format, format.text(made, 0), format.text(made, 1))).error, "")
        << format.name;
}

// A profile beside a table was called a second table, a timeline beside a profile neither.
TEST(HostileJobsTest, FilesOfTwoFormatsAreRefusedByTheirNames) {
  const TraceFolder folder;
  const std::filesystem::path profile = folder.text("b.json", MadeProfiles().texts().front());
  const std::filesystem::path table = folder.text(
      "a.csv", "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id\n0,0,0,0,forward,0,1,0\n");
  const std::filesystem::path words = folder.text("c.txt", "hello");
  const auto timeline = folder.text(
      "d.json", R"([{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "grad"}},)"
                R"({"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 1, "pid": 1}])");
  EXPECT_EQ(taken({table, profile}).error,
            profile.string() + ": expected nothing beside " + table.string() +
                ", a table of operations, which holds all ranks of a job; found another file");
  const std::string beside =
      ": expected a trace of PyTorch's profiler, as one beside it is, or files of one format "
      "alone, found ";
  EXPECT_EQ(taken({profile, table}).error, table.string() + beside + "a table of operations");
  EXPECT_EQ(taken({profile, words}).error, words.string() + beside + "another content");
  EXPECT_EQ(taken({profile, timeline}).error, timeline.string() + beside + "horovod-timeline");
  EXPECT_EQ(taken({timeline, profile}).error, timeline.string() + beside + "horovod-timeline");
}

TEST(HostileJobsTest, TracesThatEndEarlyAreRefused) {
  const TraceFolder folder;
  const MadeStreams made{.ranks = 2, .steps = 4};
  for (const TextFormat& format : text_formats()) {
    const std::string first = format.text(made, 0);
    const std::string second = format.text(made, 1);
    for (std::size_t cut = 0; cut < second.size(); cut += second.size() / 25)
      EXPECT_FALSE(taken(write(folder, format, first, second.substr(0, cut))).read)
          << format.name << " cut at " << cut;
  }
}

TEST(HostileJobsTest, ValuesOfOtherTypesAreCountedOrRefused) {
  const TraceFolder folder;
  const MadeStreams made{.ranks = 2, .steps = 3};
  for (const TextFormat& format : text_formats()) {
    const std::string first = format.text(made, 0);
    const std::string second = format.text(made, 1);
    for (std::size_t at = second.find("\": "), values = 0; at != std::string::npos && values < 14;
         at = second.find("\": ", at + 1), ++values) {
      const std::size_t begin = at + 3;
      const std::size_t end = second.find_first_of(",}]\n", begin);
      for (const char* const value :
           {"null", "true", "\"x\"", "[]", "{}", "[[[{\"a\": [1]}]]]", "-1", "1e300", "-1e18",
            "18446744073709551616", "0.5", "\"\\u0000\\ud83d\\ude00\""}) {
        std::string other = second;
        other.replace(begin, end - begin, value);
        taken(write(folder, format, first, other));
      }
    }
  }
}

TEST(HostileJobsTest, ClocksThatJumpAreNoCrash) {
  const TraceFolder folder;
  const MadeStreams made{.ranks = 2, .steps = 6};
  for (const TextFormat& format : text_formats()) {
    if (!format.has_times)
      continue;
    const std::string first = format.text(made, 0);
    const std::string second = format.text(made, 1);
    for (const double jump : {-1e12, -1e7, -20'000.0, 20'000.0, 1e7, 1e12}) {
      std::string jumped;
      std::size_t from = 0;
      const std::string key = "\"ts\": ";
      for (std::size_t at = second.find(key); at != std::string::npos;
           at = second.find(key, from)) {
        const std::size_t begin = at + key.size();
        const std::size_t end = second.find_first_of(",}", begin);
        const double time = std::stod(second.substr(begin, end - begin));
        jumped += second.substr(from, begin - from);
        jumped += fmt::format("{:.3f}", time + (at > second.size() / 2 ? jump : 0));
        from = end;
      }
      jumped += second.substr(from);
      taken(write(folder, format, first, jumped));
    }
  }
}

TEST(HostileJobsTest, RanksOfTwoJobsAreCountedOrRefused) {
  const TraceFolder folder;
  const MadeStreams made{.ranks = 2, .steps = 4};
  for (const TextFormat& format : text_formats()) {
    const std::string other = std::string(format.name) == "byteps"
                                  ? byteps(1, 4, "other")
                                  : format.text({.ranks = 2, .steps = 4, .layers = 5}, 1);
    const Taken of_two = taken(write(folder, format, format.text(made, 0), other));
    EXPECT_TRUE(!of_two.read || of_two.counted) << format.name;
  }
}

TEST(HostileJobsTest, OddValuesInExportsOfNsightSystemsAreCountedOrRefused) {
  const TraceFolder folder;
  const MadeStreams made{.ranks = 2, .steps = 3};
  const auto first = folder.database("0.sqlite", made.nsight(0));
  int number = 0;
  for (const auto& [table, columns] :
       {std::pair<std::string, std::vector<std::string>>{
            "CUPTI_ACTIVITY_KIND_KERNEL",
            {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "shortName"}},
        {"CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "globalTid", "correlationId"}},
        {"NVTX_EVENTS", {"start", "end", "eventType", "text", "textId", "globalTid"}},
        {"TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}}})
    for (const std::string& column : columns)
      for (const char* const value :
           {"NULL", "'x'", "x'00ff'", "-1", "9223372036854775807", "-9223372036854775808", "1e300"})
        for (const char* const rows : {"1", "rowid % 2"})
          taken({first,
                 folder.database(fmt::format("{}.sqlite", ++number),
                                 made.nsight(1) + fmt::format("UPDATE {} SET {} = {} WHERE {};",
                                                              table, column, value, rows))});
}

// They hold no times; there was no first trace to take ranks from, and a crash.
TEST(HostileJobsTest, ExecutionTracesAloneAreRefused) {
  const std::filesystem::path corpus =
      std::filesystem::path(STEPCAST_SOURCE_DIR) / "tests/fuzz/corpus/execution_trace";
  const Taken alone = taken({corpus / "valid.json", corpus / "invalid_nodes.json"});
  EXPECT_FALSE(alone.read);
  EXPECT_NE(alone.error.find("expected a trace with times"), std::string::npos) << alone.error;
}

TEST(HostileJobsTest, ExportsOfTwoJobsOrWithClocksThatJump) {
  const TraceFolder folder;
  const MadeStreams made{.ranks = 2, .steps = 4};
  const auto first = folder.database("0.sqlite", made.nsight(0));
  const Taken of_two =
      taken({first, folder.database("1.sqlite",
                                    MadeStreams{.ranks = 2, .steps = 4, .layers = 5}.nsight(1))});
  EXPECT_TRUE(!of_two.read || of_two.counted);
  int number = 1;
  for (const char* const jump : {"- 20000000", "+ 20000000", "+ 1000000000000"})
    taken({first,
           folder.database(fmt::format("{}.sqlite", ++number),
                           made.nsight(1) + fmt::format("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "
                                                        "start = start {0}, end = end {0} WHERE "
                                                        "rowid > 20;",
                                                        jump))});
}

}  // namespace
}  // namespace stepcast
