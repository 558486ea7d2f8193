#include "sim/report/text/studies/scaling_report.hpp"

#include "models/base/numbers.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {

std::string render_scaling(const Scaling& scaling) {
  Table table{.columns = {{"cluster", Align::Left}, {"schedule", Align::Left}}};
  for (const std::uint32_t gpus : scaling.gpus)
    table.columns.push_back({gpus_in_words(gpus) + " ms"});
  for (const ScalingCurve& curve : scaling.curves) {
    std::vector<std::string> row{curve.cluster, curve.schedule};
    for (const Seconds step : curve.steps)
      row.push_back(milliseconds(step, 1));
    table.rows.push_back(std::move(row));
  }
  return render_in_parts(table, 2) + text_of(scaling.notes, kMostNotes);
}

}  // namespace stepcast
