#include "traces/job/spans/ring_chunks.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/statistics.hpp"
#include "traces/formats/chrome_json/chrome_events.hpp"
#include "traces/job/spans/spans.hpp"

namespace stepcast {

namespace {

constexpr std::uint32_t kMostChannels = 125;

std::optional<std::uint32_t> number_in(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" ,");
  std::uint32_t number = 0;
  if (first == std::string_view::npos ||
      std::from_chars(text.data() + first, text.data() + text.size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

class ChunkSink final : public ChromeSink {
 public:
  ChunkSink(RingRecord& record, ImportReport& report) : record_(record), report_(report) {}

  void event(const ChromeEvent& event) override {
    ++number_;
    if (event.phase != 'X')
      return;
    const std::size_t dot = event.name.rfind('.');
    const std::string way = dot == std::string::npos ? "" : event.name.substr(dot + 1);
    const auto channel = event.number("channelId");
    const auto step = event.number("chunkId");
    constexpr double kMostSteps = 1e6;
    if ((way != "SEND" && way != "RECV") || !channel || !step || !event.start ||
        !(event.duration >= Seconds{}) || !(*channel >= 0 && *channel < kMostChannels) ||
        !(*step >= 0 && *step < kMostSteps)) {
      report_.skip("event that is no chunk of an all-reduce", fmt::format("event {}", number_));
      return;
    }
    chunks_.push_back({event.name.substr(0, dot),
                       {.sends = way == "SEND",
                        .channel = static_cast<std::uint32_t>(*channel),
                        .step = static_cast<std::uint32_t>(*step),
                        .piece = fmt::format("{:.0f}.{:.0f}", event.number("loopId").value_or(0),
                                             event.number("sliceId").value_or(0)),
                        .begin = *event.start,
                        .end = *event.start + *event.duration}});
  }

  /// "3[3000] -> 0[2000] [receive] via NET/Socket/0, 0[2000] -> 1[3000] via ..".
  void property(const std::string& path, const ChromeArgument& value) override {
    constexpr std::string_view kRings = "RealRing/";
    if (!path.starts_with(kRings))
      return;
    const auto channel = number_in(std::string_view(path).substr(kRings.size()));
    const std::string_view text = value.text;
    for (std::size_t arrow = text.find("->"); channel && arrow != std::string_view::npos;
         arrow = text.find("->", arrow + 2)) {
      const std::size_t comma = text.rfind(',', arrow);
      const auto from = number_in(text.substr(comma == std::string_view::npos ? 0 : comma + 1));
      const auto to = number_in(text.substr(arrow + 2));
      if (from && to)
        record_.next[*channel][*from] = *to;
    }
  }

  /// The n-th event of one name and place is of the n-th all-reduce of that name.
  RankChunks all_reduces() {
    std::ranges::stable_sort(chunks_, {}, [](const Named& named) { return named.chunk.begin; });
    std::map<std::string, std::uint32_t> counts;
    std::map<std::pair<std::string, std::uint32_t>, std::size_t> places;
    RankChunks all;
    for (Named& named : chunks_) {
      const RingChunk& chunk = named.chunk;
      const std::uint32_t count = counts[fmt::format("{} {} {} {} {}", named.name, chunk.sends,
                                                     chunk.channel, chunk.step, chunk.piece)]++;
      const auto [found, is_new] = places.emplace(std::pair(named.name, count), all.size());
      if (is_new)
        all.emplace_back();
      all[found->second].push_back(std::move(named.chunk));
    }
    return all;
  }

 private:
  struct Named {
    std::string name;
    RingChunk chunk;
  };

  RingRecord& record_;
  ImportReport& report_;
  std::uint64_t number_ = 0;
  std::vector<Named> chunks_;
};

/// Rings that no file tells go by number.
void complete_rings(RingRecord& record, const std::string& origin, ImportReport& report) {
  for (const auto& [rank, all] : record.ranks)
    for (const auto& chunks : all)
      for (const RingChunk& chunk : chunks) {
        auto& ring = record.next[chunk.channel];
        if (ring.contains(rank))
          continue;
        const auto behind = record.ranks.upper_bound(rank);
        ring[rank] = behind == record.ranks.end() ? record.ranks.begin()->first : behind->first;
        report.doubt("ring that no file tells, taken in order of the ranks", origin);
      }
}

}  // namespace

bool is_chunk_trace(std::string_view head) {
  return head.find("\"chunkId\"") != std::string_view::npos ||
         (head.find("\"RealRing\"") != std::string_view::npos);
}

RingRecord read_ring_chunks(const std::vector<TraceStream>& files, ImportReport& report) {
  RingRecord record;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::uint32_t rank = rank_of_file(files[i], i);
    ChunkSink sink(record, report);
    const auto source = files[i].open();
    read_chrome_json(*source, files[i].origin, sink, {});
    if (!record.ranks.emplace(rank, sink.all_reduces()).second)
      throw InputError(fmt::format("{}: expected another rank than those before, found {} again",
                                   files[i].origin, rank));
  }
  if (!files.empty())
    complete_rings(record, files.front().origin, report);
  return record;
}

// From a rank on around the ring of the first channel, as far as there are files.

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
