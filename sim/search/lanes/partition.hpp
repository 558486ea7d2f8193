#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph/edit/graph_edit.hpp"

namespace stepcast {

/// A communication of a tensor that may be cut: a push, or the pull behind it.
struct TensorHop {
  const WorkNode* node = nullptr;
  const std::string* kind = nullptr;
  Seconds taken{};
};

/// What a tensor takes over hops, each of which passes pieces on while the next ones come in: all
/// of one piece, and the slowest hop's of the others.
Seconds time_in_pieces(const std::vector<TensorHop>& hops, std::uint32_t parts,
                       const TransferRatio& ratio);

/// In how many pieces that is least: k* = sqrt((hops - 1) m slope / intercept), of the slowest
/// hop's line over sizes (of two hops: Hu et al., dPRO, MLSys'22), from 2 to 4,096. Where no
/// start-up is known any number pays: then 16.
std::uint32_t best_parts(const std::vector<TensorHop>& hops, const TransferRatio& ratio);

}  // namespace stepcast
