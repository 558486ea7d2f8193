#include <string>

#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/experiments/exported_plan.hpp"

namespace stepcast::fuzz {

bool accepts_plan(std::string_view text) {
  return accepts([&] {
    const ExportedPlan exported = parse_exported_plan(text, "input");
    require(exported.plan.graph.size() > 0, "a plan has a task");
    require(exported.iteration_time.value > 0, "an iteration takes a time");
    require(exported.forecasts.size() == exported.plan.collectives.size(),
            "every collective has a forecast");
    for (const auto& [before, after] : exported.plan.next)
      require(before < exported.plan.graph.size() && after < exported.plan.graph.size(),
              "an edge joins tasks");
    const std::string written = to_json_text(exported);
    require(to_json_text(parse_exported_plan(written, "written")) == written,
            "what is written is read back");
  });
}

}  // namespace stepcast::fuzz
