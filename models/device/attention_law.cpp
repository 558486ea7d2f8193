#include "models/device/attention_law.hpp"

#include <algorithm>
#include <cmath>

namespace stepcast {
namespace {

// What a pass does for each pair of a query and a key, in products of a number.
struct PairWork {
  double scores = 0;   // Products over the score's numbers,
  double values = 0;   // and over the value's.
  double traffic = 0;  // Times that queries, keys, values and outputs cross the memory's bus.
};
// Scores and their weighted values; backward: scores again, gradients of values and of
// probabilities, and of queries and keys.
constexpr PairWork kForward{1, 1, 1};
constexpr PairWork kBackward{3, 2, 2.5};

// The kernels are compiled for these sizes of a head.
double padded(double size) {
  for (const double compiled : {32.0, 64.0, 96.0, 128.0, 192.0, 256.0})
    if (size <= compiled)
      return compiled;
  return std::ceil(size / 64) * 64;
}

Seconds memory_time(const AttentionLaw& law, const AttentionShape& shape, const PairWork& work) {
  if (law.bandwidth == BytesPerSecond{})
    return {};
  const double width = shape.score_size + shape.value_size;
  const double numbers = width * (shape.heads * shape.queries + shape.kv_heads * shape.keys);
  return Bytes{2 * numbers * work.traffic} / law.bandwidth;
}

Seconds pass_time(const AttentionLaw& law, const AttentionPass& pass, const AttentionShape& shape,
                  const PairWork& work) {
  const double numbers = work.scores * padded(shape.score_size) +
                         work.values * padded(shape.value_size) +
                         (work.scores + work.values) * pass.softmax;
  const Seconds row = Flops{2 * numbers * law.rows} / FlopsPerSecond{pass.peak.value / law.slots};
  const double tiles = shape.heads * std::ceil(shape.queries / law.rows);
  const Seconds longest = pass.block + row * shape.keys;
  const auto compute = [&] {
    if (shape.causal) {
      const double seen = std::min(shape.keys, (shape.keys + law.rows) / 2);
      return std::max(longest, (pass.block + row * seen) * (tiles / law.slots));
    }
    const double part = tiles / law.slots;
    return longest *
           (law.quantisation * std::ceil(part) + (1 - law.quantisation) * std::max(1.0, part));
  };
  return pass.launch + std::max(compute(), memory_time(law, shape, work));
}

}  // namespace

Flops attention_flops(const AttentionShape& shape) {
  const double pairs = shape.heads * shape.queries * shape.keys * (shape.causal ? 0.5 : 1);
  return {2 * pairs * (shape.score_size + shape.value_size)};
}

Seconds attention_forward_time(const AttentionLaw& law, const AttentionShape& shape) {
  return pass_time(law, law.forward, shape, kForward);
}

Seconds attention_backward_time(const AttentionLaw& law, const AttentionShape& shape) {
  return pass_time(law, law.backward, shape, kBackward);
}

}  // namespace stepcast
