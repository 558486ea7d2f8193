#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "models/base/statistics.hpp"
#include "traces/job/rows/table_rows.hpp"

// Candidates for the groups of a collective are all ranks, the ranks of a stage, those of a
// data-parallel group, and blocks of neighbours or of ranks at equal distances, as layouts with
// tensor, context or expert parallelism have them; at last the ranks whose ends lie close. Of those
// whose ends agree the largest groups count, unless the ends of smaller ones agree far better.
// Messages are looked for between two types on neighbouring stages. Cost: each row of an unknown
// type once for each candidate, of which there are some 2 log2(ranks), and for each pair of unknown
// types twice.

namespace stepcast {
namespace {

constexpr double kTogether = 0.25;  // Ends this much closer than begins: one meeting.
constexpr double kApart = 0.6;      // Ends at least so far apart: each rank ends by itself.
constexpr double kResolution = 2e-6;
constexpr double kFewest = 5;  // Ranks beyond the first of their groups, over all instances.

struct Participant {
  std::uint32_t rank = 0;
  std::uint32_t group = 0;
  double begin = 0;
  double end = 0;
};

/// One execution by all ranks: the same step, sequence number and chunk.
struct Instance {
  std::int64_t step = 0;
  std::pair<std::uint32_t, std::uint16_t> key;
  std::vector<Participant> members;
};

/// Sums of squares over an instance.
struct Deviation {
  double begins = 0;
  double ends = 0;
  double count = 0;  // Members less groups.
};

/// How far begins and ends lie apart within groups, in seconds.
struct Spreads {
  double begins = 0;
  double ends = 0;
  double count = 0;

  /// Few ranks tell where ends and begins differ so much that this is no chance.
  bool tells() const {
    constexpr double kFewestOfAll = 2;
    constexpr double kSure = 0.02;
    constexpr double kSurelyNot = 4;
    const bool clear = count >= kFewestOfAll && (ratio() <= kSure || ratio() >= kSurelyNot);
    return (count >= kFewest || clear) && std::max(begins, ends) > kResolution;
  }
  /// Ends that lie apart by less than clocks resolve are the same.
  double ratio() const { return ends <= kResolution ? 0 : begins > 0 ? ends / begins : INFINITY; }
};

Deviation deviation_of(const std::vector<Participant>& members) {
  struct Sum {
    double begin = 0;
    double end = 0;
    double count = 0;
  };
  std::map<std::uint32_t, Sum> groups;
  for (const Participant& member : members) {
    Sum& sum = groups[member.group];
    sum.begin += member.begin;
    sum.end += member.end;
    ++sum.count;
  }
  Deviation found;
  for (const Participant& member : members) {
    const Sum& sum = groups[member.group];
    found.begins += std::pow(member.begin - sum.begin / sum.count, 2);
    found.ends += std::pow(member.end - sum.end / sum.count, 2);
  }
  found.count = static_cast<double>(members.size()) - static_cast<double>(groups.size());
  return found;
}

/// Without the tenth of the instances whose ends lie furthest apart: rows may be damaged.
Spreads spreads_of(std::vector<Deviation> all) {
  std::erase_if(all, [](const Deviation& each) { return each.count <= 0; });
  std::ranges::stable_sort(all, {}, [](const Deviation& each) { return each.ends / each.count; });
  all.resize(all.size() - all.size() / 10);
  Spreads spreads;
  for (const Deviation& each : all) {
    spreads.begins += each.begins;
    spreads.ends += each.ends;
    spreads.count += each.count;
  }
  if (spreads.count > 0) {
    spreads.begins = std::sqrt(spreads.begins / spreads.count);
    spreads.ends = std::sqrt(spreads.ends / spreads.count);
  }
  return spreads;
}

/// Of the members that are in both, what begins and ends moved by.
std::vector<Participant> moved(const Instance& before, const Instance& now) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, const Participant*> then;
  for (const Participant& member : before.members)
    then.emplace(std::pair(member.rank, member.group), &member);
  std::vector<Participant> members;
  for (const Participant& member : now.members)
    if (const auto same = then.find({member.rank, member.group}); same != then.end())
      members.push_back({.rank = member.rank,
                         .group = member.group,
                         .begin = member.begin - same->second->begin,
                         .end = member.end - same->second->end});
  return members;
}

/// What the times say of one division into groups.
struct Agreement {
  Spreads now;     // Of begins and ends as they are.
  Spreads change;  // Of their changes from step to step.

