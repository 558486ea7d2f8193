#pragma once

#include <cstdint>
#include <string>

namespace stepcast {

/// How often simulations of this process at `flow` moved fewer flows than all ranks have.
struct FoldingUse {
  std::uint32_t simulations = 0;  ///< That were to fold.
  std::uint32_t folded = 0;       ///< Moved those of one node, GPU or role.
  std::uint32_t refuted = 0;      ///< Began again: ranks assumed to be alike were not.

  std::uint64_t met = 0;     ///< Flows that SimGrid moved, as they met others on links.
  std::uint64_t moved = 0;   ///< As so many: alike ones as one.
  std::uint64_t parted = 0;  ///< Of these, began again: others told their links apart.
};

/// Of this process so far; those of its workers are theirs.
FoldingUse& folding_use();

std::string in_words(const FoldingUse& use);

}  // namespace stepcast
