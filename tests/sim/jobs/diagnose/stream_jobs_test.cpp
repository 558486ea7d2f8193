// The same job as four profilers write it that note neither launches nor dependencies.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/jobs/diagnose/diagnosis.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_streams.hpp"
#include "tests/support/trace_folder.hpp"
#include "traces/job/read_job.hpp"

namespace stepcast {
namespace {

using Paths = std::vector<std::filesystem::path>;

template <typename Write>
Paths of_all_ranks(const MadeStreams& made, Write write) {
  Paths paths;
  for (int rank = 0; rank < made.ranks; ++rank)
    paths.push_back(write(rank));
  return paths;
}

Diagnosis diagnosis_of(const Paths& paths, std::size_t steps) {
  ImportReport report;
  const Job job = read_job(paths, "", report);
  EXPECT_EQ(job.steps.size(), steps);
  return diagnose(job);
}

// The slow rank computes 13.5 ms instead of 9, the mean is 10.125; 1 ms of all-reduce and .5 ms of
// update follow.
void expect_the_slow_rank(const Diagnosis& diagnosis, const char* format) {
  EXPECT_NEAR(diagnosis.recorded_step.value, 0.015, 1e-5) << format;
  EXPECT_LT(diagnosis.step_error, 0.001) << format;
  EXPECT_NEAR(diagnosis.slowdown, 15 / 11.625, 0.002) << format;
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Worker) << format << diagnosis.verdict.text;
  EXPECT_EQ(diagnosis.verdict.subject, "rank 2") << format;
}

// Clocks are a quarter of a second apart; the first step, before which nothing is known, is left
// out.
TEST(StreamJobsTest, TensorFlowsProfiles) {
  const TraceFolder folder;
  const MadeStreams made;
  const Diagnosis diagnosis = diagnosis_of(
      of_all_ranks(made,
                   [&](int rank) {
                     return folder.text(fmt::format("{}.json", rank), made.tensorflow(rank));
                   }),
      4);
  expect_the_slow_rank(diagnosis, "TensorFlow");
  EXPECT_NEAR(diagnosis.clocks.hosts[3].offset.value, 0.75, 1e-5);
}

TEST(StreamJobsTest, MxnetsProfiles) {
  const TraceFolder folder;
  const MadeStreams made;
  expect_the_slow_rank(diagnosis_of(of_all_ranks(made,
                                                 [&](int rank) {
                                                   return folder.text(fmt::format("{}.json", rank),
                                                                      made.mxnet(rank));
                                                 }),
                                    4),
                       "MXNet");
}

TEST(StreamJobsTest, NsightSystemsExports) {
  const TraceFolder folder;
  const MadeStreams made;
  const Diagnosis diagnosis = diagnosis_of(
      of_all_ranks(made,
                   [&](int rank) {
                     return folder.database(fmt::format("{}.sqlite", rank), made.nsight(rank));
                   }),
      4);
  expect_the_slow_rank(diagnosis, "Nsight Systems");
  std::vector<std::string> kinds;
  for (const PartSlowdown& kind : diagnosis.by_kind)
    kinds.push_back(kind.name);
  std::ranges::sort(kinds);
  EXPECT_EQ(kinds,
            (std::vector<std::string>{"all-reduce", "backward", "forward", "host", "optimizer"}));
}

TEST(StreamJobsTest, ChakraGraphs) {
  const TraceFolder folder;
  const MadeStreams made;
  expect_the_slow_rank(diagnosis_of(of_all_ranks(made,
                                                 [&](int rank) {
                                                   return folder.text(
                                                       fmt::format("chakra.{}.json", rank),
                                                       made.chakra(rank));
                                                 }),
                                    1),
                       "Chakra");
}

TEST(StreamJobsTest, AnEvenJobHasNobodyToBlame) {
  const TraceFolder folder;
  const MadeStreams made{.slower = 1};
  const Diagnosis diagnosis = diagnosis_of(
      of_all_ranks(made,
                   [&](int rank) {
                     return folder.text(fmt::format("{}.json", rank), made.tensorflow(rank));
                   }),
      4);
  EXPECT_NEAR(diagnosis.slowdown, 1, 1e-3);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::None) << diagnosis.verdict.text;
}

