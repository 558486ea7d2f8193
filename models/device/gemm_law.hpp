#pragma once

#include <span>
#include <vector>

#include "models/device/kernel_point.hpp"

namespace stepcast {

/// How a library multiplies matrices on a GPU, in ten numbers.
///
/// C is cut into tiles, a block of threads for each; so many blocks run at once, and the last wave
/// of them runs however few are left. A tile of m x n reads m + n elements for m n multiplications,
/// so larger tiles come closer to the peak. A product with few tiles and a long sum is cut along
/// the sum too (split-k), and its parts are added up by another pass over C. Beside this the
/// operands must come from memory (the roofline of Williams et al., 2009). The library is taken to
/// choose the best of a few tiles and splits; see NVIDIA's guide to matrix multiplication for tile
/// and wave quantisation.
struct GemmLaw {
  Seconds launch{};            ///< Of any product.
  FlopsPerSecond peak{};       ///< Of tiles without end, all blocks busy.
  BytesPerSecond bandwidth{};  ///< Of the memory.
  double slots = 128;          ///< Blocks that run at once; at least 1.
  double tile_overhead = 64;   ///< Side of a square tile that reaches a third of the peak.
  Seconds block{};             ///< Of a block before and after its sum.
  Seconds split{};             ///< Of adding up the parts of a split sum.
  double least_part = 64;      ///< Terms that a part of a split sum has at least.
  double misaligned = 1;       ///< Part of the peak that is_aligned() being false leaves.
  double quantisation = 0.5;   ///< 0: a part of a wave takes its part of the time; 1: all of it.
};

/// Whether every column of A, B and C begins at 16 bytes, as tensor cores (tf32, bf16) want it;
/// true where it does not matter.
bool is_aligned(const KernelShape& shape);

/// Time of a product.
Seconds gemm_time(const GemmLaw& law, const KernelShape& shape);

/// Laws whose times are close to measured ones: each by a search of its own for the least mean of
/// |log(time / measured)|, so that a few odd points do not decide. They differ where the points
/// leave open how the library works. At least one point, all of one family.
std::vector<GemmLaw> fit_gemm_laws(std::span<const KernelPoint> points);

}  // namespace stepcast
