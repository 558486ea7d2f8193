#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "traces/formats/benchmark_formats.hpp"
#include "traces/formats/benchmark_log.hpp"
#include "traces/formats/log_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace {

double bits_of(std::string_view unit) {
  if (unit == "Gbits/sec")
    return 1e9;
  if (unit == "Mbits/sec")
    return 1e6;
  if (unit == "Kbits/sec")
    return 1e3;
  return unit == "bits/sec" ? 1 : 0;
}

/// Bits per second of a line "[ 5] 0.00-10.00 sec 10.9 GBytes 9.39 Gbits/sec receiver".
std::optional<double> find_rate(const std::vector<std::string_view>& words) {
  for (std::size_t i = 1; i < words.size(); ++i)
    if (const double unit = bits_of(words[i]); unit > 0)
      if (const auto value = find_number(words[i - 1]); value && *value > 0)
        return *value * unit;
  return std::nullopt;
}

BenchmarkLog log_of(double bits_per_second) {
  return {.tool = "iperf3", .link = {.bandwidth = BytesPerSecond{bits_per_second / 8}}};
}

}  // namespace

bool is_iperf3_text(std::string_view head) {
  return head.find("bits/sec") != std::string_view::npos &&
         head.find("[ ID]") != std::string_view::npos;
}

BenchmarkLog read_iperf3_text(std::string_view text, const std::string& origin,
                              const BenchmarkHints& /*hints*/, ImportReport& report) {
  std::optional<double> single;
  std::optional<double> sum;
  for (const LogLine& line : lines_of(text)) {
    const auto words = words_of(line.text);
    if (words.empty() || words.back() != "receiver")
      continue;
    const std::optional<double> rate = find_rate(words);
    if (!rate)
      report.skip("summary line without a rate above 0", line.where());
    else if (line.text.starts_with("[SUM]"))
      sum = rate;
    else
      single = rate;
  }
  if (!sum && !single)
    throw InputError(
        fmt::format("{}: expected iperf3's summary line (\"... receiver\"), found none", origin));
  return log_of(sum ? *sum : *single);
}

bool is_iperf3_json(std::string_view head) {
  return head.find('{') != std::string_view::npos &&
         head.find("\"test_start\"") != std::string_view::npos;
}

BenchmarkLog read_iperf3_json(std::string_view text, const std::string& origin,
                              const BenchmarkHints& /*hints*/, ImportReport& /*report*/) {
  const nlohmann::json root = parse_json(text, origin);
  const nlohmann::json::json_pointer place("/end/sum_received/bits_per_second");
  const bool there = root.is_object() && root.contains(place) && root.at(place).is_number();
  const double rate = there ? root.at(place).get<double>() : 0;
  if (!(rate > 0))
    throw InputError(fmt::format("{}: {}: expected bits per second above 0, found {}", origin,
                                 place.to_string(), there ? fmt::format("{}", rate) : "nothing"));
  return log_of(rate);
}

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