TEST(StreamJobsTest, BadExportsAreRefusedInOneLine) {
  const TraceFolder folder;
  const auto error = [](const std::filesystem::path& path) {
    return input_error_of([&] { diagnosis_of({path}, 0); });
  };
  const auto ends = [&](const std::filesystem::path& path) {
    const std::string text = error(path);
    return text.starts_with(path.string()) ? text.substr(path.string().size()) : text;
  };
  EXPECT_EQ(ends(folder.database("other.sqlite", "CREATE TABLE t(a);")),
            ": expected an export of Nsight Systems with the table CUPTI_ACTIVITY_KIND_KERNEL and "
            "its column start, found none; record with \"nsys profile --trace=cuda,nvtx\" and "
            "export with \"nsys export --type=sqlite\"");
  // A view is no table, whatever it would compute.
  EXPECT_NE(ends(folder.database("view.sqlite",
                                 "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1 AS start;"))
                .find("found none"),
            std::string::npos);
  std::string bytes;
  {
    const auto whole = folder.database("whole.sqlite", MadeStreams().nsight(0));
    std::ifstream file(whole, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  EXPECT_EQ(ends(folder.text("cut.sqlite", bytes.substr(0, bytes.size() / 2))),
            ": damaged SQLite database: database disk image is malformed");
  EXPECT_NE(ends(folder.text("head.sqlite", bytes.substr(0, 60))).find("SQLite database"),
            std::string::npos);
  const std::string kernels = MadeStreams().nsight(0);
  EXPECT_EQ(
      ends(folder.database("empty.sqlite", kernels + "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL;")),
      ": expected kernels, found none");
  EXPECT_EQ(ends(folder.text("empty.json",
                             R"({"traceEvents": [{"ph": "M", "pid": 1, "name": "process_name", )"
                             R"("args": {"name": "/device:GPU:0"}}]})")),
            ": expected work on a device in a step, found none");
}

// Times that are texts, far off or backwards, and ends without begins are counted.
TEST(StreamJobsTest, OddEventsAreCounted) {
  const TraceFolder folder;
  ImportReport report;
  const std::filesystem::path database = folder.database(
      "odd.sqlite", MadeStreams().nsight(0) +
                        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('x', 5, 0, 1, 1, 1, 1), "
                        "(9, 5, 0, 1, 1, 1, 1), (1, 9223372036854775807, 0, 1, 1, 1, 1);");
  read_job(std::span(&database, 1), "", report);
  EXPECT_EQ(report.skipped().at("device work without a start or end").count, 3U);
  ImportReport other;
  std::string text = MadeStreams().mxnet(0);
  text.insert(text.find("\n") + 1,
              R"({"ph": "E", "pid": 2, "tid": 1, "ts": 5, "name": "never begun"},)");
  const std::filesystem::path profile = folder.text("odd.json", text);
  read_job(std::span(&profile, 1), "", other);
  EXPECT_EQ(other.skipped().at("end that fits no begin").count, 1U);
}

// One byte after the other is another one: the database is read, or refused in one line.
TEST(StreamJobsTest, DamagedExportsAreReadOrRefused) {
  const TraceFolder folder;
  const auto whole = folder.database("whole.sqlite", MadeStreams{.steps = 2}.nsight(0));
  std::ifstream file(whole, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  std::size_t refused = 0;
  for (std::size_t at = 16; at < bytes.size(); at += bytes.size() / 400) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const auto path = folder.text("damaged.sqlite", damaged);
    try {
      ImportReport report;
      EXPECT_FALSE(read_job(std::span(&path, 1), "", report).steps.empty());
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(path.string())) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0U);
}

TEST(StreamJobsTest, FilesOfTwoFormatsAreRefused) {
  const TraceFolder folder;
  const MadeStreams made;
  const Paths paths = {folder.text("0.json", made.tensorflow(0)),
                       folder.database("1.sqlite", made.nsight(1))};
  EXPECT_EQ(input_error_of([&] { diagnosis_of(paths, 0); }),
            paths[1].string() + ": expected tensorflow-or-mxnet, as the first file is");
}

// Of 15 ms a step each of eight pieces waits 3 us from the end of its launch until it begins.
TEST(StreamJobsTest, NsightSystemsLaunchesTellTheQueue) {
  const TraceFolder folder;
  const MadeStreams made{.slower = 1};
  const auto use_of = [&](const std::string& more) {
    const std::filesystem::path path = folder.database("0.sqlite", made.nsight(0) + more);
    std::filesystem::path paths[] = {path};
    ImportReport report;
    const DeviceUse use = read_job(paths, "", report).ranks.front().device;
    std::filesystem::remove(path);
    return use;
  };
  const double share = 8 * 3e-6 / 0.0105;
  const DeviceUse use = use_of("");
  ASSERT_TRUE(use.queued);
  EXPECT_NEAR(*use.queued, share, 0.1 * share);
  EXPECT_NEAR(use.queue_empty, 1 - share, 0.1 * share);
  // Of other correlations no launch is known.
  EXPECT_FALSE(
      use_of("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = -correlationId;").queued);
}

}  // namespace
}  // namespace stepcast
