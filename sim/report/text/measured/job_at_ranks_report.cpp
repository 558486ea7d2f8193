#include "sim/report/text/measured/job_at_ranks_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

constexpr double kPercent = 100;

std::string change_of(const JobAtRanks& result) {
  const Cluster& cluster = result.size.cluster;
  return fmt::format("{} on {} x {} GPUs of {}", result.size.schedule, cluster.nodes,
                     cluster.gpus_per_node, cluster.name);
}

/// Even ranks all send at once; uneven ones may get in each other's way less.
std::string cost_of_unevenness(const JobAtRanks& result) {
  const double cost = kPercent * (result.step / result.even_step - 1);
  return cost >= 0 ? fmt::format("Uneven ranks cost {:.1f} %", cost)
                   : fmt::format("Uneven ranks take {:.1f} % less, as not all send at once", -cost);
}

}  // namespace

std::string render_job_at_ranks(const std::string& origin, const JobAtRanks& result) {
  Table table{.columns = {{"", Align::Left}, {"ranks"}, {"step"}}};
  const auto add = [&](const std::string& what, std::uint32_t ranks, Seconds step) {
    table.rows.push_back({what, fmt::format("{}", ranks), format_seconds(step)});
  };
  const std::uint32_t ranks = result.size.cluster.ranks();
  add("recorded", result.recorded_gpus, result.recorded_step);
  add(result.size.ideal ? "forecast, ideal work" : "forecast, all ranks alike", ranks,
      result.even_step);
  if (!result.size.ideal)
    add("forecast, ranks as uneven as recorded", ranks, result.step);
  std::string text;
  if (!result.doubt.empty())
    text += doubtful({result.doubt});
  text += fmt::format("{}: {}\n", origin, change_of(result));
  if (!result.layout.empty())
    text += fmt::format("  layout: {}\n", result.layout);
  for (const std::string& line : result.basis)
    text += wrap("  " + line, 4);
  text += render(table);
  if (result.spread.seeds > 0)
    text +=
        wrap(fmt::format(
                 "{}: a mean over {} seeds, of which half stay below {} and 95 % below {}. Each "
                 "step draws a recorded one with the slow-downs of all its ranks; ranks beyond "
                 "those recorded begin again.",
                 cost_of_unevenness(result), result.spread.seeds,
                 format_seconds(result.spread.p50.value), format_seconds(result.spread.p95.value)),
             0);
  text += wrap(fmt::format("The job replayed as it was recorded is {:.1f} % off.",
                           kPercent * result.step_error),
               0);
  for (const Note& note : result.notes)
    text += wrap("Note: " + note.text, 2);
  return text;
}

std::string job_at_ranks_json(const std::string& origin, const JobAtRanks& result) {
  const Cluster& cluster = result.size.cluster;
  nlohmann::ordered_json json{{"trace", origin},
                              {"change", change_of(result)},
                              {"recorded_gpus", result.recorded_gpus},
                              {"recorded_step_s", result.recorded_step.value},
                              {"simulated_step_error", result.step_error},
                              {"gpus", cluster.ranks()},
                              {"cluster", cluster.name},
                              {"schedule", result.size.schedule},
                              {"iteration_time_s", result.step.value},
                              {"even_iteration_time_s", result.even_step.value}};
  if (result.spread.seeds > 0) {
    json["iteration_time_p50_s"] = result.spread.p50.value.value;
    json["iteration_time_p95_s"] = result.spread.p95.value.value;
    json["seeds"] = result.spread.seeds;
  }
  if (!result.layout.empty())
    json["layout"] = result.layout;
  json["doubts"] = nlohmann::ordered_json::array();
  if (!result.doubt.empty())
    json["doubts"].push_back(result.doubt);
  json["notes"] = result.basis;
  for (const Note& note : result.notes)
    json["notes"].push_back(note.text);
  return printed(json);
}

}  // namespace stepcast
