#include "traces/job/pipeline_links.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

namespace stepcast {
namespace {

constexpr Seconds kOverlap{1e-3};  // So much may what waits begin early: clocks of events differ.

using Places = std::vector<std::uint32_t>;

/// What two operations of one meeting share: group, sequence and the like. The first number says
/// of what kind the key is.
using Key = std::array<std::int64_t, 5>;

class Linker {
 public:
  Linker(UnlinkedStep& unlinked, const Job& job, const std::vector<OperationType>& types)
      : step_(unlinked.step), types_of_(unlinked.types), job_(job), types_(types) {
    last_chunk_ = job.stages - 1;  // which may not be recorded
    for (const JobOperation& done : step_.operations)
      last_chunk_ = std::max<std::uint32_t>(last_chunk_, done.chunk);
  }

  Unlinked run() {
    for (std::uint32_t first = 0; first < step_.operations.size();) {
      const std::uint32_t rank = step_.operations[first].rank;
      std::uint32_t end = first;
      while (end < step_.operations.size() && step_.operations[end].rank == rank)
        ++end;
      link_rank(first, end);
      first = end;
    }
    return {.alone = meet(), .without_passes = without_passes_};
  }

 private:
  const JobOperation& at(std::uint32_t place) const { return step_.operations[place]; }
  const OperationType& type(std::uint32_t place) const { return types_[types_of_[place]]; }

  void link_rank(std::uint32_t first, std::uint32_t end);
  void link_streams(std::uint32_t first, std::uint32_t end);
  void link_across(std::uint32_t first, std::uint32_t end);
  bool stood_still(std::uint32_t collective, const Places& computed) const;
  void link_messages(const Places& messages, const Places& passes);
  bool passes_on(std::uint32_t pass, OperationPeers peers) const;
  void edge(std::uint32_t before, std::uint32_t after);
  void join(std::uint32_t place);
  bool has_peers(std::uint32_t place) const;
  std::size_t meet();

