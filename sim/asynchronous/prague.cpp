#include "sim/asynchronous/prague.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/mix.hpp"
#include "sim/asynchronous/group_meetings.hpp"

// A page of Prague. The workers are the same for all generators: what differs is next_meeting(),
// the meeting that a worker goes to when it has done its update. Random and smart generators stand
// for a process that all ask, whose answers take no time.

namespace stepcast {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
constexpr std::uint64_t kNoRequest = ~std::uint64_t{0};

class Prague {
 public:
  Prague(const ProtocolJob& job, const PragueOptions& options)
      : options_(options),
        world_(job),
        meetings_(world_, {.creation = options.communicator, .kept = options.communicators}),
        workers_(job.workers) {
    meetings_.on_end(entry_of<&Prague::unlock>(this));
    world_.check_with(entry_of<&Prague::check>(this));
  }

  ProtocolRun run() {
    return world_.run([this](Rank i) { return worker(i); }, [this] { return who_waits(); });
  }

 private:
  struct State {
    std::deque<std::uint32_t> buffer;    // groups it has still to join
    std::uint32_t meeting = kNone;       // the group it is averaging with
    bool locked = false;                 // Random: member of a group that is settled
    std::uint64_t request = kNoRequest;  // Random: the group it asked for, until one is settled
  };

  bool is_static() const { return options_.generator == GroupGenerator::Static; }

  Actor worker(Rank i) {
    for (std::uint32_t k = 0; !is_static() || k < world_.job().iterations; ++k) {
      world_.begin(i, k);
      co_await world_.compute(i, k);
      if (world_.job().reduce > Seconds{})
        co_await world_.sleep(world_.job().reduce);
      ask(i, k);
      State& state = workers_[i];
      while (state.buffer.empty())
        co_await world_.wait(i, Cause::Group);
      state.meeting = state.buffer.front();
      state.buffer.pop_front();
      meetings_.arrive(state.meeting);
      while (!meetings_.is_over(state.meeting))
        co_await world_.wait(i, Cause::Group);
      state.meeting = kNone;
      world_.used(0);
      if (world_.finish(i) && !is_static())
        world_.stop();
    }
  }

  // Sees to it that the buffer holds a meeting, now or later.
  void ask(Rank i, std::uint32_t k) {
    if (!workers_[i].buffer.empty())
      return;
    switch (options_.generator) {
      case GroupGenerator::Static:
        return look_up(i, k);
      case GroupGenerator::Random:
        return draw_group(i);
      case GroupGenerator::Smart:
        return divide(i);
      case GroupGenerator::FirstK:
        return come(i);
    }
  }

  // ---- static

  void look_up(Rank i, std::uint32_t k) {
    const std::vector<Rank> members = static_group_of(i, k, world_.job().workers);
    const auto [known, is_new] = by_table_.try_emplace({k, members.front()});
    if (is_new)
      known->second = {meetings_.plan(members), static_cast<std::uint32_t>(members.size())};
    workers_[i].buffer.push_back(known->second.first);
    if (--known->second.second == 0)
      by_table_.erase(known);
  }

  // ---- random

  void draw_group(Rank i) {
    std::vector<Rank> group{i};
    while (group.size() < std::min<std::size_t>(options_.group, workers_.size()))
      if (const auto other = static_cast<Rank>(draw() % workers_.size());
          std::ranges::find(group, other) == group.end())
        group.push_back(other);
    workers_[i].request = settled_ + unsettled_.size();
    unsettled_.push_back(std::move(group));
    settle();
  }

  // First in, first out: a group with a locked member blocks those after it. All members are
  // locked at once, which also settles the requests of those that wait: an empty group in the
  // queue stands for such a request, as searching the queue would cost O(workers) each time.
  void settle() {
    const auto is_locked = [this](Rank rank) { return workers_[rank].locked; };
    while (!unsettled_.empty() && std::ranges::none_of(unsettled_.front(), is_locked)) {
      const std::vector<Rank> members = std::move(unsettled_.front());
      unsettled_.pop_front();
      ++settled_;
      if (members.empty())
        continue;
      for (const Rank rank : members)
        lock(rank);
      add_group(members);
      to_wake_.insert(to_wake_.end(), members.begin(), members.end());
    }
    while (!to_wake_.empty()) {
      const Rank rank = to_wake_.back();
      to_wake_.pop_back();
      if (workers_[rank].meeting == kNone)
        world_.wake(rank);
    }
  }

  void lock(Rank rank) {
    State& state = workers_[rank];
    state.locked = true;
    const std::uint64_t request = std::exchange(state.request, kNoRequest);
    if (request != kNoRequest && request >= settled_)
      unsettled_[request - settled_].clear();
  }

  void unlock(std::uint64_t meeting) {
    if (options_.generator != GroupGenerator::Random)
      return;
    for (const Rank rank : meetings_.members(static_cast<std::uint32_t>(meeting)))
      workers_[rank].locked = false;
    settle();
  }

  // ---- smart

  // All without a group are divided among groups, but for those too far behind who asks.
  void divide(Rank i) {
    std::vector<Rank> idle;
    for (Rank rank = 0; rank < workers_.size(); ++rank)
      if (workers_[rank].buffer.empty() && workers_[rank].meeting == kNone &&
          (options_.threshold == 0 ||
           world_.iteration_of(i) < world_.iteration_of(rank) + options_.threshold))
        idle.push_back(rank);
    if (options_.inter_intra)
      return divide_by_nodes(idle);
    shuffle(idle);
    append(idle);
  }

