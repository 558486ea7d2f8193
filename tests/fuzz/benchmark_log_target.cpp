#include "models/collective/curve_fit.hpp"
#include "models/collective/measured_curve.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/benchmark_log.hpp"

namespace stepcast::fuzz {

bool accepts_benchmark_log(std::string_view text) {
  return accepts([&] {
    ImportReport report;
    const BenchmarkLog log =
        parse_benchmark_log(text, "allreduce.log", {.nodes = 2, .gpus_per_node = 4}, report);
    if (!log.curve)
      return;
    require(!log.curve->points.empty(), "a curve has points");
    MeasuredCollectives measured{.curves = {*log.curve}};
    fit_curves(measured);
    const auto estimate = find_time(measured, log.curve->kind, log.curve->ranks, log.curve->nodes,
                                    log.curve->points.front().size);
    require(!estimate || estimate->time > Seconds{}, "a measured time is above zero");
  });
}

}  // namespace stepcast::fuzz
