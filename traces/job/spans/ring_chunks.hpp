#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "traces/formats/reader.hpp"

namespace stepcast {

/// A chunk that a rank sent or received in a step of a ring all-reduce.
struct RingChunk {
  bool sends = false;
  std::uint32_t channel = 0;
  std::uint32_t step = 0;  ///< 0 to 2 (N - 1) - 1.
  std::string piece;       ///< Which loop and slice of the channel.
  Seconds begin{};
  Seconds end{};
};

/// The all-reduces of a rank in order, each as its chunks in order.
using RankChunks = std::vector<std::vector<RingChunk>>;

/// Of all ranks, and who comes behind whom in the ring of a channel.
struct RingRecord {
  std::map<std::uint32_t, RankChunks> ranks;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> next;  ///< By channel and rank.
};

/// Whether the text begins as a file of such chunks does.
bool is_chunk_trace(std::string_view head);

/// What dPRO's NCCL records (Hu et al., MLSys'22): a comm_detail.json for each rank, whose events
/// "horovod_allreduce.12+13.SEND" and ".RECV" have loopId, channelId, chunkId (the step) and
/// sliceId, and beside them the rings, "RealRing": {"0": "3[..] -> 0[..] [receive] via ..,
/// 0[..] -> 1[..] via .."}. Where no file tells them the ranks' numbers are the ring, which is
/// doubted. Files are of ranks 0, 1, .. in order, or of the number of their folder. Throws
/// InputError.
RingRecord read_ring_chunks(const std::vector<TraceStream>& files, ImportReport& report);

/// Puts all chunks on the clock of a timeline in which the all-reduces end so: a send and its
/// receive end together, and so does the ring's last receive with the all-reduce. By rank, by how
/// much its times were moved back.
std::vector<Seconds> put_on_clock(RingRecord& record, const std::vector<Seconds>& ends);

/// Precondition: not empty.
inline Seconds last_end(const std::vector<RingChunk>& chunks) {
  return std::ranges::max(chunks, {}, &RingChunk::end).end;
}

}  // namespace stepcast