  double ratio() const {
    return std::min(now.tells() ? now.ratio() : INFINITY,
                    change.tells() ? change.ratio() : INFINITY);
  }
  bool tells() const { return now.tells() || change.tells(); }
  bool together() const { return ratio() < kTogether; }
  bool apart() const { return tells() && ratio() > kApart; }
};

Agreement agreement_of(const std::vector<Instance>& instances) {
  std::vector<Deviation> now;
  std::vector<Deviation> change;
  std::map<std::pair<std::uint32_t, std::uint16_t>, const Instance*> last;
  for (const Instance& instance : instances) {
    now.push_back(deviation_of(instance.members));
    const auto [found, first] = last.emplace(instance.key, &instance);
    if (!first)
      change.push_back(deviation_of(moved(*std::exchange(found->second, &instance), instance)));
  }
  return {spreads_of(std::move(now)), spreads_of(std::move(change))};
}

using Groups = std::vector<std::uint32_t>;  // By rank.

/// Rows of the unknown types, and what they say.
class TypeTeller {
 public:
  TypeTeller(const RowsByStep& rows, const std::vector<JobRank>& ranks,
             std::vector<OperationType>& types)
      : ranks_(ranks), types_(types), instances_(types.size()) {
    for (const auto& [step, of_step] : rows)
      gather(step, of_step);
  }

  void run() {
    std::vector<std::uint16_t> left;
    for (std::uint16_t type = 0; type < types_.size(); ++type)
      if (!instances_[type].empty() && !tell_collective(type))
        left.push_back(type);
    for (const std::uint16_t one : left)
      for (const std::uint16_t other : left)
        if (one < other && types_[one].work == JobWork::Compute &&
            types_[other].work == JobWork::Compute)
          tell_messages(one, other);
  }

 private:
  void gather(std::int64_t step, const std::vector<TypedOperation>& rows);
  std::vector<Groups> divisions(std::uint16_t type) const;
  Groups by_ends(const std::vector<Instance>& instances) const;
  bool tell_collective(std::uint16_t type);
  void tell_messages(std::uint16_t one, std::uint16_t other);
  std::vector<Instance> pairs_of(std::uint16_t one, std::uint16_t next) const;

