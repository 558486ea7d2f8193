#include "sim/probe/cuda/kernels.hpp"
#include "sim/probe/cuda/probes.hpp"
#include "sim/probe/cuda/selection_kernels.hpp"
#include "sim/probe/random_values.hpp"
#include "sim/probe/reference.hpp"
#include "sim/probe/triangle.hpp"
#include "sim/probe/work.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kElementsChecked = 64;
constexpr float kFactor = 0.5F;
// One per cent of values that are uniform between -1 and 1.
constexpr float kThreshold = 0.99F;

Memory random_input(std::uint64_t elements, std::uint64_t seed, const CudaStream& stream) {
  Memory memory(elements * sizeof(float));
  fill_random(memory.as<float>(), elements, seed, stream.get());
  return memory;
}

/// Times a selection; `error_of` checks the places and values that it found.
template <class Select, class ErrorOf>
KernelPoint measure_selector(const KernelShape& shape, const Effort& effort, std::uint64_t capacity,
                             Select select, ErrorOf error_of) {
  const CudaStream stream;
  const Memory data = random_input(shape.size, kSeedA, stream);
  Selector selector(capacity);
  const Sample sample =
      measure(timed_on(stream, [&] { select(selector, data.as<float>(), stream.get()); }), effort);
  std::vector<std::uint32_t> places;
  std::vector<float> values;
  selector.fetch(stream, places, values);
  return checked_point(shape, sample, error_of(places, values));
}

KernelPoint measure_top_k(const KernelShape& shape, const Effort& effort) {
  const std::uint64_t kept = kept_of(shape.size);
  return measure_selector(
      shape, effort, kept,
      [&](Selector& selector, const float* data, cudaStream_t stream) {
        selector.top_k(data, shape.size, kept, stream);
      },
      [&](const auto& places, const auto& values) {
        return places.size() == kept ? top_k_error(shape.size, places, values) : 1.0;
      });
}

KernelPoint measure_threshold(const KernelShape& shape, const Effort& effort) {
  return measure_selector(
      shape, effort, 2 * kept_of(shape.size) + 64,
      [&](Selector& selector, const float* data, cudaStream_t stream) {
        selector.above(data, shape.size, kThreshold, stream);
      },
      [&](const auto& places, const auto& values) {
        return threshold_error(shape.size, kThreshold, places, values);
      });
}

double random_at(std::uint64_t seed, std::uint64_t place) {
  return static_cast<double>(random_value(seed, place));
}

KernelPoint measure_scatter_add(const KernelShape& shape, const Effort& effort) {
  const CudaStream stream;
  const std::uint64_t count = kept_of(shape.size);
  const std::uint64_t stretch = shape.size / count;
  const Memory dense = random_input(shape.size, kSeedA, stream);
  const Memory values = random_input(count, kSeedB, stream);
  const Memory places(count * sizeof(std::uint32_t));
  fill_places(places.as<std::uint32_t>(), count, stretch, stream.get());
  const auto once = [&] {
    scatter_add(dense.as<float>(), places.as<std::uint32_t>(), values.as<float>(), count,
                stream.get());
  };
  const Sample sample = measure(timed_on(stream, once), effort);
  fill_random(dense.as<float>(), shape.size, kSeedA, stream.get());
  once();
  std::vector<std::uint64_t> checked;
  for (const std::uint64_t i : spread_places(count, kElementsChecked))
    checked.push_back(scatter_place(i, stretch));
  // The i-th value lies in the i-th stretch.
  return checked_point(shape, sample, stream, dense, checked, [&](std::uint64_t place) {
    return random_at(kSeedA, place) + random_at(kSeedB, place / stretch);
  });
}

KernelPoint measure_packing(const KernelShape& shape, const Effort& effort) {
  const CudaStream stream;
  const std::uint64_t side = side_of_packed(shape.size);
  const Memory matrix = random_input(side * side, kSeedA, stream);
  const Memory packed(shape.size * sizeof(float));
  const auto once = [&] {
    pack_triangle(packed.as<float>(), matrix.as<float>(), side, stream.get());
  };
  const Sample sample = measure(timed_on(stream, once), effort);
  return checked_point(shape, sample, stream, packed,
                       spread_places(packed_place(0, side), kElementsChecked),
                       [&](std::uint64_t place) {
                         const auto [row, column] = triangle_place(place);
                         return random_at(kSeedA, column * side + row);
                       });
}

KernelPoint measure_elementwise(const KernelShape& shape, const Effort& effort) {
  const CudaStream stream;
  const Memory x = random_input(shape.size, kSeedA, stream);
  const Memory y = random_input(shape.size, kSeedB, stream);
  const auto once = [&] {
    add_scaled(y.as<float>(), x.as<float>(), kFactor, shape.size, stream.get());
  };
  const Sample sample = measure(timed_on(stream, once), effort);
  fill_random(y.as<float>(), shape.size, kSeedB, stream.get());
  once();
  return checked_point(shape, sample, stream, y, spread_places(shape.size, kElementsChecked),
                       [](std::uint64_t place) {
                         return random_at(kSeedB, place) +
                                static_cast<double>(kFactor) * random_at(kSeedA, place);
                       });
}

KernelPoint measure_launch(const KernelShape& shape, const Effort& effort) {
  const CudaStream stream;
  const Sample sample = measure(timed_on(
                                    stream, [&] { launch_nothing(stream.get()); }, Pace::Host),
                                effort);
  return checked_point(shape, sample, std::nullopt);
}

}  // namespace

KernelPoint measure_selection(const KernelShape& shape, const Effort& effort) {
  switch (shape.family) {
    case KernelFamily::TopK:
      return measure_top_k(shape, effort);
    case KernelFamily::ThresholdTopK:
      return measure_threshold(shape, effort);
    case KernelFamily::ScatterAdd:
      return measure_scatter_add(shape, effort);
    case KernelFamily::Packing:
      return measure_packing(shape, effort);
    case KernelFamily::Elementwise:
      return measure_elementwise(shape, effort);
    default:
      return measure_launch(shape, effort);
  }
}

}  // namespace stepcast
