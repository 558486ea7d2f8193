#include "sim/report/text/studies/plan_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/report/text/clean.hpp"
#include "sim/report/text/facts.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kShown = 10;
constexpr double kGibibyte = 1024.0 * 1024 * 1024;

const PlanSite& site_of(const CapacityPlan& plan, const PlanChoice& choice) {
  return plan.space.sites[choice.trial.site];
}

const std::string& schedule_of_choice(const CapacityPlan& plan, const PlanChoice& choice) {
  return plan.space.schedules[choice.trial.schedule].name;
}

std::string gibibytes(Bytes size) {
  return fmt::format("{:.1f}", size.value / kGibibyte);
}

std::string short_number(double value) {
  return value >= 1e5 ? fmt::format("{:.4g}", value)
                      : fmt::format("{:.{}f}", value,
                                    value >= 1000 ? 0
                                    : value >= 10 ? 1
                                                  : 2);
}

Table table_of(const CapacityPlan& plan, const std::vector<std::size_t>& shown) {
  const bool chances = plan.space.request.deadline.has_value();
  Table table{.columns = {{""},
                          {"cluster", Align::Left},
                          {"GPUs"},
                          {"layout", Align::Left},
                          {"schedule", Align::Left},
                          {"step ms"},
                          {"hours"},
                          {"cost"},
                          {"GiB"}}};
  if (chances)
    table.columns.push_back({"in time"});
  for (const std::size_t i : shown) {
    const PlanChoice& choice = plan.choices[i];
    std::vector<std::string> row{std::to_string(i + 1),
                                 site_of(plan, choice).cluster.name,
                                 std::to_string(site_of(plan, choice).cluster.ranks()),
                                 choice.layout,
                                 schedule_of_choice(plan, choice),
                                 milliseconds(choice.forecast.iteration_time, 1),
                                 short_number(choice.hours),
                                 short_number(choice.cost),
                                 gibibytes(choice.forecast.memory.total())};
    if (!choice.fits)
      row.back().append(" !");
    if (chances)
      row.push_back(choice.chance ? fmt::format("{:.0f} %", 100 * *choice.chance) : "-");
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::size_t> first(std::size_t count, std::size_t most) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < std::min(count, most); ++i)
    shown.push_back(i);
  return shown;
}

std::string samples_text(double samples) {
  return samples < 1 || samples > 1e15 ? fmt::format("{:g}", samples)
                                       : with_thousands(static_cast<std::uint64_t>(samples));
}

std::string heading(const CapacityPlan& plan) {
  const PlanSpace& space = plan.space;
  std::size_t refused = 0;
  for (const auto& [reason, count] : plan.refused)
    refused += count;
  std::string counts = fmt::format(
      "{} candidates: {} refused, {} too large, {} simulated, {} cannot be better",
      with_thousands(space.candidates.size()), with_thousands(refused),
      with_thousands(plan.too_large), plan.choices.size(), with_thousands(plan.bounded));
  if (plan.open > 0)
    counts += fmt::format(", {} left open", with_thousands(plan.open));
  const auto& recorded = site_of(plan, plan.choices.front()).workload.pipeline;
  const std::string step =
      space.request.global_batch ? fmt::format("in steps of {}", *space.request.global_batch)
      : recorded ? fmt::format("of a micro-batch, {} for each copy of {} GPUs as recorded",
                               recorded->micro_batches,
                               recorded->stages * recorded->tensor * recorded->context)
                 : std::string("with the workload's batch on every GPU");
  const std::string prices = space.prices.currency == kGpuHours
                                 ? std::string("costs in GPU hours")
                                 : fmt::format("prices in {} ({}, {})", space.prices.currency,
                                               space.prices.name, space.prices.date);
  std::string text = fmt::format(
      "{}, {} samples {}; {} fidelity; {}", site_of(plan, plan.choices.front()).workload.name,
      samples_text(space.samples), step, name_of(space.request.fidelity), prices);
  if (space.request.memory_reserve > 0)
    text +=
        fmt::format("; {:g} % of each GPU's memory stays free", 100 * space.request.memory_reserve);
  return wrap(text, 2).append(wrap(counts, 2));
}

/// Says which of the shown choices the forecasts do not tell apart from the best.
std::string indistinguishable(const CapacityPlan& plan) {
  std::vector<std::size_t> alike;
  for (std::size_t i = 1; i < std::min(plan.choices.size(), kShown); ++i)
    if (is_indistinguishable(plan, plan.choices[i]))
      alike.push_back(i + 1);
  if (alike.empty())
    return "";
  const bool is_row = alike.size() > 2 && alike.back() - alike.front() == alike.size() - 1;
  const std::string others = is_row ? fmt::format("{} to {}", alike.front(), alike.back())
                                    : fmt::format("{}", fmt::join(alike, ", "));
  return "\n" + wrap(fmt::format("The likely range of 1 overlaps with {} of {}: these forecasts do "
                                 "not tell which is best.",
                                 alike.size() == 1 ? "that" : "those", others),
                     2);
}

