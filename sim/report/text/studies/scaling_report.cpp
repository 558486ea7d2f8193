#include "sim/report/text/studies/scaling_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {

bool nodes_differ(const std::vector<ScalingSize>& sizes) {
  return std::ranges::any_of(sizes, [&](const ScalingSize& size) {
    return size.gpus_per_node != sizes.front().gpus_per_node;
  });
}

std::string label_of(const ScalingSize& size, const std::vector<ScalingSize>& all) {
  const std::string gpus = gpus_in_words(size.gpus());
  return nodes_differ(all) ? fmt::format("{} ({} x {})", gpus, size.nodes, size.gpus_per_node)
                           : gpus;
}

std::string render_scaling(const Scaling& scaling) {
  Table table{.columns = {{"cluster", Align::Left}, {"schedule", Align::Left}}};
  for (const ScalingSize& size : scaling.sizes)
    table.columns.push_back({label_of(size, scaling.sizes) + " ms"});
  for (const ScalingCurve& curve : scaling.curves) {
    std::vector<std::string> row{curve.cluster, curve.schedule};
    for (const Seconds step : curve.steps)
      row.push_back(milliseconds(step, 1));
    row.resize(table.columns.size());  // a signal may have cut it short
    table.rows.push_back(std::move(row));
  }
  return render_in_parts(table, 2) + text_of(scaling.notes, kMostNotes);
}

}  // namespace stepcast
