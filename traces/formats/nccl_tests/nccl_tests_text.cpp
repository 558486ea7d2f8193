#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/network/collective_kind.hpp"
#include "traces/formats/benchmark_formats.hpp"
#include "traces/formats/benchmark_log.hpp"
#include "traces/formats/log_text.hpp"
#include "traces/formats/nccl_tests/listed_ranks.hpp"
#include "traces/formats/nccl_tests/table_row.hpp"

namespace stepcast {

namespace {

/// The programs of nccl-tests that a log names. What says that it starts is what ran; else the only
/// one that is named: the output of a build or of a script names several.
class Programs {
 public:
  void take(const std::vector<std::string_view>& words, const LogLine& line);

  /// The kind that ran; none if the log does not say. Throws InputError that begins with `origin`
  /// if a program ran that is no collective.
  std::optional<CollectiveKind> kind(const std::string& origin) const;

 private:
  struct Named {
    std::string program;
    std::string where;
  };
  std::optional<Named> started_;
  std::vector<Named> named_;  ///< Each once.
};

/// "all_gather" of "/opt/tests/all_gather_perf"; empty for other words.
std::string program_of(std::string_view word) {
  constexpr std::string_view kEnd = "_perf";
  if (!word.ends_with(kEnd))
    return {};
  word.remove_suffix(kEnd.size());
  return std::string(word.substr(word.rfind('/') + 1));
}

bool is_collective(const std::string& program) {
  constexpr std::array kOthers = {"sendrecv", "gather", "scatter", "hypercube"};
  return std::ranges::count(kOthers, program) == 0 && find_kind_in(program);
}

void Programs::take(const std::vector<std::string_view>& words, const LogLine& line) {
  for (const std::string_view word : words) {
    const std::string program = program_of(word);
    if (program.empty())
      continue;
    if (line.text.find("test starting") != std::string_view::npos)
      started_ = {program, line.where()};
    if (std::ranges::find(named_, program, &Named::program) == named_.end())
      named_.push_back({program, line.where()});
  }
}

std::optional<CollectiveKind> Programs::kind(const std::string& origin) const {
  if (!started_ && named_.size() != 1)
    return std::nullopt;
  const Named& ran = started_ ? *started_ : named_.front();
  if (!is_collective(ran.program))
    throw InputError(
        fmt::format("{}: {}: expected a collective such as all_reduce_perf, found "
                    "{}_perf",
                    origin, ran.where, ran.program));
  return find_kind_in(ran.program);
}

/// The words of a line without what stands before them: the "#" of remarks, and the quotation marks
/// and code fences of logs that were pasted into a message.
std::vector<std::string_view> plain_words_of(std::string_view line) {
  std::vector<std::string_view> words = words_of(line);
  while (!words.empty()) {
    words[0].remove_prefix(std::min(words[0].find_first_not_of("#>`\\"), words[0].size()));
    if (!words[0].empty())
      break;
    words.erase(words.begin());
  }
  return words;
}

/// Whether a "#" stands before the words: rows of the table have none.
bool is_remark(std::string_view line, std::string_view first_word) {
  return line.substr(0, static_cast<std::size_t>(first_word.data() - line.data())).find('#') !=
         std::string_view::npos;
}

/// Reads the log line by line. Pages that show a pasted log take the "#" of its lines for marks of
/// headings, so that lines are told by their words alone.
class TextReader {
 public:
  TextReader(const BenchmarkHints& hints, const std::string& origin, ImportReport& report)
      : hints_(hints), origin_(origin), report_(report), ranks_(origin, report), curve_(report) {}

  void take(const LogLine& line) {
    const std::vector<std::string_view> words = plain_words_of(line.text);
    if (words.empty())
      return;
    programs_.take(words, line);
    if (const auto columns = find_columns(words))
      columns_ = columns;
    ended_ |= line.text.find("Avg bus bandwidth") != std::string_view::npos;
    take_wrong_values(words, line);
    ranks_.take(words, line);
    if (columns_ && find_number(words[0]) && !is_remark(line.text, words[0]))
      take_row(words, line);
  }

  BenchmarkLog finish() {
    if (!ended_)
      report_.doubt("log without its last line (average bus bandwidth): the run broke off", "end");
    curve_.refuse_none(origin_);
    run_.named = programs_.kind(origin_);
    run_.ranks = ranks_.ranks();
    const LogFacts facts = facts_of(run_, hints_, origin_, report_);
    const LogLayout layout = layout_of_log(facts, hints_, origin_, report_);
    const CollectiveKind kind = kind_of_log(facts, hints_, origin_, report_);
    return {.tool = "nccl-tests",
            .device = ranks_.device(),
            .curve = curve_.finish(kind, layout.ranks, layout.nodes, origin_)};
  }

 private:
  /// "# Out of bounds values : 0 OK" closes a run whose results were checked.
  void take_wrong_values(const std::vector<std::string_view>& words, const LogLine& line) {
    if (line.text.find("Out of bounds values") == std::string_view::npos || words.size() < 6)
      return;
    if (const auto count = find_number(words[5]); count && *count > 0)
      report_.doubt("run with wrong results by its count of out of bounds values", line.where());
  }

  void take_row(const std::vector<std::string_view>& words, const LogLine& line) {
    const std::optional<TableRow> row = find_row(words, *columns_);
    if (!row)
      return report_.skip("line that begins like a row and is none", line.where());
    if (row->negative)
      return report_.skip("row with a negative number", line.where());
    if (row->wrong)
      return report_.skip("row with wrong results", line.where());
    if (row->contradictory)
      return report_.skip("row whose time and bandwidth contradict each other", line.where());
    take_factor(*row, line);
    if (row->size == Bytes{})
      return report_.skip("row of size 0", line.where());
    curve_.add(row->size, shorter_of(row->out_of_place, row->in_place, line.where(), report_),
               line.where());
  }

  void take_factor(const TableRow& row, const LogLine& line) {
    run_.has_redop = row.has_redop;
    run_.has_root = row.has_root;
    for (const auto& [algorithm, bus] : row.bandwidths)
      if (!run_.range.add(algorithm, bus))
        throw InputError(fmt::format(
            "{}: {}: expected one run of nccl-tests, found bus over algorithm bandwidth {:.4g} "
            "after {}: another number of ranks",
            origin_, line.where(), bus.value / algorithm.value, run_.range.text()));
  }

  const BenchmarkHints& hints_;
  const std::string& origin_;
  ImportReport& report_;
  RankLines ranks_;
  CurveBuilder curve_;
  Programs programs_;
  std::optional<TableColumns> columns_;
  RunRecord run_;
  bool ended_ = false;
};

}  // namespace

bool is_nccl_tests_text(std::string_view head) {
  return head.find("out-of-place") != std::string_view::npos &&
         head.find("busbw") != std::string_view::npos;
}

BenchmarkLog read_nccl_tests_text(std::string_view text, const std::string& origin,
                                  const BenchmarkHints& hints, ImportReport& report) {
  TextReader reader(hints, origin, report);
  for (const LogLine& line : lines_of(text))
    reader.take(line);
  return reader.finish();
}

}  // namespace stepcast
