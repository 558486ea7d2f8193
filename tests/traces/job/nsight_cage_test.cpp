// Exports of Nsight Systems that somebody made to cost more than they hold: each ends in one line,
// soon and within little memory.
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "models/base/error.hpp"
#include "tests/support/made_streams.hpp"
#include "tests/support/time_limit.hpp"
#include "tests/support/trace_folder.hpp"
#include "traces/job/read_job.hpp"

namespace stepcast {
namespace {

/// Returns what is said of a file; empty if it is read. The test fails if that takes more than two
/// seconds of processor time.
std::string refusal_of(const std::filesystem::path& path) {
  SCOPED_TRACE(path.string());
  const TimeLimit limit(Seconds{2});
  std::string text;
  try {
    ImportReport report;
    EXPECT_FALSE(read_job(std::span(&path, 1), "", report).steps.empty());
  } catch (const InputError& error) {
    text = error.what();
    EXPECT_TRUE(text.starts_with(path.string() + ": ")) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_LT(text.size(), 600U);
    text = text.substr(std::min(text.size(), path.string().size() + 2));
  }
  return text;
}

constexpr const char* kKernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, streamId INT, "
    "correlationId INT, globalPid INT, shortName INT);";
constexpr const char* kNames = "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);";
constexpr const char* kKernel =
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 5000, 0, 7, 1, 0, 1);";
constexpr const char* kName = "INSERT INTO StringIds VALUES (1, 'gemm');";

/// SQL that computes without end.
constexpr const char* kEndless =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";

TEST(NsightCage, APlainExportIsRead) {
  const TraceFolder folder;
  EXPECT_EQ(
      refusal_of(folder.database("plain.sqlite", std::string(kKernels) + kNames + kKernel + kName)),
      "");
}

// A join with 3,000 equal ids took 1.9 GB: 3,000 x 3,000 rows.
TEST(NsightCage, AnIdThatIsThereTwiceIsRefused) {
  const TraceFolder folder;
  std::string sql = std::string(kKernels) + "CREATE TABLE StringIds(id, value TEXT);";
  for (int i = 0; i < 3000; ++i)
    sql += std::string(kKernel) + "INSERT INTO StringIds VALUES (1, 'a');";
  EXPECT_EQ(refusal_of(folder.database("equal.sqlite", sql)),
            "StringIds: expected each id once, found 1 twice");
}

// A column of a file of 25 kB was 800 MB of text in each row, and did not end in a minute. Here it
// is short, as SQLite computes it when a row is written, too.
TEST(NsightCage, ColumnsThatAreComputedAreRefused) {
  const TraceFolder folder;
  const std::string plain = std::string(kKernels) + kNames + kKernel + kName;
  for (const char* how : {"VIRTUAL", "STORED"}) {
    std::string sql =
        plain + fmt::format(
                    "CREATE TABLE NVTX_EVENTS(start INT, end INT, globalTid INT, textId INT, "
                    "n INT, text AS (hex(zeroblob(n))) {});",
                    how);
    sql += "INSERT INTO NVTX_EVENTS(start, end, globalTid, textId, n) VALUES (0, 9, 0, NULL, 4);";
    EXPECT_EQ(refusal_of(folder.database(fmt::format("generated{}.sqlite", how), sql)),
              "NVTX_EVENTS: expected a column text that is stored, found one that the database "
              "computes");
  }
}

TEST(NsightCage, ViewsAndVirtualTablesAreNoTables) {
  const TraceFolder folder;
  const std::string missing = "expected an export of Nsight Systems with the table ";
  const std::string view =
      std::string(kNames) + kName +
      fmt::format(
          "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT x AS start, x AS end, 0 AS "
          "deviceId, 0 AS streamId, 0 AS correlationId, 0 AS globalPid, 1 AS shortName "
          "FROM ({});",
          kEndless);
  EXPECT_TRUE(refusal_of(folder.database("view.sqlite", view))
                  .starts_with(missing + "CUPTI_ACTIVITY_KIND_KERNEL"));
  const std::string names = std::string(kKernels) + kKernel;
  EXPECT_TRUE(refusal_of(folder.database(
                             "names.sqlite",
                             names + fmt::format("CREATE VIEW StringIds AS SELECT x AS id, x AS "
                                                 "value FROM ({});",
                                                 kEndless)))
                  .starts_with(missing + "StringIds"));
  // A schema may be written by hand, too: a view that calls itself a table is damaged.
  const std::string forged =
      view +
      "PRAGMA writable_schema=1; UPDATE sqlite_master SET type = 'table', rootpage = 2 WHERE "
      "type = 'view';";
  EXPECT_NE(refusal_of(folder.database("forged.sqlite", forged)), "");
  const std::string fts = names + "CREATE VIRTUAL TABLE StringIds USING fts5(id, value);";
  sqlite3* probe = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &probe), SQLITE_OK);
  const bool has_fts = sqlite3_exec(probe, "CREATE VIRTUAL TABLE x USING fts5(y)", nullptr, nullptr,
                                    nullptr) == SQLITE_OK;
  sqlite3_close(probe);
  if (has_fts) {
    EXPECT_TRUE(
        refusal_of(folder.database("virtual.sqlite", fts)).starts_with(missing + "StringIds"));
  }
}

