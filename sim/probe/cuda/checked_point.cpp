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

KernelPoint checked_point(const KernelShape& shape, const Sample& sample, const CudaStream& stream,
                          const Memory& output, std::span<const std::uint64_t> places,
                          const std::function<double(std::uint64_t)>& expected) {
  std::vector<double> values;
  for (const std::uint64_t place : places)
    values.push_back(expected(place));
  return checked_point(shape, sample,
                       largest_error(values, fetch(stream, output.as<float>(), places)));
}

}  // namespace stepcast
