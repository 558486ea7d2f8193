#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/benchmark_formats.hpp"
#include "traces/formats/benchmark_log.hpp"
#include "traces/formats/log_text.hpp"

namespace stepcast {
namespace {

/// Size and the first value of a row.
struct Row {
  Bytes size{};
  double value = 0;
  std::string where;
};

bool is_title(std::string_view line) {
  return line.starts_with("# OSU ");
}

/// The title of the test; all titles of a file are the same.
std::string title_of(std::string_view text, const std::string& origin) {
  std::string title;
  for (const LogLine& line : lines_of(text)) {
    if (!is_title(line.text))
      continue;
    if (!title.empty() && title != line.text)
      throw InputError(fmt::format("{}: {}: expected one test, found a second, {}; split the file",
                                   origin, line.where(), in_quotes(line.text)));
    title = line.text;
  }
  if (title.empty())
    throw InputError(fmt::format("{}: expected a line \"# OSU ...\", found none", origin));
  return title;
}

/// Units stand in the heading: "# Size  Avg Latency(us)", "# Size  MB/s".
void check_units(std::string_view text, const std::string& origin) {
  for (const LogLine& line : lines_of(text)) {
    const auto has = [&](std::string_view part) {
      return line.text.find(part) != std::string_view::npos;
    };
    const bool tells = line.text.starts_with("# Size") && (has("(") || has("/s"));
    if (tells && !has("(us)") && !has("MB/s"))
      throw InputError(fmt::format("{}: {}: expected Latency(us) or MB/s, found {}", origin,
                                   line.where(), in_quotes(line.text)));
  }
}

void take_row(const std::vector<std::string_view>& words, const LogLine& line,
              std::vector<Row>& rows, ImportReport& report) {
  const auto size = find_number(words[0]);
  const auto value = words.size() > 1 ? find_number(words[1]) : std::nullopt;
  if (!value)
    report.skip("line that begins like a row and is none", line.where());
  else if (*size < 0 || *value < 0)
    report.skip("row with a negative number", line.where());
  else if (*value == 0)
    report.skip("row of time or bandwidth 0", line.where());
  else
    rows.push_back({Bytes{*size}, *value, line.where()});
}

std::vector<Row> rows_of(std::string_view text, const std::string& origin, ImportReport& report) {
  std::vector<Row> rows;
  for (const LogLine& line : lines_of(text)) {
    const auto words = words_of(line.text);
    if (!words.empty() && find_number(words[0]))
      take_row(words, line, rows, report);
  }
  if (!text.ends_with('\n'))
    report.doubt("last line that does not end: cut off", "end");
  if (rows.empty())
    throw InputError(fmt::format("{}: expected rows of size and time, found none{}", origin,
                                 reasons_in(report)));
  return rows;
}

enum class LinkTest : std::uint8_t { Latency, Bandwidth };

/// "# OSU MPI-CUDA Multi Latency Test v5.7" is a point-to-point test, "# OSU MPI Gather Latency
/// Test" is none, and one in both directions is no link's bandwidth.
std::optional<LinkTest> find_link_test(const std::string& title) {
  constexpr std::array<std::pair<const char*, LinkTest>, 5> kTests = {
      {{"latencytest", LinkTest::Latency},
       {"multilatencytest", LinkTest::Latency},
       {"multithreadedlatencytest", LinkTest::Latency},
       {"bandwidthtest", LinkTest::Bandwidth},
       {"multiplebandwidthmessageratetest", LinkTest::Bandwidth}}};
  constexpr std::array kPlatforms = {"cuda", "rocm", "openacc"};
  std::string name = letters_of(title);
  const auto drop = [&](std::string_view begin) {
    if (name.starts_with(begin))
      name.erase(0, begin.size());
  };
  drop("osumpi");
  for (const char* platform : kPlatforms)
    drop(platform);
  for (const auto& [begin, test] : kTests)
    if (name.starts_with(begin))
      return test;
  return std::nullopt;
}

/// OSU's size times this is the full buffer.
double buffers_of(CollectiveKind kind, std::uint32_t ranks) {
  const bool per_peer = kind == CollectiveKind::AllGather || kind == CollectiveKind::AllToAll;
  return per_peer ? ranks : 1;
}

BenchmarkLog collective_log(CollectiveKind named, const std::vector<Row>& rows,
                            const std::string& origin, const BenchmarkHints& hints,
                            ImportReport& report) {
  const CollectiveKind kind = kind_of_log({.kind = named}, hints, origin, report);
  const LogLayout layout = layout_of_log({}, hints, origin, report);
  CurveBuilder curve(report);
  for (const Row& row : rows)
    curve.add(row.size * buffers_of(kind, layout.ranks), Seconds{row.value * 1e-6}, row.where);
  return {.tool = "osu", .curve = curve.finish(kind, layout.ranks, layout.nodes, origin)};
}

/// The latency of the smallest message that carries something (an empty one never touches a GPU's
/// memory), or the best bandwidth (MB/s are 1e6 bytes/s).
BenchmarkLog link_log(LinkTest test, const std::vector<Row>& rows) {
  BenchmarkLog log{.tool = "osu"};
  const auto full = std::ranges::find_if(rows, [](const Row& row) { return row.size > Bytes{}; });
  if (test == LinkTest::Latency)
    log.link.latency = Seconds{(full == rows.end() ? rows.front() : *full).value * 1e-6};
  else
    log.link.bandwidth = BytesPerSecond{std::ranges::max(rows, {}, &Row::value).value * 1e6};
  return log;
}

}  // namespace

bool is_osu(std::string_view head) {
  return head.find("# OSU ") != std::string_view::npos;
}

BenchmarkLog read_osu(std::string_view text, const std::string& origin, const BenchmarkHints& hints,
                      ImportReport& report) {
  const std::string title = title_of(text, origin);
  check_units(text, origin);
  const std::optional<LinkTest> link = find_link_test(title);
  const std::optional<CollectiveKind> kind = find_kind_in(title);
  if (!link && !kind)
    throw InputError(
        fmt::format("{}: expected all-reduce, reduce-scatter, all-gather, all-to-all, broadcast, "
                    "reduce, or a latency or bandwidth of one direction between two ranks, found "
                    "{}",
                    origin, in_quotes(title)));
  const std::vector<Row> rows = rows_of(text, origin, report);
  if (!link)
    return collective_log(*kind, rows, origin, hints, report);
  if (hints.kind)
    report.doubt("--kind for a log of point-to-point messages, which was taken as that",
                 "the command line");
  return link_log(*link, rows);
}

}  // namespace stepcast
