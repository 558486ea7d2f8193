#include "sim/engine/folding/folding_use.hpp"

#include <fmt/format.h>

namespace stepcast {

FoldingUse& folding_use() {
  static FoldingUse use;
  return use;
}

std::string in_words(const FoldingUse& use) {
  std::string words =
      fmt::format("flows were folded in {} of {} simulations", use.folded, use.simulations);
  if (use.refuted > 0)
    words += fmt::format("; {} began again, as ranks assumed to be alike were not", use.refuted);
  if (use.met > 0)
    words += fmt::format("; SimGrid moved {} flows as {}, of which {} were taken apart", use.met,
                         use.moved, use.parted);
  return words;
}

}  // namespace stepcast
