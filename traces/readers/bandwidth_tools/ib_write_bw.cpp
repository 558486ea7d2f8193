#include "traces/readers/bandwidth_tools/ib_write_bw.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/readers/log_text.hpp"

namespace stepcast {
namespace {

constexpr std::string_view kAverage = "BW average[";

/// Bytes per second of one unit of the average column.
double unit_of(std::string_view text, const std::string& origin) {
  const std::string_view unit = text.substr(text.find(kAverage) + kAverage.size(), 6);
  if (unit.starts_with("Gb"))
    return 1e9 / 8;
  if (unit.starts_with("MB") || unit.starts_with("MiB"))
    return 1048576;
  throw InputError(fmt::format(
      "{}: expected \"BW average\" in MB/sec, MiB/sec or Gb/sec, found another unit", origin));
}

}  // namespace

bool is_ib_write_bw(std::string_view head) {
  return head.find("#bytes") != std::string_view::npos &&
         head.find(kAverage) != std::string_view::npos;
}

BenchmarkLog read_ib_write_bw(std::string_view text, const std::string& origin,
                              const BenchmarkHints& /*hints*/, ImportReport& report) {
  const double unit = unit_of(text, origin);
  double best = 0;
  for (const LogLine& line : lines_of(text)) {
    const auto words = words_of(line.text);
    if (words.empty() || !find_number(words[0]))
      continue;
    // #bytes #iterations peak average message-rate
    const auto average = words.size() >= 4 ? find_number(words[3]) : std::nullopt;
    if (!average || *average < 0)
      report.skip("line that begins like a row and is none", line.where());
    else
      best = std::max(best, *average);
  }
  if (!(best > 0))
    throw InputError(fmt::format("{}: expected rows with a bandwidth above 0, found none", origin));
  return {.tool = "ib_write_bw", .link = {.bandwidth = BytesPerSecond{best * unit}}};
}

}  // namespace stepcast
