#include <limits>
#include <optional>
#include <tuple>

#include "models/base/statistics.hpp"
#include "traces/job/spans/ring_chunks.hpp"

// From a rank on around the ring of the first channel, as far as there are files.

namespace stepcast {
namespace {

using ChunkPlace = std::tuple<std::uint32_t, std::string>;  // Step and piece.

std::map<ChunkPlace, Seconds> ends_of(const std::vector<RingChunk>& chunks, bool sends,
                                      std::uint32_t channel) {
  std::map<ChunkPlace, Seconds> ends;
  for (const RingChunk& chunk : chunks)
    if (chunk.sends == sends && chunk.channel == channel)
      ends[{chunk.step, chunk.piece}] = chunk.end;
  return ends;
}

/// How much later receives end than their sends; none: they have no chunk in common.
std::optional<double> ahead_of(const RankChunks& sender, const RankChunks& receiver,
                               std::uint32_t channel) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(sender.size(), receiver.size()); ++i) {
    const auto sent = ends_of(sender[i], true, channel);
    for (const auto& [place, end] : ends_of(receiver[i], false, channel))
      if (const auto found = sent.find(place); found != sent.end())
        differences.push_back((end - found->second).value);
  }
  return differences.empty() ? std::nullopt : std::optional(median_of(differences));
}

}  // namespace

std::vector<Seconds> put_on_clock(RingRecord& record, const std::vector<Seconds>& ends) {
  std::map<std::uint32_t, double> offsets;
  const auto add_chain = [&](std::uint32_t first) {
    std::vector<std::uint32_t> chain = {first};
    offsets[first] = 0;
    const auto& [channel, ring] = *record.next.begin();
    for (auto to = ring.find(first); to != ring.end(); to = ring.find(chain.back())) {
      const auto receiver = record.ranks.find(to->second);
      if (receiver == record.ranks.end() || offsets.contains(to->second))
        break;
      const auto ahead = ahead_of(record.ranks.at(chain.back()), receiver->second, channel);
      if (!ahead)
        break;
      offsets[to->second] = offsets[chain.back()] + *ahead;
      chain.push_back(to->second);
    }
    std::vector<double> later;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      double last = -std::numeric_limits<double>::infinity();
      for (const std::uint32_t rank : chain)
        last = std::max(last, last_end(record.ranks.at(rank)[i]).value - offsets[rank]);
      later.push_back(last - ends[i].value);
    }
    for (const std::uint32_t rank : chain)
      offsets[rank] += median_of(later);
  };
  for (const auto& [rank, all] : record.ranks)
    if (!offsets.contains(rank) && !all.empty())
      add_chain(rank);
  std::vector<Seconds> shifts;
  for (const auto& [rank, offset] : offsets) {
    shifts.resize(std::max<std::size_t>(shifts.size(), rank + 1U));
    shifts[rank] = Seconds{offset};
    for (auto& chunks : record.ranks[rank])
      for (RingChunk& chunk : chunks) {
        chunk.begin -= shifts[rank];
        chunk.end -= shifts[rank];
      }
  }
  return shifts;
}

}  // namespace stepcast
