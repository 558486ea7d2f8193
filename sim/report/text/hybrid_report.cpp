#include "sim/report/text/hybrid_report.hpp"

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

std::string stage_table(const HybridForecast& hybrid) {
  Table table{{{"stage", Align::Right},
               {"holds", Align::Left},
               {"busy ms", Align::Right},
               {"bubble ms", Align::Right},
               {"memory", Align::Right}},
              {}};
  for (std::size_t i = 0; i < hybrid.stages.size(); ++i) {
    const StageForecast& stage = hybrid.stages[i];
    table.rows.push_back({std::to_string(i), stage.holds, milliseconds(stage.time),
                          milliseconds(stage.bubble), format_bytes(stage.memory)});
  }
  return render(table);
}

}  // namespace

std::string render_hybrid(const HybridForecast& hybrid) {
  std::string text = render_run(hybrid.forecast);
  text += fmt::format("\nLayout {}", hybrid.layout);
  if (hybrid.flops_utilisation > 0)
    text += fmt::format(", model FLOPs utilisation {}", percent(hybrid.flops_utilisation));
  return text + "\n" + stage_table(hybrid);
}

std::string render_cases(const CaseResults& results) {
  Table table{{{"set", Align::Left},
               {"cases", Align::Right},
               {"median", Align::Right},
               {"mean", Align::Right},
               {"p90", Align::Right},
               {"worst", Align::Right},
               {"signed", Align::Right}},
              {}};
  for (const CaseErrors& set : results.sets)
    table.rows.push_back({set.set, std::to_string(set.cases), percent(set.median),
                          percent(set.mean), percent(set.p90), percent(set.worst),
                          fmt::format("{:+.1f} %", 100 * set.bias)});
  std::string text = render(table);
  if (!results.left_out.empty())
    text += "\nLeft out:\n";
  for (const auto& [reason, rows] : results.left_out)
    text += fmt::format("  {} rows: {}\n", rows, reason);
  return text;
}

}  // namespace stepcast
