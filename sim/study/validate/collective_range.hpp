#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/forecast/collective_run.hpp"
#include "sim/forecast/likely_range.hpp"

namespace stepcast {

/// A measured collective, and how far off it was told.
struct CollectiveError {
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::uint32_t ranks = 2;
  Bytes size{};
  double error = 0;  ///< Told over measured, less 1.
};

/// What a range is taken from.
struct ErrorSource {
  std::vector<CollectiveError> errors;
  std::string of;  ///< "rank counts left out of v100-32x4-edr-nccl"
  bool other_machine = false;
};

/// Where measured collectives on a cluster, or on part of it, are likely to lie: by errors of their
/// kind at sizes like theirs (below 64 KiB, to 1 MiB, above), of all kinds at such sizes where
/// there are fewer than five, else by all.
///
/// For a time from measured curves the errors are those of each rank count that was left out of the
/// cluster's curves. For a closed form they are those of the closed forms on the shipped clusters
/// whose collectives were measured; as their links were described with these measurements in sight,
/// the range is wider by a half on another machine than theirs, as it is for curves that cannot be
/// checked by leaving one out. It is wider by a quarter for each doubling of the GPUs beyond those
/// that were measured. Errors and what widens them are logarithms of factors, so that a range is as
/// far below a time as above. Nothing is known where no such file ships.
class CollectiveRanges {
 public:
  explicit CollectiveRanges(const Cluster& cluster) : cluster_(cluster) {}

  LikelyStep of(const CollectiveRun& run);

 private:
  const ErrorSource& source_of(const CollectiveRun& run);

  const Cluster& cluster_;
  std::optional<ErrorSource> curves_;
  std::optional<ErrorSource> closed_forms_;
};

}  // namespace stepcast
