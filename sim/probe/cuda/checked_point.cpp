#include <fmt/format.h>

#include "sim/probe/cuda/probes.hpp"
#include "sim/probe/hardware_error.hpp"
#include "sim/probe/reference.hpp"

namespace stepcast {

KernelPoint checked_point(const KernelShape& shape, const Sample& sample,
                          std::optional<double> error) {
  const double tolerance = tolerance_of(shape);
  if (error && !(*error <= tolerance))
    throw HardwareError(fmt::format(
        "{} of {}: the output is wrong (error {:.2g}, expected at most {:.2g}); nothing of this "
        "probe is kept",
        name_of(shape.family), describe(shape), *error, tolerance));
  return {.shape = shape,
          .time = sample.time,
          .spread = sample.spread,
          .samples = sample.samples,
          .check = error};
}

}  // namespace stepcast
