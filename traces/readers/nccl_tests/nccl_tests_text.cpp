#include "traces/readers/nccl_tests/nccl_tests_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/collective/collective.hpp"
#include "traces/readers/log_facts.hpp"
#include "traces/readers/log_text.hpp"
#include "traces/readers/nccl_tests/rank_lines.hpp"

namespace stepcast {
namespace {

constexpr double kWrong = 1e-2;  // Relative error of a float sum that is no rounding.

/// size, count and type, then redop and root where the collective has them, then twice time,
/// algorithm and bus bandwidth, and error.
struct Row {
  Bytes size{};
  bool has_redop = false;
  bool has_root = false;
  Seconds out_of_place{};
  Seconds in_place{};
  double factor = 0;  ///< Bus over algorithm bandwidth; 0 where it rounds to nothing.
  bool negative = false;
  bool wrong = false;
  bool contradictory = false;
};

bool is_wrong(std::string_view error) {
  const auto value = find_number(error);
  return value && *value > kWrong;
}

/// "none" and "-1" stand where newer versions print a column that does not apply.
void read_middle(std::span<const std::string_view> middle, Row& row) {
  for (const std::string_view word : middle) {
    const auto number = find_number(word);
    row.has_root |= number && *number >= 0;
    row.has_redop |= !number && word != "none";
  }
}

std::optional<Row> find_row(const std::vector<std::string_view>& words) {
  constexpr std::size_t kTail = 8;
  if (words.size() < 3 + kTail || words.size() > 5 + kTail)
    return std::nullopt;
  const std::span<const std::string_view> all(words);
  const auto tail = all.last(kTail);
  std::array<double, 7> numbers{};  // size, then time, algbw, busbw twice.
  const std::array<std::string_view, 7> cells = {words[0], tail[0], tail[1], tail[2],
                                                 tail[4],  tail[5], tail[6]};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto number = find_number(cells[i]);
    if (!number)
      return std::nullopt;
    numbers[i] = *number;
  }
  Row row{.size = Bytes{numbers[0]},
          .out_of_place = Seconds{numbers[1] * 1e-6},
          .in_place = Seconds{numbers[4] * 1e-6},
          .factor = numbers[2] >= 1 ? numbers[3] / numbers[2] : 0,
          .negative = std::ranges::any_of(numbers, [](double number) { return number < 0; }),
          .wrong = is_wrong(tail[3]) || is_wrong(tail[7])};
  row.contradictory = contradicts(row.size, row.out_of_place, numbers[2]) ||
                      contradicts(row.size, row.in_place, numbers[5]);
  read_middle(all.subspan(3, words.size() - 3 - kTail), row);
  return row;
}

/// "all_gather" of "/opt/tests/all_gather_perf -b 8"; empty if no program of nccl-tests is named.
std::string program_in(const std::vector<std::string_view>& words) {
  constexpr std::string_view kEnd = "_perf";
  for (std::string_view word : words) {
    if (!word.ends_with(kEnd))
      continue;
    word.remove_suffix(kEnd.size());
    return std::string(word.substr(word.rfind('/') + 1));
  }
  return {};
}

/// Reads the log line by line.
class TextReader {
 public:
  TextReader(const BenchmarkHints& hints, const std::string& origin, ImportReport& report)
      : hints_(hints), origin_(origin), report_(report), ranks_(origin, report), curve_(report) {}

  void take(const LogLine& line) {
    const std::vector<std::string_view> words = words_of(line.text);
    if (words.empty())
      return;
    if (const std::string program = program_in(words); !program.empty())
      take_program(program, line);
    ended_ |= line.text.find("Avg bus bandwidth") != std::string_view::npos;
    take_wrong_values(words, line);
    ranks_.take(words, line);
    if (find_number(words[0]))
      take_row(words, line);
  }

