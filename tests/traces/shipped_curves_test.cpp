// The shipped measured collectives, at sizes and ranks of which most were never measured.

#include <gtest/gtest.h>

#include "models/collective/collective.hpp"
#include "models/collective/measured_curve.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/collectives_file.hpp"

namespace stepcast {
namespace {

void expect_possible(const MeasuredCollectives& measured, const CurveFit& fit,
                     std::uint32_t nodes) {
  const std::uint32_t ranks = fit.ranks_per_node == 0 ? 2 * nodes : fit.ranks_per_node * nodes;
  const std::uint32_t on = fit.ranks_per_node == 0 ? 1 : nodes;
  Seconds before{};
  for (Bytes size{4}; size < Bytes{1e11}; size = size * 1.37) {
    const Seconds time = find_time(measured, fit.kind, ranks, on, size)->time;
    EXPECT_GE(time.value, before.value * (1 - 1e-9))
        << name_of(fit.kind) << " of " << size.value << " B on " << ranks;
    EXPECT_LE(size * bus_factor(fit.kind, ranks) / time, fit.fastest * (1 + 1e-9));
    before = time;
  }
}

TEST(ShippedCurves, HoldNothingThatNoNetworkCanDo) {
  for (const std::string& name : list_names(CatalogKind::Collectives)) {
    SCOPED_TRACE(name);
    const MeasuredCollectives measured =
        read_collectives(find_file(CatalogKind::Collectives, name));
    for (const CurveFit& fit : measured.fits)
      for (const std::uint32_t nodes : {2U, 3U, 8U, 16U, 32U, 100U})
        expect_possible(measured, fit, nodes);
  }
}

}  // namespace
}  // namespace stepcast
