#include <algorithm>

#include <fmt/format.h>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/report/picture/figures.hpp"
#include "sim/report/picture/heat_map.hpp"

namespace stepcast {

std::string diagnosis_svg(const Diagnosis& diagnosis) {
  const std::size_t columns = diagnosis.by_data.size();
  HeatMap map{.title = fmt::format("slow-down {:.3f}", diagnosis.slowdown),
              .x_label = "data-parallel group",
              .y_label = "stage"};
  for (const PartSlowdown& part : diagnosis.by_data)
    map.columns.push_back(part.name);
  for (const PartSlowdown& part : diagnosis.by_stage)
    map.rows.push_back(part.name);
  std::vector<std::vector<double>> slowdowns(map.rows.size(), std::vector<double>(columns));
  const auto place = [](std::uint32_t number, const std::vector<std::string>& names) {
    return static_cast<std::size_t>(std::ranges::find(names, std::to_string(number)) -
                                    names.begin());
  };
  double most = 1;
  for (const RankUse& use : diagnosis.uses) {
    const JobRank& rank = diagnosis.ranks[use.rank];
    double& cell = slowdowns[place(rank.stage, map.rows)][place(rank.data, map.columns)];
    cell = std::max(cell, use.slowdown);
    most = std::max(most, cell);
  }
  for (const std::vector<double>& row : slowdowns) {
    map.category.emplace_back(columns, 0);
    map.strength.emplace_back();
    map.text.emplace_back();
    for (const double cell : row) {
      map.strength.back().push_back(most > 1 ? std::clamp((cell - 1) / (most - 1), 0.0, 1.0) : 0);
      map.text.back().push_back(cell > 0 ? fmt::format("{:.2f}", cell) : "");
    }
  }
  return to_svg("Slow-down with only one rank as recorded: " + diagnosis.job, {map}, {"slow-down"},
                {diagnosis.verdict.text});
}

}  // namespace stepcast
