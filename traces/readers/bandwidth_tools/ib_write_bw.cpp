#include "traces/readers/bandwidth_tools/ib_write_bw.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/readers/log_facts.hpp"
#include "traces/readers/log_text.hpp"

namespace stepcast {
namespace {

constexpr std::string_view kAverage = "BW average[";

/// Bytes per second of one unit of the average column.
double unit_of(const LogLine& heading, const std::string& origin) {
  const std::string_view text = heading.text;
  const std::string_view unit = text.substr(text.find(kAverage) + kAverage.size(), 6);
  if (unit.starts_with("Gb"))
    return 1e9 / 8;
  if (unit.starts_with("MB") || unit.starts_with("MiB"))
    return 1048576;
  throw InputError(fmt::format(
      "{}: {}: expected \"BW average\" in MB/sec, MiB/sec or Gb/sec, found another unit", origin,
      heading.where()));
}

/// The average bandwidth of a row in the unit of its heading; none, and counted, if it has none.
/// Columns: #bytes #iterations peak average message-rate.
std::optional<double> find_average(const std::vector<std::string_view>& words, const LogLine& line,
                                   ImportReport& report) {
  const auto average = words.size() >= 4 ? find_number(words[3]) : std::nullopt;
  if (average && *average > 0)
    return average;
  report.skip(!average       ? "line that begins like a row and is none"
              : *average < 0 ? "row with a negative number"
                             : "row of bandwidth 0",
              line.where());
  return std::nullopt;
}

}  // namespace

bool is_ib_write_bw(std::string_view head) {
  return head.find("#bytes") != std::string_view::npos &&
         head.find(kAverage) != std::string_view::npos;
}

BenchmarkLog read_ib_write_bw(std::string_view text, const std::string& origin,
                              const BenchmarkHints& /*hints*/, ImportReport& report) {
  double unit = 0;  // Rows before a heading are none.
  double best = 0;
  for (const LogLine& line : lines_of(text)) {
    const auto words = words_of(line.text);
    if (line.text.find(kAverage) != std::string_view::npos)
      unit = unit_of(line, origin);
    else if (unit > 0 && !words.empty() && find_number(words[0]))
      best = std::max(best, unit * find_average(words, line, report).value_or(0));
  }
  if (!(best > 0))
    throw InputError(fmt::format("{}: expected rows with a bandwidth above 0, found none{}", origin,
                                 reasons_in(report)));
  return {.tool = "ib_write_bw", .link = {.bandwidth = BytesPerSecond{best}}};
}

}  // namespace stepcast