  JobStep& step_;
  const std::vector<std::uint16_t>& types_of_;
  const Job& job_;
  const std::vector<OperationType>& types_;
  std::uint32_t last_chunk_ = 0;
  std::size_t without_passes_ = 0;
  std::map<Key, Places> meetings_;
};

void Linker::edge(std::uint32_t before, std::uint32_t after) {
  if (before < after && at(before).end <= at(after).begin + kOverlap)
    step_.edges.emplace_back(before, after);
}

void Linker::link_rank(std::uint32_t first, std::uint32_t end) {
  link_streams(first, end);
  link_across(first, end);
  std::map<OperationPeers, Places> messages;
  for (std::uint32_t place = first; place < end; ++place) {
    if (is_message(type(place).peers))
      messages[type(place).peers].push_back(place);
    else if (type(place).peers != OperationPeers::Nobody)
      join(place);
  }
  for (auto& [peers, places] : messages) {
    std::ranges::stable_sort(places, {}, [&](std::uint32_t place) { return at(place).sequence; });
    const JobWork work = is_forward(peers) ? JobWork::Forward : JobWork::Backward;
    Places passes;
    for (std::uint32_t place = first; place < end; ++place)
      if (type(place).work == work && passes_on(place, peers))
        passes.push_back(place);
    link_messages(places, passes);
  }
}

// Streams: computation, collectives, and one of messages for each direction and end.
void Linker::link_streams(std::uint32_t first, std::uint32_t end) {
  std::map<std::pair<bool, OperationPeers>, std::uint32_t> last;
  for (std::uint32_t place = first; place < end; ++place) {
    const bool transfers = type(place).work == JobWork::Transfer;
    const bool message = is_message(type(place).peers);
    const std::pair stream(transfers, message ? type(place).peers : OperationPeers::Nobody);
    step_.operations[place].stream =
        static_cast<std::uint8_t>(transfers ? 1 + static_cast<int>(stream.second) : 0);
    if (const auto found = last.find(stream); found != last.end())
      edge(found->second, place);
    last[stream] = place;
  }
}

/// Whether the rank computed nothing during a collective of unknown name: what it computed next
/// waited for it then. Of known ones it is known which passes do.
bool Linker::stood_still(std::uint32_t collective, const Places& computed) const {
  return !type(collective).known &&
         (computed.empty() || at(computed.back()).end <= at(collective).begin + kOverlap);
}

void Linker::link_across(std::uint32_t first, std::uint32_t end) {
  Places computed;
  Places collectives;
  const auto last_over = [&](const Places& places, std::uint32_t place) {
    const auto found = std::find_if(places.rbegin(), places.rend(), [&](std::uint32_t other) {
      return at(other).end <= at(place).begin + kOverlap;
    });
    return found == places.rend() ? std::optional<std::uint32_t>() : *found;
  };
  for (std::uint32_t place = first; place < end; ++place) {
    const OperationType& own = type(place);
    if (own.work == JobWork::Transfer && !is_message(own.peers)) {
      if (const auto before = last_over(computed, place))
        edge(*before, place);
      collectives.push_back(place);
    } else if (own.work != JobWork::Transfer) {
      const auto before = last_over(collectives, place);
      if (before && (own.work == JobWork::Compute || stood_still(*before, computed)))
        edge(*before, place);
      if (own.work == JobWork::Forward)
        for (const std::uint32_t gather : collectives)
          if (type(gather).gathers && at(gather).chunk == at(place).chunk / job_.stages)
            edge(gather, place);
      computed.push_back(place);
    }
  }
}

/// Whether a pass has a message of this kind: chunks in the middle of the model send both ways.
bool Linker::passes_on(std::uint32_t pass, OperationPeers peers) const {
  switch (peers) {
    case OperationPeers::NextSend:
    case OperationPeers::NextReceive:
      return at(pass).chunk < last_chunk_;
    case OperationPeers::PreviousSend:
    case OperationPeers::PreviousReceive:
      return at(pass).chunk > 0;
    case OperationPeers::Nobody:
    case OperationPeers::DataGroup:
    case OperationPeers::Group:
    case OperationPeers::OuterStages:
    case OperationPeers::World:
      return false;
  }
  return false;
}

void Linker::link_messages(const Places& messages, const Places& passes) {
  std::map<std::uint32_t, std::uint32_t> pass_with;
  for (const std::uint32_t pass : passes)
    pass_with.emplace(at(pass).sequence, pass);
  const auto same_sequence = [&](std::uint32_t message) -> std::optional<std::uint32_t> {
    const auto found = pass_with.find(at(message).sequence);
    return found != pass_with.end() ? std::optional(found->second) : std::nullopt;
  };
  // With as many lost on either side all in between would be shifted.
  const auto told = std::ranges::count_if(
      messages, [&](std::uint32_t message) { return same_sequence(message).has_value(); });
  const bool by_sequence =
      last_chunk_ < job_.stages && 2 * static_cast<std::size_t>(told) > messages.size();
  const auto pass_of = [&](std::size_t i) -> std::optional<std::uint32_t> {
    if (by_sequence)
      return same_sequence(messages[i]);
    return messages.size() == passes.size() ? std::optional(passes[i]) : std::nullopt;
  };
  std::size_t passed = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const OperationPeers peers = type(messages[i]).peers;
    const JobRank& rank = job_.ranks[at(messages[i]).rank];
    std::int64_t sender = rank.stage;
    std::int64_t which = at(messages[i]).sequence;
    if (const auto pass = pass_of(i)) {
      ++passed;
      sends(peers) ? edge(*pass, messages[i]) : edge(messages[i], *pass);
      sender = at(*pass).chunk;
      which = at(*pass).micro_batch >= 0 ? at(*pass).micro_batch : at(*pass).sequence;
    }
    if (!sends(peers))
      sender += is_forward(peers) ? -1 : 1;
    meetings_[{1, is_forward(peers) ? 1 : 0, rank.data, sender, which}].push_back(messages[i]);
  }
  if (passed == 0)
    without_passes_ += messages.size();
}

void Linker::join(std::uint32_t place) {
  const JobRank& rank = job_.ranks[at(place).rank];
  const OperationPeers peers = type(place).peers;
  const std::int64_t group = peers == OperationPeers::DataGroup     ? rank.stage
                             : peers == OperationPeers::OuterStages ? rank.data
                             : peers == OperationPeers::Group ? type(place).groups[at(place).rank]
                                                              : 0;
  const auto number = static_cast<std::int64_t>(types_of_[place]);
  // A collective of a chunk is told by the chunk too, as sequences count from it.
  meetings_[{2 + number, at(place).chunk, group, at(place).sequence, 0}].push_back(place);
}

/// Whether the job has another rank that has to be there, recorded or not.
bool Linker::has_peers(std::uint32_t place) const {
  switch (type(place).peers) {
    case OperationPeers::Nobody:
      return false;
    case OperationPeers::DataGroup:
      return job_.places > job_.stages || job_.has_more;
    case OperationPeers::Group:
      return true;
    case OperationPeers::OuterStages:
      return job_.stages > 1;
    case OperationPeers::World:
      return job_.places > 1 || job_.has_more;
    case OperationPeers::NextSend:
    case OperationPeers::NextReceive:
    case OperationPeers::PreviousSend:
    case OperationPeers::PreviousReceive:
      return true;
  }
  return false;
}

std::size_t Linker::meet() {
  std::size_t alone = 0;
  for (auto& [key, members] : meetings_) {
    const bool message = key.front() == 1;
    std::ranges::sort(members);
    const auto same = [&](std::uint32_t a, std::uint32_t b) { return at(a).rank == at(b).rank; };
    const bool twice = std::ranges::adjacent_find(members, same) != members.end();
    if (members.size() < 2 || twice || (message && members.size() != 2)) {
      for (const std::uint32_t member : members)
        if (has_peers(member)) {
          step_.operations[member].alone = true;
          ++alone;
        }
      continue;
    }
    if (message && !sends(type(members.front()).peers))
      std::swap(members[0], members[1]);
    const auto number = static_cast<std::uint32_t>(step_.meetings.size());
    for (const std::uint32_t member : members)
      step_.operations[member].meeting = number;
    step_.meetings.push_back({.members = std::move(members), .message = message});
  }
  return alone;
}

}  // namespace

Unlinked link_pipeline(UnlinkedStep& unlinked, const Job& job,
                       const std::vector<OperationType>& types) {
  return Linker(unlinked, job, types).run();
}

}  // namespace stepcast