/// Every pointer of the interior page `page` (from 1 on; 4,096 bytes each) leads to `child`.
void point_all_to(std::string& bytes, std::size_t page, std::uint32_t child) {
  const std::size_t begin = (page - 1) * 4096;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[begin + at]); };
  ASSERT_EQ(byte(0), 5U);  // An interior page of a table.
  const std::size_t cells = byte(3) * 256U + byte(4);
  for (std::size_t cell = 0; cell <= cells; ++cell) {
    const std::size_t at = cell == cells ? 8 : byte(12 + 2 * cell) * 256U + byte(13 + 2 * cell);
    for (std::size_t i = 0; i < 4; ++i)
      bytes[begin + at + i] = static_cast<char>(child >> (24 - 8 * i) & 0xFFU);
  }
}

// Pages that lead to one page again and again hold rows without end: with ids in no order they are
// told by SQLite only where it looks for it.
TEST(NsightCage, PagesThatAreReadManyTimesAreRefused) {
  const TraceFolder folder;
  std::string sql = std::string(kKernels) + kNames + kName;
  for (int i = 0; i < 20'000; ++i)
    sql += kKernel;
  const auto whole = folder.database("whole.sqlite", sql);
  std::ifstream file(whole, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  ASSERT_EQ(bytes.substr(16, 2), std::string("\x10\x00", 2));  // Pages of 4,096 bytes.
  const std::size_t root = 2;
  ASSERT_EQ(bytes[(root - 1) * 4096], 5);
  // The root leads to itself: SQLite ends at a depth of 20, of which each level has 100 children.
  std::string looped = bytes;
  point_all_to(looped, root, 2);
  EXPECT_NE(refusal_of(folder.text("looped.sqlite", looped)), "");
  // Each child is the first leaf: a hundred times its rows, still few.
  std::string repeated = bytes;
  point_all_to(repeated, root, 3);
  refusal_of(folder.text("repeated.sqlite", repeated));
}

TEST(NsightCage, ValuesThatTakeMoreThanTheFileAreRefused) {
  const TraceFolder folder;
  // 2 MiB of text whose pages each of 2,000 rows leads to, as its own: 4 GB to read.
  const std::string sql = std::string(kKernels) + kNames + kKernel +
                          "INSERT INTO StringIds VALUES (1, hex(zeroblob(9000000)));";
  EXPECT_EQ(refusal_of(folder.database("long.sqlite", sql)),
            "damaged SQLite database: a row or a statement is longer than any of Nsight Systems");
  std::string column = "CREATE TABLE NVTX_EVENTS(start INT, end INT, globalTid INT, text TEXT";
  for (int i = 0; i < 600; ++i)
    column += fmt::format(", c{} INT", i);
  EXPECT_NE(refusal_of(folder.database(
                "wide.sqlite", std::string(kKernels) + kNames + kKernel + kName + column + ");")),
            "");
}

/// Bytes that this process has held at most.
std::int64_t most_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} << 10;
}

