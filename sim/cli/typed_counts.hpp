#pragma once
// Epochs and iterations as a user types them: `--epochs horovod=90,spd-kfac=55 --samples 1281167`.

#include <cstdint>
#include <optional>

#include "sim/cli/command_option.hpp"
#include "traces/formats/stepcast/goal_reader.hpp"

namespace stepcast {

struct TypedCounts {
  CommaList epochs;      ///< Each "way=number".
  CommaList iterations;  ///< The same.
  std::optional<std::uint32_t> samples;

  bool empty() const { return epochs.items.empty() && iterations.items.empty(); }
};

/// A goal of these counts alone, each way being a schedule. Throws InputError for a count that is
/// no number above 0, a way named twice, and epochs without samples or samples without epochs.
Goal goal_of(const TypedCounts& counts);

/// `goal` with these counts in place of its own. A way is named by its label, in any case, or by
/// its schedule where only one way has that. Throws InputError as goal_of() does, and for a way
/// that the goal has not.
Goal with_counts(Goal goal, const TypedCounts& counts);

}  // namespace stepcast