  // Neighbours in the list are a group; one that is left over joins the last.
  void append(const std::vector<Rank>& ranks) {
    for (std::size_t first = 0; first < ranks.size();) {
      std::size_t count = std::min<std::size_t>(options_.group, ranks.size() - first);
      if (ranks.size() - first - count == 1)
        ++count;
      add_group({ranks.begin() + static_cast<std::ptrdiff_t>(first),
                 ranks.begin() + static_cast<std::ptrdiff_t>(first + count)});
      first += count;
    }
  }

  void divide_by_nodes(const std::vector<Rank>& idle) {
    std::map<std::uint32_t, std::vector<Rank>> nodes;
    for (const Rank rank : idle)
      nodes[rank / world_.job().per_node].push_back(rank);
    std::vector<Rank> heads;
    for (auto& [node, ranks] : nodes) {
      shuffle(ranks);
      heads.push_back(ranks.back());
    }
    add_group(heads);
    for (auto& [node, ranks] : nodes)
      append({ranks.begin(), ranks.end() - 1});
    for (auto& [node, ranks] : nodes)
      add_group(ranks);
  }

  void add_group(const std::vector<Rank>& members) {
    const std::uint32_t meeting = meetings_.plan(members);
    for (const Rank rank : members)
      workers_[rank].buffer.push_back(meeting);
  }

  void shuffle(std::vector<Rank>& ranks) {
    for (std::size_t i = ranks.size(); i > 1; --i)
      std::swap(ranks[i - 1], ranks[draw() % i]);
  }

  // ---- first k

  // Behind all who come at this time: their order is drawn.
  void come(Rank i) {
    at_once_.push_back(i);
    if (at_once_.size() == 1)
      world_.agenda().after({}, entry_of<&Prague::let_in>(this));
  }

  void let_in() {
    std::vector<Rank> ranks = std::exchange(at_once_, {});
    shuffle(ranks);
    for (const Rank rank : ranks)
      come_to_window(rank);
  }

  void come_to_window(Rank i) {
    came_.push_back(i);
    if (came_.size() == 1)
      world_.agenda().after(options_.window, entry_of<&Prague::close>(this, window_));
    if (came_.size() == options_.group)
      close(window_);
  }

  void close(std::uint64_t window) {
    if (window != window_)
      return;
    ++window_;
    const std::vector<Rank> members = std::exchange(came_, {});
    add_group(members);
    for (const Rank rank : members)
      world_.wake(rank);
  }

  std::uint64_t draw() {
    constexpr std::uint64_t kGroups = 0x67726f7570;  // a stream apart from those of slow-downs
    return mixed(mixed(world_.job().slow_down.seed, kGroups), draws_++);
  }

  // Nobody is in two meetings that are on at once.
  void check() const {
    std::vector<bool> busy(workers_.size());
    for (Rank i = 0; i < workers_.size(); ++i) {
      const std::uint32_t meeting = workers_[i].meeting;
      if (meeting == kNone || !meetings_.is_on(meeting) || meetings_.members(meeting)[0] != i)
        continue;
      for (const Rank member : meetings_.members(meeting)) {
        if (busy[member] || workers_[member].meeting != meeting)
          throw std::logic_error(fmt::format("worker {} is in two groups at once", member));
        busy[member] = true;
      }
    }
  }

  std::string who_waits() const {
    return world_.deadlock("prague", [this](Rank i) {
      const std::uint32_t meeting = workers_[i].meeting;
      return meeting == kNone
                 ? std::string("for a group to be made")
                 : fmt::format("for its group of {}", meetings_.members(meeting).size());
    });
  }

  const PragueOptions& options_;
  World world_;
  GroupMeetings meetings_;
  std::vector<State> workers_;
  // Static: by iteration and first member, the meeting and how many have yet to look it up.
  std::map<std::pair<std::uint32_t, Rank>, std::pair<std::uint32_t, std::uint32_t>> by_table_;
  std::deque<std::vector<Rank>> unsettled_;
  std::uint64_t settled_ = 0;  // groups that have left this queue
  std::vector<Rank> to_wake_;
  std::vector<Rank> at_once_;
  std::vector<Rank> came_;
  std::uint64_t window_ = 0;
  std::uint64_t draws_ = 0;
};

}  // namespace

std::vector<Rank> static_group_of(Rank rank, std::uint32_t iteration, std::uint32_t workers) {
  constexpr std::uint32_t kPerNode = 4;
  const Rank first = rank / kPerNode * kPerNode;
  const std::uint32_t local = rank % kPerNode;
  if (iteration % 2 == 1)
    return {first, first + 1, first + 2, first + 3};
  const bool is_begin = iteration % kStaticPeriod == 0;
  const std::uint32_t head = is_begin ? 0 : 1;  // meets the heads of other nodes
  const std::uint32_t alone = is_begin ? 1 : 2;
  if (local == alone)
    return {rank};
  std::vector<Rank> group;
  if (local == head)
    for (Rank other = head; other < workers; other += kPerNode)
      group.push_back(other);
  else
    for (std::uint32_t other = 0; other < kPerNode; ++other)
      if (other != head && other != alone)
        group.push_back(first + other);
  return group;
}

ProtocolRun run_prague(const ProtocolJob& job, const PragueOptions& options) {
  if (options.generator == GroupGenerator::Static && (job.per_node != 4 || job.workers % 4 != 0))
    throw InputError(fmt::format(
        "the static table is for 4 GPUs a node: expected gpus_per_node 4, found {}", job.per_node));
  return Prague(job, options).run();
}

}  // namespace stepcast