// One name of 10 MB that 200 kernels use took 2 GB: each kernel kept a copy of it.
TEST(NsightCage, NamesOfAnyLengthAreShortenedAndTold) {
  const TraceFolder folder;
  std::string sql = std::string("PRAGMA encoding='UTF-8';") + kKernels + kNames +
                    "INSERT INTO StringIds VALUES (1, 'gemm' || hex(zeroblob(5000000)));"
                    "INSERT INTO StringIds VALUES (2, hex(zeroblob(5000000)));"  // Of no kernel.
                    "CREATE TABLE NVTX_EVENTS(start INT, end INT, globalTid INT, text TEXT);"
                    "INSERT INTO NVTX_EVENTS VALUES (0, 1, 0, hex(zeroblob(5000000)));";
  for (int i = 0; i < 200; ++i)
    sql += kKernel;
  const auto path = folder.database("name.sqlite", sql);
  const std::int64_t before = most_memory();
  ImportReport report;
  const TimeLimit limit(Seconds{2});
  const Job job = read_job(std::span(&path, 1), "", report);
  EXPECT_LT(most_memory() - before, 128 << 20);
  EXPECT_FALSE(job.steps.empty());
  const auto told = report.doubtful().find("name of more than 1024 bytes, shortened");
  ASSERT_NE(told, report.doubtful().end());
  EXPECT_EQ(told->second.count, 2U);  // The name of the kernels, once, and the range.
}

// Each of 300,000 kernels kept its copy of a name of 1,000 bytes and was searched for words: 7.3 s
// and 524 MB for a file of 7.6 MB.
TEST(NsightCage, KernelsOfOneNameHoldItOnce) {
  const TraceFolder folder;
  const std::string sql =
      std::string(kKernels) + kNames +
      fmt::format("INSERT INTO StringIds VALUES (1, '{}');", std::string(1000, 'k')) +
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 100 * x, 100 * x + 90, 0, 7, x, 0, 1 FROM "
      "(WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n WHERE x < 99999) SELECT x "
      "FROM n);";
  const auto path = folder.database("one.sqlite", sql);
  const std::int64_t before = most_memory();
  const TimeLimit limit(Seconds{2});
  ImportReport report;
  const Job job = read_job(std::span(&path, 1), "", report);
  EXPECT_LT(most_memory() - before, 80 << 20);  // 100 MB are the names alone
  ASSERT_FALSE(job.steps.empty());
  EXPECT_EQ(job.kinds.back().name, "forward: " + std::string(1000, 'k'));
}

TEST(NsightCage, ANameOf1024BytesIsWhole) {
  const TraceFolder folder;
  const std::string sql = std::string(kKernels) + kNames + kKernel;
  for (const auto& [length, told] : {std::pair{1024U, 0U}, {1025U, 1U}}) {
    const auto path = folder.database(
        fmt::format("{}.sqlite", length),
        sql + fmt::format("INSERT INTO StringIds VALUES (1, '{}');", std::string(length, 'k')));
    ImportReport report;
    read_job(std::span(&path, 1), "", report);
    EXPECT_EQ(report.doubtful().size(), told) << length;
  }
}

// What another user of SQLite in this process may take is as before.
TEST(NsightCage, LimitsOfMemoryEndWithTheFile) {
  const TraceFolder folder;
  sqlite3_hard_heap_limit64(0);
  refusal_of(folder.database("plain.sqlite", std::string(kKernels) + kNames + kKernel + kName));
  EXPECT_EQ(sqlite3_hard_heap_limit64(-1), 0);
  EXPECT_EQ(sqlite3_soft_heap_limit64(-1), 0);
}

}  // namespace
}  // namespace stepcast