std::string reasons(const CapacityPlan& plan) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < std::min(plan.choices.size(), kShown); ++i) {
    const PlanChoice& choice = plan.choices[i];
    const std::string options = other_options(choice.trial.options);
    std::string text = fmt::format("{}: {}", i + 1, options);
    const std::size_t most = i == 0 && choice.meets ? 1 : 2;  // the best's own report says more
    for (std::size_t k = 0; k < std::min(choice.why.size(), most); ++k)
      text.append(k > 0 ? "; " : options.empty() ? "" : ": ").append(choice.why[k]);
    sentences.push_back(std::move(text));
  }
  return list_of("Why", sentences);
}

std::string memory_lines(const CapacityPlan& plan) {
  if (plan.memory_front.size() < 2)
    return "";
  std::vector<std::string> lines;
  for (const std::size_t i : plan.memory_front) {
    const PlanChoice& choice = plan.choices[i];
    const std::string options = other_options(choice.trial.options);
    lines.push_back(
        fmt::format("{} GiB: {} ms with {} {}{}{}", gibibytes(choice.forecast.memory.total()),
                    milliseconds(choice.forecast.iteration_time, 1), choice.layout,
                    schedule_of_choice(plan, choice), options.empty() ? "" : " ", options));
  }
  return list_of("Memory against time, on the best's GPUs", lines);
}

std::string changes_table(const CapacityPlan& plan) {
  if (plan.changes.empty())
    return "";
  Table table{.columns = {{"one change of the best", Align::Left},
                          {"samples/s"},
                          {"step ms"},
                          {"GiB"},
                          {"", Align::Left}}};
  for (const PlanChange& change : plan.changes) {
    if (!change.refusal.empty())
      continue;  // does not come out even
    table.rows.push_back({change.change, fmt::format("{:+.1f} %", 100 * change.gain),
                          milliseconds(change.iteration_time, 1), gibibytes(change.memory),
                          change.fits ? "" : "does not fit"});
  }
  return table.rows.empty() ? "" : std::string("\n").append(render(table));
}

}  // namespace

std::string other_options(const ScheduleOptions& options) {
  std::string text;
  const std::vector<std::string> axes = layout_axes();
  for (const auto& [name, value] : options)
    if (std::ranges::find(axes, name) == axes.end() && name != "global_batch")
      text.append(text.empty() ? "" : " ").append(name).append("=").append(value);
  return text;
}

std::string run_command_of(const PlanSpace& space, const PlanTrial& trial) {
  const PlanSite& site = space.sites[trial.site];
  const auto& workload = space.request.workload;
  std::string text = fmt::format("stepcast run --workload {}", workload);
  if (site.workload.transformer && workload.find("device=") == std::string::npos &&
      !workload.ends_with(".json"))
    text.append(",device=").append(site.workload.device);
  text += fmt::format(" --cluster {} --nodes {}", site.typed, site.cluster.nodes);
  text += fmt::format(" --gpus-per-node {} --schedule {}", site.cluster.gpus_per_node,
                      space.schedules[trial.schedule].name);
  for (const auto& [path, value] : space.request.settings.cluster)
    text += fmt::format(" --set cluster.{}={}", path, value);
  for (const auto& [name, value] : trial.options)
    text += fmt::format(" --set {}={}", name, value);
  if (space.request.global_batch && !trial.options.contains("global_batch"))
    text += fmt::format(" --set global_batch={}", site.global_batch);
  return text.append(" --fidelity ").append(name_of(space.request.fidelity));
}

std::string render_plan(const CapacityPlan& plan) {
  const bool fits = plan.choices.front().fits;
  // Then the outlook's last sentence says what is missing.
  std::string text = fits ? "" : wrap(plan.outlook.back(), 2).append("\n");
  text.append(heading(plan)).append("\n");
  text.append(render(table_of(plan, first(plan.choices.size(), kShown))));
  text.append(indistinguishable(plan));
  if (const auto best = best_of_each_cluster(plan); best.size() > 1)
    text.append("\nBest of each cluster\n").append(render(table_of(plan, best)));
  if (plan.front.size() > 1)
    text.append("\nNobody else is faster and cheaper\n").append(render(table_of(plan, plan.front)));
  text.append(memory_lines(plan)).append(changes_table(plan)).append(reasons(plan));
  text.append(list_of("Outlook", plan.outlook)).append(list_of("Notes", plan.space.notes));
  text.append(fits ? "\nThe best by itself\n  " : "\nThe smallest by itself\n  ");
  return text.append(run_command_of(plan.space, plan.choices.front().trial)).append("\n");
}

std::string plan_csv(const CapacityPlan& plan) {
  std::string text =
      "cluster,gpus,layout,schedule,options,iteration_time_s,throughput_samples_per_s,hours,cost,"
      "memory_bytes,utilisation,fits,meets,deadline_chance\n";
  for (const PlanChoice& choice : plan.choices) {
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(site_of(plan, choice).cluster.name),
        site_of(plan, choice).cluster.ranks(), csv_cell(choice.layout),
        csv_cell(schedule_of_choice(plan, choice)), csv_cell(other_options(choice.trial.options)),
        choice.forecast.iteration_time.value, choice.forecast.throughput, choice.hours, choice.cost,
        choice.forecast.memory.total().value, choice.utilisation, choice.fits ? "yes" : "no",
        choice.meets ? "yes" : "no", choice.chance ? fmt::format("{}", *choice.chance) : "");
  }
  return text;
}

}  // namespace stepcast
