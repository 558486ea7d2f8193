#pragma once
// What it takes a GPU to compress gradients before they are sent: selecting entries, keeping what
// was not sent (error feedback), adding up received entries, low-rank products.
//
// A pass is one read or write of every element of a tensor in device memory.

#include <cstdint>

#include "models/base/provenance.hpp"
#include "models/base/units.hpp"

namespace stepcast {

/// How the entries to send are found.
enum class Selection : std::uint8_t {
  Exact,    ///< Sorted top-k: s x log2 x.
  Search,   ///< MSTopK: binary search of a threshold, a counting pass for each round.
  Sampled,  ///< DGC: exact top-k of a sample gives the threshold.
  Fitted,   ///< SIDCo: threshold from a distribution fitted in O(x).
  Reused,   ///< A known threshold; only the entries above it are picked.
  Free,     ///< Costs nothing: for bounds and for checks of communication alone.
};

/// Costs on one type of GPU.
struct CompressionCosts {
  Seconds exact{};             ///< s of s x log2 x.
  double search_rounds = 0;    ///< Selection::Search: counting passes.
  double sample = 0;           ///< Selection::Sampled: part of the elements that is sorted.
  double fit_passes = 0;       ///< Selection::Fitted: moments of the fitted distribution.
  double pick_passes = 0;      ///< Compare with the threshold and compact what is above it.
  double feedback_passes = 0;  ///< Add the residual before, keep what is not sent after.
  Bytes scatter_traffic{};     ///< Memory traffic of adding one received entry to its place.
  double low_rank_passes = 0;  ///< Over the matrix in one power iteration with error feedback.
  Seconds launch{};            ///< Of every kernel.
  BytesPerSecond memory_bandwidth{};
  Provenance provenance;
};

/// Finds and picks the entries to send among `elements` fp32 values.
Seconds selection_time(const CompressionCosts& costs, Selection selection, double elements);

/// Error feedback of a tensor.
Seconds feedback_time(const CompressionCosts& costs, double elements);

/// Adds `entries` received (index, value) pairs to a dense array of `elements` that is zero at
/// first.
Seconds scatter_add_time(const CompressionCosts& costs, double entries, double elements);

/// Merges two selections of `entries` each and selects as many again, exactly (gTop-k).
Seconds merge_time(const CompressionCosts& costs, double entries);

/// A part of what low-rank compression (PowerSGD) does with matrices of `elements` together:
/// products with a skinny matrix, orthogonalisation and reconstruction, bound by the passes over
/// the matrices, in so many kernels.
Seconds low_rank_time(const CompressionCosts& costs, double elements, double kernels,
                      double passes_part);

/// Distinct entries of n selections of density rho each: 1 - (1 - rho)^n for independent ones, rho
/// where all select the same. `clustering` from 0 (independent) to 1 (the same) interpolates.
double union_density(double rho, std::uint32_t selections, double clustering);

}  // namespace stepcast
