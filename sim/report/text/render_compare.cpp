#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

/// A column of a comparison; `baseline` is the first row of the table.
struct CompareColumn {
  const char* name;
  Align align;
  std::string (*value)(const Forecast&, const Forecast& baseline);
  bool of_seeds = false;    ///< Only where there is chance.
  bool makes_room = false;  ///< Not there: --json and --csv have it.
  bool of_stages = false;   ///< Only where there is a pipeline.
};

// Between which a quantile lies with 95 % confidence.
std::string interval(const SeedQuantile& quantile) {
  if (quantile.low <= Seconds{} || quantile.high <= Seconds{})
    return "-";
  return fmt::format("{:.0f}-{:.0f}", quantile.low.value * 1e3, quantile.high.value * 1e3);
}

constexpr std::array kCompareColumns = {
    CompareColumn{"schedule", Align::Left,
                  [](const Forecast& f, const Forecast&) { return f.schedule; }},
    CompareColumn{
        "iteration ms", Align::Right,
        [](const Forecast& f, const Forecast&) { return milliseconds(f.iteration_time); }},
    CompareColumn{"P50 ms", Align::Right,
                  [](const Forecast& f, const Forecast&) { return drawn_time(f.spread.p50.value); },
                  true},
    CompareColumn{"within", Align::Right,
                  [](const Forecast& f, const Forecast&) { return interval(f.spread.p50); }, true},
    CompareColumn{"P95 ms", Align::Right,
                  [](const Forecast& f, const Forecast&) { return drawn_time(f.spread.p95.value); },
                  true},
    CompareColumn{"within", Align::Right,
                  [](const Forecast& f, const Forecast&) { return interval(f.spread.p95); }, true},
    CompareColumn{"speed-up", Align::Right,
                  [](const Forecast& f, const Forecast& baseline) {
                    return fmt::format("{:.3f}", speedup_of(f, baseline));
                  }},
    CompareColumn{
        "samples/s", Align::Right,
        [](const Forecast& f, const Forecast&) { return fmt::format("{:.1f}", f.throughput); }},
    CompareColumn{"efficiency", Align::Right,
                  [](const Forecast& f, const Forecast&) { return percent(f.scaling_efficiency); }},
    CompareColumn{
        "comm ms", Align::Right,
        [](const Forecast& f, const Forecast&) { return milliseconds(total_of(f.communication)); },
        false, true},
    CompareColumn{"exposed ms", Align::Right,
                  [](const Forecast& f, const Forecast&) {
                    return milliseconds(total_of(f.breakdown.exposed_communication));
                  }},
    CompareColumn{
        "waiting ms", Align::Right,
        [](const Forecast& f, const Forecast&) { return milliseconds(f.breakdown.waiting); }},
    CompareColumn{
        "bubble ms", Align::Right,
        [](const Forecast& f, const Forecast&) { return milliseconds(f.breakdown.bubble); }, false,
        false, true},
    CompareColumn{"idle ms", Align::Right,
                  [](const Forecast& f, const Forecast&) { return milliseconds(f.breakdown.idle); },
                  false, true},
};

/// Returns the samples of a step. The ranks of a pipeline or of a tensor group share theirs.
std::uint64_t samples_of(const Forecast& f) {
  return f.stages.empty()
             ? std::uint64_t{f.batch} * f.workers * f.passes
             : static_cast<std::uint64_t>(std::llround(f.throughput * f.iteration_time.value));
}

/// The workload's name without its batch, which of a micro-batch is another.
std::string_view without_batch(std::string_view workload) {
  const std::size_t end = workload.find_last_not_of("0123456789");
  return end != std::string_view::npos && workload.substr(0, end + 1).ends_with("-bs")
             ? workload.substr(0, end - 2)
             : workload;
}

/// Steps of as many samples compare, whatever the batch of a GPU: a global one is shared by those
/// that train.
bool share_a_table(const Forecast& a, const Forecast& b) {
  return without_batch(a.workload) == without_batch(b.workload) && a.cluster == b.cluster &&
         a.nodes == b.nodes && a.gpus_per_node == b.gpus_per_node && a.fidelity == b.fidelity &&
         ((a.batch == b.batch && a.stages.empty() && b.stages.empty()) ||
          samples_of(a) == samples_of(b));
}

using Rows = std::vector<Forecast>::const_iterator;

/// The schedules that carry a note, in their order.
std::vector<std::string> carriers_of(const Note& note, Rows first, Rows last) {
  std::vector<std::string> schedules;
  for (Rows row = first; row != last; ++row)
    if (std::ranges::find(row->notes, note) != row->notes.end())
      schedules.push_back(row->schedule);
  return schedules;
}

/// A note of one row stands there; one of several rows once, with the last of them.
void add_notes(std::vector<std::string>& sentences, Rows row, Rows first, Rows last) {
  for (const Note& note : row->notes) {
    const std::vector<std::string> schedules = carriers_of(note, first, last);
    if (schedules.back() == row->schedule)
      sentences.push_back(fmt::format("{}, note: {}", fmt::join(schedules, ", "), note.text));
  }
}

/// The bottleneck, the slowest rank if there is one, and the longest wait of every row.
std::string why_of(Rows first, Rows last) {
  std::vector<std::string> sentences;
  for (Rows row = first; row != last; ++row) {
    std::string text;
    const std::size_t most =
        row->fastest_waiting > Seconds{} ? 3 : 2;  // the slowest rank comes second
    for (std::size_t i = 0; i < std::min(row->why.size(), most); ++i)
      text += fmt::format(" {}", row->why[i]);
    if (!text.empty())
      sentences.push_back(fmt::format("{}:{}", row->schedule, text));
    add_notes(sentences, row, first, last);
  }
  return list_of("Why", sentences);
}

std::string compare_group(Rows first, Rows last, const std::string& adapters) {
  std::vector<CompareColumn> columns(kCompareColumns.begin(), kCompareColumns.end());
  const bool has_seeds =
      std::any_of(first, last, [](const Forecast& each) { return each.spread.seeds > 0; });
  const bool has_stages =
      std::any_of(first, last, [](const Forecast& each) { return !each.stages.empty(); });
  std::erase_if(columns, [&](const CompareColumn& column) {
    return (has_seeds ? column.makes_room : column.of_seeds) || (column.of_stages && !has_stages);
  });
  Table table;
  for (const CompareColumn& column : columns)
    table.columns.push_back({column.name, column.align});
  for (Rows row = first; row != last; ++row) {
    auto& cells = table.rows.emplace_back();
    for (const CompareColumn& column : columns)
      cells.push_back(column.value(*row, *first));
  }
  return wrap(title_of(*first, adapters), 2) + "\n" + render(table) + why_of(first, last);
}

}  // namespace

std::string render_compare(const std::vector<Forecast>& forecasts, const std::string& adapters) {
  std::string text;
  for (Rows first = forecasts.begin(); first != forecasts.end();) {
    const Rows last = std::find_if(first, forecasts.end(), [first](const Forecast& other) {
      return !share_a_table(*first, other);
    });
    if (!text.empty())
      text += '\n';
    text += compare_group(first, last, adapters);
    first = last;
  }
  return text;
}

std::vector<std::string> names_of_comparison() {
  std::vector<std::string> names;
  for (const CompareColumn& column : kCompareColumns)
    names.emplace_back(column.name);
  return names;
}

}  // namespace stepcast