  const std::vector<JobRank>& ranks_;
  std::vector<OperationType>& types_;
  std::vector<std::vector<Instance>> instances_;  // By type; of known ones none.
  bool any_at_once_ = false;                      // Messages that begin together on both stages.
};

void TypeTeller::gather(std::int64_t step, const std::vector<TypedOperation>& rows) {
  std::map<std::tuple<std::uint16_t, std::uint32_t, std::uint16_t>, Instance> found;
  for (const auto& [done, type] : rows)
    if (!types_[type].known && !is_message(types_[type].peers)) {
      Instance& instance = found[{type, done.sequence, done.chunk}];
      instance.members.push_back(
          {.rank = done.rank, .begin = done.begin.value, .end = done.end.value});
    }
  for (auto& [key, instance] : found) {
    instance.step = step;
    instance.key = {std::get<1>(key), std::get<2>(key)};
    instances_[std::get<0>(key)].push_back(std::move(instance));
  }
}

/// The largest groups first.
std::vector<Groups> TypeTeller::divisions(std::uint16_t type) const {
  std::set<std::uint32_t> there;
  for (const Instance& instance : instances_[type])
    for (const Participant& member : instance.members)
      there.insert(member.rank);
  const auto divided = [&](auto group_of) {
    Groups groups(ranks_.size());
    std::uint32_t place = 0;
    for (const std::uint32_t rank : there)
      groups[rank] = group_of(rank, place++);
    return groups;
  };
  std::vector<Groups> all{
      Groups(ranks_.size()),
      divided([&](std::uint32_t rank, std::uint32_t) { return ranks_[rank].stage; }),
      divided([&](std::uint32_t rank, std::uint32_t) { return ranks_[rank].data; })};
  const auto count = static_cast<std::uint32_t>(there.size());
  for (std::uint32_t size = count / 2; size > 1; --size)
    if (count % size == 0) {
      all.push_back(divided([&](std::uint32_t, std::uint32_t place) { return place / size; }));
      all.push_back(
          divided([&](std::uint32_t, std::uint32_t place) { return place % (count / size); }));
    }
  all.push_back(by_ends(instances_[type]));
  return all;
}

/// Joins ranks whose ends usually lie closer together than a tenth of how far all lie apart. Of
/// few instances, or for very many ranks, none: chance would join them, or it would take too long.
Groups TypeTeller::by_ends(const std::vector<Instance>& instances) const {
  constexpr double kClose = 0.1;
  constexpr std::size_t kFewestInstances = 5;
  constexpr std::size_t kMostRanks = 256;
  Groups groups(ranks_.size());
  std::iota(groups.begin(), groups.end(), 0U);
  if (instances.size() < kFewestInstances || ranks_.size() > kMostRanks)
    return groups;
  std::vector<Deviation> all;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> apart;
  for (Instance instance : instances) {
    for (Participant& member : instance.members)
      member.group = 0;
    all.push_back(deviation_of(instance.members));
    for (const Participant& one : instance.members)
      for (const Participant& other : instance.members)
        if (one.rank < other.rank)
          apart[{one.rank, other.rank}].push_back(std::abs(one.end - other.end));
  }
  const double close = std::max(kResolution, kClose * spreads_of(std::move(all)).ends);
  std::set<std::uint32_t> joined;
  for (auto& [pair, times] : apart)
    if (median_of(std::move(times)) <= close) {
      const std::uint32_t from = groups[pair.second];
      const std::uint32_t to = groups[pair.first];
      std::ranges::replace(groups, from, to);
      joined.insert({pair.first, pair.second});
    }
  if (2 * joined.size() < instances.front().members.size())
    std::iota(groups.begin(), groups.end(), 0U);  // Chance brings some ends close together.
  return groups;
}

/// The place of the division whose ends agree best; of smaller groups only where these agree far
/// better. None: of none do they.
std::optional<std::size_t> best_together(const std::vector<double>& ratios) {
  constexpr double kFarBetter = 0.25;
  std::optional<std::size_t> best;
  for (std::size_t place = 0; place < ratios.size(); ++place)
    if (ratios[place] < kTogether && (!best || ratios[place] < kFarBetter * ratios[*best]))
      best = place;
  return best;
}

/// Whether it is one, or cannot be a message any more: its name told that it is a collective.
/// Changes from step to step say less than times do, which clocks that are apart hide.
bool TypeTeller::tell_collective(std::uint16_t number) {
  OperationType& type = types_[number];
  std::vector<Instance>& instances = instances_[number];
  const std::vector<Groups> all = divisions(number);
  std::vector<double> now;
  std::vector<double> either;
  bool apart = true;
  bool tells = false;
  for (const Groups& groups : all) {
    for (Instance& instance : instances)
      for (Participant& member : instance.members)
        member.group = groups[member.rank];
    const Agreement agreement = agreement_of(instances);
    now.push_back(agreement.now.tells() ? agreement.now.ratio() : INFINITY);
    either.push_back(agreement.ratio());
    tells = tells || agreement.tells();
    apart = apart && (!agreement.tells() || agreement.apart());
  }
  auto best = best_together(now);
  if (!best)
    best = best_together(either);
  const bool named = type.work == JobWork::Transfer;
  if (!best) {
    if (tells && apart && !named && !says_message(type.name))
      type.evidence = TypeEvidence::Times;
    return named;
  }
  type.work = JobWork::Transfer;
  type.updates = false;
  type.evidence = TypeEvidence::Times;
  type.peers = *best == 0   ? OperationPeers::World
               : *best == 1 ? OperationPeers::DataGroup
                            : OperationPeers::Group;
  type.groups = all[*best];
  return true;
}

/// What `one` is on a stage and `next` on the stage behind it, of the same data-parallel group.
std::vector<Instance> TypeTeller::pairs_of(std::uint16_t one, std::uint16_t next) const {
  std::map<std::pair<std::int64_t, std::pair<std::uint32_t, std::uint16_t>>, const Instance*>
      of_next;
  for (const Instance& instance : instances_[next])
    of_next[{instance.step, instance.key}] = &instance;
  std::vector<Instance> pairs;
  for (const Instance& instance : instances_[one]) {
    const auto found = of_next.find({instance.step, instance.key});
    if (found == of_next.end())
      continue;
    std::map<std::pair<std::uint32_t, std::uint32_t>, const Participant*> behind;
    for (const Participant& second : found->second->members)
      behind.emplace(std::pair(ranks_[second.rank].data, ranks_[second.rank].stage), &second);
    Instance joined{.step = instance.step, .key = instance.key};
    for (const Participant& first : instance.members) {
      const JobRank& rank = ranks_[first.rank];
      const auto second = behind.find({rank.data, rank.stage + 1});
      if (second == behind.end())
        continue;
      joined.members.push_back(first);
      joined.members.push_back(*second->second);
      joined.members.rbegin()[0].group = joined.members.rbegin()[1].group = first.rank;
    }
    pairs.push_back(std::move(joined));
  }
  return pairs;
}

/// Whether all begins and ends are the same: a receive may be recorded from when its send came.
bool coincides(const Spreads& spreads) {
  return spreads.count >= kFewest && spreads.begins <= kResolution && spreads.ends <= kResolution;
}

/// Of a send and its receive the receive usually begins first, as it waits; where both begin
/// together the first such types of a step are those of the forward pass.
void TypeTeller::tell_messages(std::uint16_t one, std::uint16_t other) {
  for (const auto& [first, second] : {std::pair(one, other), std::pair(other, one)}) {
    const std::vector<Instance> pairs = pairs_of(first, second);
    const Agreement agreement = agreement_of(pairs);
    const bool at_once = coincides(agreement.now);
    if (!agreement.together() && !at_once)
      continue;
    double later = 0;  // That what is on the earlier stage begins, in the sum.
    for (const Instance& pair : pairs)
      for (std::size_t i = 0; i + 1 < pair.members.size(); i += 2)
        later += pair.members[i].begin - pair.members[i + 1].begin;
    const bool forward = at_once ? !std::exchange(any_at_once_, true) : later > 0;
    types_[first].peers = forward ? OperationPeers::NextSend : OperationPeers::NextReceive;
    types_[second].peers = forward ? OperationPeers::PreviousReceive : OperationPeers::PreviousSend;
    const std::string kind = types_[one].name + ", " + types_[other].name;
    for (const std::uint16_t type : {first, second}) {
      types_[type].work = JobWork::Transfer;
      types_[type].kind = kind;
      types_[type].updates = false;
      types_[type].evidence = TypeEvidence::Times;
    }
    return;
  }
}

}  // namespace

void tell_types_by_times(const RowsByStep& rows, const std::vector<JobRank>& ranks,
                         std::vector<OperationType>& types) {
  if (std::ranges::any_of(types, [](const OperationType& type) { return !type.known; }))
    TypeTeller(rows, ranks, types).run();
}

}  // namespace stepcast
