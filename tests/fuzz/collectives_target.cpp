#include "models/collective/measured_curve.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/collectives_file.hpp"

namespace stepcast::fuzz {

bool accepts_collectives(std::string_view text) {
  return accepts([&] {
    const MeasuredCollectives measured = parse_collectives(text, "input");
    require(!measured.curves.empty(), "measured collectives have a curve");
    for (const CollectiveCurve& curve : measured.curves)
      for (const double size : {1.0, 1e6, 1e12}) {
        const auto estimate =
            find_time(measured, curve.kind, curve.ranks, curve.nodes, Bytes{size});
        require(!estimate || estimate->time > Seconds{}, "a time is above zero");
      }
  });
}

}  // namespace stepcast::fuzz
