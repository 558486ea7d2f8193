#include "traces/readers/nccl_tests/nccl_tests_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <span>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/readers/log_text.hpp"

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
  bool wrong = false;
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
    if (!number || *number < 0)
      return std::nullopt;
    numbers[i] = *number;
  }
  Row row{.size = Bytes{numbers[0]},
          .out_of_place = Seconds{numbers[1] * 1e-6},
          .in_place = Seconds{numbers[4] * 1e-6},
          .factor = numbers[2] >= 1 ? numbers[3] / numbers[2] : 0,
          .wrong = is_wrong(tail[3]) || is_wrong(tail[7])};
  read_middle(all.subspan(3, words.size() - 3 - kTail), row);
  return row;
}

/// Reads the log line by line.
class TextReader {
 public:
  TextReader(const BenchmarkHints& hints, ImportReport& report)
      : hints_(hints), report_(report), curve_(report) {}

  void take(const LogLine& line) {
    if (line.text.find("_perf") != std::string_view::npos && !named_)
      named_ = find_kind_in(line.text.substr(0, line.text.find("_perf")));
    const std::vector<std::string_view> words = words_of(line.text);
    if (words.empty())
      return;
    if (words[0] == "#")
      return take_comment(words, line);
    if (find_number(words[0]))
      take_row(words, line);
  }

  BenchmarkLog finish(const std::string& origin) {
    if (!ended_)
      report_.doubt("log without its last line (average bus bandwidth): the run broke off", "end");
    const std::uint32_t ranks = ranks_ != 0 ? ranks_ : hints_.nodes * hints_.gpus_per_node;
    const auto nodes = hosts_.empty() ? hints_.nodes : static_cast<std::uint32_t>(hosts_.size());
    auto by_content = named_;
    if (!by_content && any_row_)
      by_content = find_kind_by_columns(last_.has_redop, last_.has_root, last_.factor, ranks);
    if (!any_row_)
      throw InputError(fmt::format("{}: expected rows of nccl-tests, found none", origin));
    return {.tool = "nccl-tests",
            .device = device_,
            .curve = curve_.finish(kind_of_log(hints_, by_content, origin), ranks, nodes, origin)};
  }

 private:
  /// "#   Rank  0 Pid 42 on  host device  0 [0x3d] Tesla V100", or the average at the end.
  void take_comment(const std::vector<std::string_view>& words, const LogLine& line) {
    ended_ |= line.text.find("Avg bus bandwidth") != std::string_view::npos;
    if (words.size() < 2 || words[1] != "Rank")
      return;
    const auto on = std::ranges::find(words, "on");
    if (on == words.end() || on + 1 == words.end())
      return report_.skip("rank without a host", line.where());
    ++ranks_;
    hosts_.emplace(on[1]);
    if (const std::size_t bracket = line.text.find("] "); bracket != std::string_view::npos)
      device_ = line.text.substr(bracket + 2);
  }

  void take_row(const std::vector<std::string_view>& words, const LogLine& line) {
    const std::optional<Row> row = find_row(words);
    if (!row)
      return report_.skip("line that begins like a row and is none", line.where());
    if (row->wrong)
      return report_.skip("row with wrong results", line.where());
    any_row_ = true;
    if (row->factor > 0 || last_.factor == 0)
      last_ = *row;
    if (row->size == Bytes{})
      return report_.skip("row of size 0", line.where());
    curve_.add(row->size, shorter_of(row->out_of_place, row->in_place, line.where(), report_),
               line.where());
  }

  const BenchmarkHints& hints_;
  ImportReport& report_;
  CurveBuilder curve_;
  std::optional<CollectiveKind> named_;
  std::uint32_t ranks_ = 0;
  std::set<std::string, std::less<>> hosts_;
  std::string device_;
  Row last_;  ///< The last one whose bandwidths tell a factor.
  bool any_row_ = false;
  bool ended_ = false;
};

}  // namespace

bool is_nccl_tests_text(std::string_view head) {
  return head.find("out-of-place") != std::string_view::npos &&
         head.find("busbw") != std::string_view::npos && head.find('#') != std::string_view::npos;
}

BenchmarkLog read_nccl_tests_text(std::string_view text, const std::string& origin,
                                  const BenchmarkHints& hints, ImportReport& report) {
  TextReader reader(hints, report);
  for (const LogLine& line : lines_of(text))
    reader.take(line);
  return reader.finish(origin);
}

Seconds shorter_of(Seconds out_of_place, Seconds in_place, const std::string& where,
                   ImportReport& report) {
  constexpr double kMuch = 1.15;
  if (!(in_place > Seconds{}))
    return out_of_place;
  if (!(out_of_place > Seconds{}))
    return in_place;
  const auto [shorter, longer] = std::minmax(out_of_place, in_place);
  if (longer > shorter * kMuch)
    report.doubt("out-of-place and in-place times more than 15 % apart; the shorter was taken",
                 where);
  return shorter;
}

std::optional<CollectiveKind> find_kind_by_columns(bool has_redop, bool has_root, double factor,
                                                   std::uint32_t ranks) {
  if (has_redop && has_root)
    return CollectiveKind::Reduce;
  if (has_root)
    return CollectiveKind::Broadcast;
  if (!has_redop || ranks < 2 || factor == 0)
    return std::nullopt;  // All-gather and all-to-all print the same columns.
  const double all_reduce = 2.0 * (ranks - 1) / ranks;
  return std::abs(factor / all_reduce - 1) < 0.1     ? std::optional(CollectiveKind::AllReduce)
         : std::abs(factor / all_reduce - 0.5) < 0.1 ? std::optional(CollectiveKind::ReduceScatter)
                                                     : std::nullopt;
}

CollectiveKind kind_of_log(const BenchmarkHints& hints, std::optional<CollectiveKind> by_content,
                           const std::string& origin) {
  if (hints.kind)
    return *hints.kind;
  if (by_content)
    return *by_content;
  if (const auto by_name = find_kind_in(std::filesystem::path(origin).filename().string()))
    return *by_name;
  throw InputError(fmt::format(
      "{}: neither the log nor the file's name says which collective it is; give --kind", origin));
}

}  // namespace stepcast
