#pragma once

#include <cstdint>
#include <string>

namespace stepcast {

/// How often simulations of this process at `flow` moved fewer flows than all ranks have.
struct FoldingUse {
  std::uint32_t simulations = 0;  ///< That were to fold.
  std::uint32_t folded = 0;       ///< Moved those of one node, GPU or role.
  std::uint32_t refuted = 0;      ///< Began again: ranks assumed to be alike were not.
};

/// Of this process so far; those of its workers are theirs.
FoldingUse& folding_use();

std::string in_words(const FoldingUse& use);

}  // namespace stepcast
