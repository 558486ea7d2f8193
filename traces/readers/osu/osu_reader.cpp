#include "traces/readers/osu/osu_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/readers/log_text.hpp"

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

std::string title_of(std::string_view text, const std::string& origin) {
  for (const LogLine& line : lines_of(text))
    if (is_title(line.text))
      return std::string(line.text);
  throw InputError(fmt::format("{}: expected a line \"# OSU ...\", found none", origin));
}

std::vector<Row> rows_of(std::string_view text, ImportReport& report) {
  std::vector<Row> rows;
  for (const LogLine& line : lines_of(text)) {
    const auto words = words_of(line.text);
    if (words.empty() || words[0].starts_with('#') || !find_number(words[0]))
      continue;
    const auto size = find_number(words[0]);
    const auto value = words.size() > 1 ? find_number(words[1]) : std::nullopt;
    if (!value || *size < 0 || *value < 0)
      report.skip("line that begins like a row and is none", line.where());
    else
      rows.push_back({Bytes{*size}, *value, line.where()});
  }
  return rows;
}

/// OSU's size times this is the full buffer.
double buffers_of(CollectiveKind kind, std::uint32_t ranks) {
  const bool per_peer = kind == CollectiveKind::AllGather || kind == CollectiveKind::AllToAll;
  return per_peer ? ranks : 1;
}

BenchmarkLog collective_log(CollectiveKind kind, const std::vector<Row>& rows,
                            const std::string& origin, const BenchmarkHints& hints,
                            ImportReport& report) {
  const std::uint32_t ranks = hints.nodes * hints.gpus_per_node;
  CurveBuilder curve(report);
  for (const Row& row : rows)
    curve.add(row.size * buffers_of(kind, ranks), Seconds{row.value * 1e-6}, row.where);
  return {.tool = "osu", .curve = curve.finish(kind, ranks, hints.nodes, origin)};
}

/// The latency of the smallest message, or the best bandwidth (MB/s are 1e6 bytes/s).
BenchmarkLog link_log(const std::string& title, const std::vector<Row>& rows) {
  BenchmarkLog log{.tool = "osu"};
  if (title.find("Latency") != std::string::npos)
    log.link.latency = Seconds{rows.front().value * 1e-6};
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
  const std::vector<Row> rows = rows_of(text, report);
  if (rows.empty())
    throw InputError(fmt::format("{}: expected rows of size and time, found none", origin));
  const std::optional<CollectiveKind> kind = hints.kind ? hints.kind : find_kind_in(title);
  if (kind)
    return collective_log(*kind, rows, origin, hints, report);
  if (title.find("Latency") == std::string::npos && title.find("Bandwidth") == std::string::npos)
    throw InputError(fmt::format(
        "{}: expected a collective, latency or bandwidth test, found \"{}\"", origin, title));
  return link_log(title, rows);
}

}  // namespace stepcast
