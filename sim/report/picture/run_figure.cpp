#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "sim/forecast/schedule_run.hpp"
#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/picture/bar_chart.hpp"
#include "sim/report/picture/figures.hpp"
#include "sim/report/text/render.hpp"
#include "sim/timeline/trace_lanes.hpp"
#include "sim/timeline/why.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMostRows = 48;
constexpr double kMilli = 1e3;
constexpr double kGiB = 1024.0 * 1024 * 1024;

/// Each part begins where the one before it ends.
BarChart waterfall_of(const Forecast& forecast) {
  BarChart chart{.title = "Where the step goes", .unit = "ms", .legend = false};
  double end = 0;
  for (const NamedTime& part : breakdown_rows(forecast.breakdown)) {
    const double length = part.time.value * kMilli;
    if (length > 0)
      end = chart.add_row(part.name, end, length, part.name, fmt::format("{:.2f}", length));
  }
  return chart;
}

BarChart links_of(const Forecast& forecast) {
  BarChart chart{.title = "How busy the links are", .unit = "%", .to = 100, .legend = false};
  for (const LinkLoad& link : forecast.links)
    chart.add_row(link.name, 0, 100 * link.utilisation, "", percent(link.utilisation));
  return chart;
}

BarChart memory_of(const Forecast& forecast) {
  BarChart chart{.title = "Memory of a GPU", .unit = "GiB", .legend = false};
  for (const NamedBytes& row : memory_rows(forecast))
    chart.add_row(row.name, 0, row.size.value / kGiB, "",
                  fmt::format("{:.2f}", row.size.value / kGiB));
  return chart;
}

/// Fills a chart with the slices of the reported iteration.
class GanttOfStep {
 public:
  GanttOfStep(const Plan& plan, const Timeline& timeline) : plan_(plan), timeline_(timeline) {
    chart_.unit = "ms";
    chart_.to = timeline.iteration_time.value * kMilli;
    chart_.cut = true;
    chart_.kinds = {"forward", "backward"};
  }

  /// A row for each lane of each stream.
  BarChart lanes() {
    chart_.title = "What ran when";
    for (ClassId c = 0; c < timeline_.classes.size(); ++c)
      add_lanes(c);
    if (left_out_ > 0)
      chart_.title += fmt::format(" ({} of {} lanes)", kMostRows, kMostRows + left_out_);
    return std::move(chart_);
  }

  /// A row for what each stage of a pipeline computes.
  BarChart stages(const std::vector<StageForecast>& stages,
                  const std::vector<PlannedPass>& passes) {
    chart_.title = "Stages";
    const std::uint32_t chunks =
        passes.empty() ? 1 : 1 + std::ranges::max(passes, {}, &PlannedPass::chunk).chunk;
    if (chunks > 1)
      chart_.remark = "lighter: other parts of the model on the same rank";
    for (std::size_t i = 0; i < stages.size(); ++i)
      if (const std::size_t row = new_row(fmt::format("{}: {}", i, stages[i].holds)); row != kNoRow)
        for (const Slice& slice :
             lanes_of(plan_, timeline_, timeline_.class_of_rank[stages[i].rank]).slices)
          if (plan_.graph.task(slice.task).kind != TaskKind::Communication) {
            add(row, slice);
            name_pass(passes, chunks, slice.task);
          }
    if (left_out_ > 0)
      chart_.title += fmt::format(" ({} of {})", kMostRows, stages.size());
    return std::move(chart_);
  }

 private:
  static constexpr auto kNoRow = static_cast<std::size_t>(-1);

  std::string ranks_of(ClassId c) const { return stepcast::ranks_of(timeline_, std::span(&c, 1)); }

  std::size_t new_row(const std::string& name) {
    if (chart_.rows.size() == kMostRows) {
      ++left_out_;
      return kNoRow;
    }
    chart_.rows.push_back(name);
    return chart_.rows.size() - 1;
  }

  void add_lanes(ClassId c) {
    const TraceLanes lanes = lanes_of(plan_, timeline_, c);
    std::vector<std::vector<std::size_t>> rows(plan_.streams.size());
    for (StreamId s = 0; s < plan_.streams.size(); ++s)
      for (std::uint32_t lane = 0; lane < lanes.lanes_of_stream[s]; ++lane) {
        std::string name = plan_.streams[s].name;
        if (timeline_.classes.size() > 1)
          name += ", " + ranks_of(c);
        rows[s].push_back(new_row(lane == 0 ? name : ""));
      }
    for (const Slice& slice : lanes.slices)
      if (const std::size_t row = rows[slice.stream][slice.lane]; row != kNoRow)
        add(row, slice);
  }

  void add(std::size_t row, const Slice& slice) {
    const Task& task = plan_.graph.task(slice.task);
    chart_.bars.push_back(
        {.row = row,
         .begin = (slice.start - timeline_.begin).value * kMilli,
         .end = (slice.end - timeline_.begin).value * kMilli,
         .kind = chart_.kind_of(
             task.kind == TaskKind::Communication
                 ? std::string(name_of(plan_.collectives[task.collective].collective.kind))
                 : phase_of(plan_, task))});
  }

  /// Writes the micro-batch on the bar that was added last if that is a pass.
  void name_pass(const std::vector<PlannedPass>& passes, std::uint32_t chunks, TaskId task) {
    Bar& bar = chart_.bars.back();
    const auto behind = std::ranges::upper_bound(passes, task, {}, &PlannedPass::first);
    if (behind == passes.begin() || bar.kind > 1)
      return;
    const PlannedPass& pass = *std::prev(behind);
    constexpr double kLightest = 0.55;
    bar.lighter = chunks > 1 ? kLightest * pass.chunk / (chunks - 1) : 0;
    bar.text = std::to_string(pass.micro_batch);
    if (pass.kind == PassKind::InputGradient)
      bar.kind = chart_.kind_of("gradients of inputs");
    else if (pass.kind == PassKind::WeightGradient)
      bar.kind = chart_.kind_of("gradients of weights");
  }

  const Plan& plan_;
  const Timeline& timeline_;
  BarChart chart_;
  std::size_t left_out_ = 0;
};

std::string sheet(const Forecast& forecast, std::vector<Panel> panels) {
  if (!forecast.links.empty())
    panels.push_back(panel_of(links_of(forecast)));
  panels.push_back(panel_of(memory_of(forecast)));
  return sheet_of(fmt::format("{}: {}, {} ms", forecast.schedule, title_of(forecast),
                              milliseconds(forecast.iteration_time)),
                  panels);
}

std::string pipeline_figure(const ScheduleRun& run) {
  const Forecast& forecast = run.forecast;
  BarChart chart = GanttOfStep(run.plan, run.timeline).stages(forecast.stages, run.planned_passes);
  return sheet_of(fmt::format("{}: {}, {}, {} ms", forecast.schedule, title_of(forecast),
                              forecast.layout, milliseconds(forecast.iteration_time)),
                  {panel_of(chart)});
}

}  // namespace

std::string run_figure(const ScheduleRun& run) {
  if (!run.planned_passes.empty())
    return pipeline_figure(run);
  std::vector<Panel> panels{panel_of(waterfall_of(run.forecast))};
  if (!run.workers_trace)
    panels.push_back(panel_of(GanttOfStep(run.plan, run.timeline).lanes()));
  return sheet(run.forecast, std::move(panels));
}

}  // namespace stepcast
