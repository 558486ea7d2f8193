#pragma once

#include <cstdint>
#include <vector>

#include "models/collective/collective.hpp"

namespace stepcast {

/// The number of chunks k in [1, most] that minimises pipelined / k + k * startup: `pipelined` is
/// the time that shrinks with the chunks (fill and drain), `startup` what each chunk adds.
std::uint32_t best_chunk_count(Seconds pipelined, Seconds startup, std::uint32_t most);

/// The rounds in which stage s (from 0) moves chunk c in round s + c, for `chunks` chunks.
/// `stages[s]` are the messages that move one chunk; equal rounds in a row are one with a repeat.
std::vector<Round> pipelined_rounds(const std::vector<std::vector<Message>>& stages,
                                    std::uint32_t chunks);

}  // namespace stepcast
