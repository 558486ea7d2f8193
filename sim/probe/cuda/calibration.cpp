#include <algorithm>

#include "sim/probe/cuda/replay/replay.hpp"
#include "sim/probe/cuda/replay/stand_ins.hpp"
#include "sim/probe/hardware_error.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kSmallCopy = 4096;
constexpr Effort kCalibration{.warm_ups = 20,
                              .batches = 15,
                              .batch_time = Seconds{20e-3},
                              .budget = Seconds{0.6},
                              .most_repeats = 4000};
constexpr Seconds kWarmClocks{0.5};

CopyRate copy_rate(const HostLink& link, std::size_t direction, const CudaStream& stream) {
  const auto time_of = [&](std::uint64_t bytes) {
    return measure(timed_on(stream, [&, bytes] { link.copy(bytes, direction, stream); }),
                   kCalibration)
        .time;
  };
  const Seconds small = time_of(kSmallCopy);
  const Seconds large = time_of(kLargestCopy);
  if (large <= small)
    throw HardwareError("copies between host and device take the same time at any size");
  const BytesPerSecond bandwidth =
      Bytes{static_cast<double>(kLargestCopy - kSmallCopy)} / (large - small);
  return {
      .startup = std::max(Seconds{}, small - Bytes{static_cast<double>(kSmallCopy)} / bandwidth),
      .bandwidth = bandwidth};
}

}  // namespace

ReplayCalibration calibrate_replay() {
  const CudaStream stream;
  const Products products(stream);
  const HostLink link;
  const auto product = [&](std::size_t i) {
    return timed_on(stream, [&, i] { products.multiply(i); });
  };
  ClockRaiser().run(kWarmClocks);
  ReplayCalibration calibration;
  for (std::size_t i = 0; i < Products::count(); ++i)
    calibration.products.push_back(measure(product(i), kCalibration).time);
  for (std::size_t direction = 0; direction < calibration.copies.size(); ++direction)
    calibration.copies[direction] = copy_rate(link, direction, stream);
  return calibration;
}

}  // namespace stepcast
