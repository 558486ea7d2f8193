#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "models/network/collective_kind.hpp"

namespace stepcast {

/// A bandwidth as it was printed, and half a unit of its last digit.
struct PrintedBandwidth {
  double value = 0;
  double rounding = 0;
};

/// None for anything that is no number.
std::optional<PrintedBandwidth> find_bandwidth(std::string_view word);

/// How many ranks the rows of a log can be of. nccl-tests prints as bus bandwidth the algorithm
/// bandwidth times a factor of kind and ranks alone: 2 (n - 1) / n for an all-reduce, (n - 1) / n
/// for a reduce-scatter, all-gather and all-to-all, 1 where there is a root. Each row bounds it as
/// far as its digits go.
class RankRange {
 public:
  /// False, and nothing taken, if the row is of another factor than those before.
  bool add(const PrintedBandwidth& algorithm, const PrintedBandwidth& bus);

  /// Whether a run of `kind` on `ranks` ranks prints this; with 0 ranks on any number from 2.
  bool allows(CollectiveKind kind, std::uint32_t ranks) const;

  /// The one number of ranks that `kind` allows; none if several do, or none.
  std::optional<std::uint32_t> ranks_of(CollectiveKind kind) const;

  /// "1.75"; for messages.
  std::string text() const;

 private:
  struct Bounds {
    std::uint32_t fewest = 2;
    std::uint32_t most = 0;
  };
  Bounds bounds_of(CollectiveKind kind) const;

  double least_ = 0;
  double most_ = std::numeric_limits<double>::infinity();
};

}  // namespace stepcast
