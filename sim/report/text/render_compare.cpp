#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

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
  const bool has_seeds =
      std::any_of(first, last, [](const Forecast& each) { return each.spread.seeds > 0; });
  const bool has_stages =
      std::any_of(first, last, [](const Forecast& each) { return !each.stages.empty(); });
  Table table;
  table.rows.resize(static_cast<std::size_t>(last - first));
  for (const ForecastField* field : fields_shown(View::Compare)) {
    if (field->is(has_seeds ? kNotDrawn : kDrawn) || (field->is(kStages) && !has_stages))
      continue;
    table.columns.push_back(column_of(field->unit, field->heading));
    for (Rows row = first; row != last; ++row)
      table.rows[static_cast<std::size_t>(row - first)].push_back(
          cell_of(field->unit, field->value({*row, speedup_of(*row, *first)})));
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

}  // namespace stepcast