  BenchmarkLog finish() {
    if (!ended_)
      report_.doubt("log without its last line (average bus bandwidth): the run broke off", "end");
    curve_.refuse_none(origin_);
    LogFacts facts;
    ranks_.describe(facts);
    const LogLayout layout = layout_of_log(facts, hints_, origin_, report_);
    facts.possible = kinds_by_columns(last_.has_redop, last_.has_root, last_.factor, layout.ranks);
    facts.kind = named_;
    if (!named_ && facts.possible.size() == 1)
      facts.kind = facts.possible.front();
    const CollectiveKind kind = kind_of_log(facts, hints_, origin_, report_);
    return {.tool = "nccl-tests",
            .device = ranks_.device(),
            .curve = curve_.finish(kind, layout.ranks, layout.nodes, origin_)};
  }

 private:
  void take_program(const std::string& program, const LogLine& line) {
    constexpr std::array kOthers = {"sendrecv", "gather", "scatter", "hypercube"};
    if (std::ranges::count(kOthers, program) > 0)
      throw InputError(
          fmt::format("{}: {}: expected a collective such as all_reduce_perf, found "
                      "{}_perf",
                      origin_, line.where(), program));
    if (const auto kind = find_kind_in(program))
      named_ = kind;
  }

  /// "# Out of bounds values : 0 OK" closes a run whose results were checked.
  void take_wrong_values(const std::vector<std::string_view>& words, const LogLine& line) {
    if (line.text.find("Out of bounds values") == std::string_view::npos || words.size() < 7)
      return;
    if (const auto count = find_number(words[6]); count && *count > 0)
      report_.doubt("run with wrong results by its count of out of bounds values", line.where());
  }

  void take_row(const std::vector<std::string_view>& words, const LogLine& line) {
    const std::optional<Row> row = find_row(words);
    if (!row)
      return report_.skip("line that begins like a row and is none", line.where());
    if (row->negative)
      return report_.skip("row with a negative number", line.where());
    if (row->wrong)
      return report_.skip("row with wrong results", line.where());
    if (row->contradictory)
      return report_.skip("row whose time and bandwidth contradict each other", line.where());
    if (row->factor > 0 || last_.factor == 0)
      last_ = *row;
    if (row->size == Bytes{})
      return report_.skip("row of size 0", line.where());
    curve_.add(row->size, shorter_of(row->out_of_place, row->in_place, line.where(), report_),
               line.where());
  }

  const BenchmarkHints& hints_;
  const std::string& origin_;
  ImportReport& report_;
  RankLines ranks_;
  CurveBuilder curve_;
  std::optional<CollectiveKind> named_;
  Row last_;  ///< The last one whose bandwidths tell a factor.
  bool ended_ = false;
};

}  // namespace

bool is_nccl_tests_text(std::string_view head) {
  return head.find("out-of-place") != std::string_view::npos &&
         head.find("busbw") != std::string_view::npos && head.find('#') != std::string_view::npos;
}

BenchmarkLog read_nccl_tests_text(std::string_view text, const std::string& origin,
                                  const BenchmarkHints& hints, ImportReport& report) {
  TextReader reader(hints, origin, report);
  for (const LogLine& line : lines_of(text))
    reader.take(line);
  return reader.finish();
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

bool contradicts(Bytes size, Seconds time, double algorithm_bandwidth) {
  constexpr double kRounding = 0.05;
  constexpr double kDecimals = 0.01;  // Two decimals are printed.
  const double difference = (size / time).value * 1e-9 - algorithm_bandwidth;
  return time > Seconds{} &&
         std::abs(difference) > kRounding * std::max(algorithm_bandwidth, kDecimals) + kDecimals;
}

std::vector<CollectiveKind> kinds_by_columns(bool has_redop, bool has_root, double factor,
                                             std::uint32_t ranks) {
  using enum CollectiveKind;
  if (has_root)
    return {has_redop ? Reduce : Broadcast};
  if (!has_redop)
    return {AllGather, AllToAll};
  const double all_reduce = bus_factor(AllReduce, std::max(2U, ranks));
  if (ranks >= 2 && std::abs(factor / all_reduce - 1) < 0.1)
    return {AllReduce};
  if (ranks >= 2 && std::abs(factor / all_reduce - 0.5) < 0.1)
    return {ReduceScatter};
  return {AllReduce, ReduceScatter};
}

}  // namespace stepcast
