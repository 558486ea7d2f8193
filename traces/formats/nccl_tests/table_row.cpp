#include "traces/formats/nccl_tests/table_row.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "traces/formats/log_text.hpp"

namespace stepcast {
namespace {

constexpr std::array<std::string_view, 9> kPlain = {"size",  "count", "type",  "redop", "root",
                                                    "algbw", "busbw", "error", "#wrong"};
constexpr std::size_t kBlock = 4;                // Time, two bandwidths, error.
constexpr std::size_t kFewest = 3 + 2 * kBlock;  // Redop and root come on top.
constexpr double kWrong = 1e-2;  // Relative error of a float sum that is no rounding.

bool is_time(std::string_view name) {
  return name == "time" || name == "cputime";
}

/// Of a row of `count` words that has no columns but the plain ones.
TableColumns columns_at_end(std::size_t count) {
  return {.timed = {{{.time = count - 2 * kBlock, .error = count - kBlock - 1},
                     {.time = count - kBlock, .error = count - 1}}},
          .count = count};
}

bool is_wrong(std::string_view error) {
  const auto value = find_number(error);
  return value && *value > kWrong;
}

/// "none" and "-1" stand where newer versions print a column that does not apply.
void read_middle(std::span<const std::string_view> middle, TableRow& row) {
  for (const std::string_view word : middle) {
    const auto number = find_number(word);
    row.has_root |= number && *number >= 0;
    row.has_redop |= !number && word != "none";
  }
}

/// Time and bandwidths of one place; false if they are no numbers.
bool read_timed(const std::vector<std::string_view>& words, const TableColumns::Timed& timed,
                Seconds& time, TableRow& row) {
  const auto microseconds = find_number(words[timed.time]);
  const auto algorithm = find_bandwidth(words[timed.time + 1]);
  const auto bus = find_bandwidth(words[timed.time + 2]);
  if (!microseconds || !algorithm || !bus)
    return false;
  time = Seconds{*microseconds * 1e-6};
  row.bandwidths.emplace_back(*algorithm, *bus);
  row.negative |= *microseconds < 0 || algorithm->value < 0 || bus->value < 0;
  row.wrong |= is_wrong(words[timed.error]);
  row.contradictory |= contradicts(row.size, time, algorithm->value);
  return true;
}

}  // namespace

std::optional<TableColumns> find_columns(const std::vector<std::string_view>& words) {
  if (words.empty() || words[0] != "size")
    return std::nullopt;
  TableColumns columns;
  std::size_t blocks = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_time(words[i]) && blocks < 2)
      columns.timed[blocks++] = {.time = i, .error = i + 3};
    else if (std::ranges::count(kPlain, words[i]) == 0)
      columns.plain = false;
  }
  columns.count = columns.timed[1].error + 1;
  return blocks == 2 ? std::optional(columns) : std::nullopt;
}

std::optional<TableRow> find_row(const std::vector<std::string_view>& words, TableColumns columns) {
  if (columns.plain) {
    if (words.size() < kFewest || words.size() > kFewest + 2)
      return std::nullopt;
    columns = columns_at_end(words.size());
  }
  const auto size = find_number(words[0]);
  if (!size || words.size() < columns.count)
    return std::nullopt;
  TableRow row{.size = Bytes{*size}, .negative = *size < 0};
  const auto first = columns.timed[0].time;
  read_middle(std::span(words).subspan(3, first - 3), row);
  if (!read_timed(words, columns.timed[0], row.out_of_place, row) ||
      !read_timed(words, columns.timed[1], row.in_place, row))
    return std::nullopt;
  return row;
}

bool contradicts(Bytes size, Seconds time, double algorithm_bandwidth) {
  constexpr double kRounding = 0.05;
  constexpr double kDecimals = 0.01;  // Two decimals are printed.
  const double difference = (size / time).value * 1e-9 - algorithm_bandwidth;
  return time > Seconds{} &&
         std::abs(difference) > kRounding * std::max(algorithm_bandwidth, kDecimals) + kDecimals;
}

Seconds shorter_of(Seconds out_of_place, Seconds in_place, const std::string& where,
                   ImportReport& report) {
  constexpr double kMuch = 1.15;
  if ((in_place > Seconds{}) != (out_of_place > Seconds{})) {
    report.doubt("row with one time of zero; the other was taken", where);
    return std::max(in_place, out_of_place);
  }
  const auto [shorter, longer] = std::minmax(out_of_place, in_place);
  if (longer > shorter * kMuch)
    report.doubt("out-of-place and in-place times more than 15 % apart; the shorter was taken",
                 where);
  return shorter;
}

}  // namespace stepcast
