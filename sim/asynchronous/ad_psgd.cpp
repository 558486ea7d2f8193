#include "sim/asynchronous/ad_psgd.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/mix.hpp"

// A page of AD-PSGD. A worker is two actors: one computes, one communicates. A model that is being
// averaged is locked; locks are handed on first come, first served. Of the workers that only serve
// the second actor has nothing to do: their lock is their queue. Where any two workers may meet, no
// list of partners is kept, which would take workers^2 numbers.

namespace stepcast {
namespace {

constexpr Rank kNobody = 0xffffffff;

class AdPsgd {
 public:
  AdPsgd(const ProtocolJob& job, const AdPsgdOptions& options)
      : options_(options), world_(job, 2 * job.workers), workers_(job.workers) {
    for (Rank i = 0; options.graph && i < job.workers; ++i) {
      for (const Rank j : options.graph->to[0][i])
        if (options.rule != PairRule::Bipartite || j % 2 == 1)
          workers_[i].partners.push_back(j);
      if (asks(i) && workers_[i].partners.empty())
        throw InputError(fmt::format("graph: even worker {} has no odd neighbour to ask", i));
    }
    world_.check_with(entry_of<&AdPsgd::check>(this));
  }

  ProtocolRun run() {
    for (Rank i = 0; i < workers_.size(); ++i) {
      world_.start(computes(i));
      if (asks(i))
        world_.start(communicates(i));
    }
    return world_.run([this] { return who_waits(); });
  }

 private:
  struct State {
    std::vector<Rank> partners;  // where a graph lists them
    bool asked = false;          // for the averaging of this iteration
    std::uint32_t moving = 0;    // models under way
    std::uint32_t averaged = 0;  // since the gradient was begun
    Rank partner = kNobody;
    Rank holder = kNobody;   // who has locked this model
    std::deque<Rank> queue;  // who wants to
    Rank wants = kNobody;    // whose lock it waits for
  };

  bool asks(Rank i) const { return options_.rule != PairRule::Bipartite || i % 2 == 0; }

  Actor computes(Rank i) {
    for (std::uint32_t k = 0;; ++k) {
      world_.begin(i, k);
      workers_[i].averaged = 0;
      if (!blocks())
        ask(i);
      while (blocks() && is_averaged(i))
        co_await world_.wait(i, cause_of_wait(i));
      co_await world_.compute(i, k);
      if (blocks())
        ask(i);
      while (workers_[i].asked || (blocks() && is_averaged(i)))
        co_await world_.wait(i, cause_of_wait(i));
      world_.used(workers_[i].averaged);
      if (world_.job().reduce > Seconds{})
        co_await world_.sleep(world_.job().reduce);
      if (world_.finish(i))
        world_.stop();
    }
  }

  Actor communicates(Rank i) {
    for (std::uint32_t draw = 0;; ++draw) {
      while (!workers_[i].asked)
        co_await world_.wait(communicator(i), Cause::Partner);
      const Rank j = partner_of(i, draw);
      for (const Rank each : order_of(i, j))
        for (take(each, i); workers_[each].holder != i;)
          co_await world_.wait(communicator(i), Cause::Partner);
      exchange(i, j);
      while (workers_[i].moving > 0)
        co_await world_.wait(communicator(i), Cause::Transfer);
      if (options_.sum > Seconds{})
        co_await world_.sleep(options_.sum);
      ++workers_[i].averaged;
      ++workers_[j].averaged;
      for (const Rank each : order_of(i, j))
        hand_on(each);
      workers_[i].asked = false;
      workers_[i].partner = kNobody;
      world_.wake(i);
      if (blocks() && !is_averaged(j))
        world_.wake(j);
    }
  }

  bool blocks() const { return options_.averaging == Averaging::Blocking; }
  // By him who asked or by one who asked him.
  bool is_averaged(Rank i) const {
    return workers_[i].partner != kNobody || workers_[i].holder != kNobody;
  }

  // Models that its own averaging moves are transfers.
  Cause cause_of_wait(Rank i) const {
    return workers_[i].moving > 0 ? Cause::Transfer : Cause::Partner;
  }

  void ask(Rank i) {
    if (!asks(i))
      return;
    workers_[i].asked = true;
    world_.wake(communicator(i));
  }

  std::uint32_t communicator(Rank i) const {
    return static_cast<std::uint32_t>(workers_.size()) + i;
  }

  Rank partner_of(Rank i, std::uint32_t draw) const {
    constexpr std::uint64_t kPartners = 0x70616972;  // a stream apart from those of slow-downs
    const std::uint64_t drawn =
        mixed(mixed(mixed(world_.job().slow_down.seed, kPartners), i), draw);
    if (options_.graph)
      return workers_[i].partners[drawn % workers_[i].partners.size()];
    if (options_.rule == PairRule::Bipartite)
      return static_cast<Rank>(drawn % (workers_.size() / 2) * 2 + 1);
    const auto other = static_cast<Rank>(drawn % (workers_.size() - 1));
    return other < i ? other : other + 1;
  }

  // The models to lock, in turn.
  std::vector<Rank> order_of(Rank i, Rank j) const {
    switch (options_.rule) {
      case PairRule::Bipartite:
        return {j};
      case PairRule::RankOrder:
        return {std::min(i, j), std::max(i, j)};
      case PairRule::None:
        return {i, j};
    }
    return {};
  }

  void take(Rank model, Rank by) {
    State& state = workers_[model];
    if (state.holder == kNobody) {
      state.holder = by;
      return;
    }
    state.queue.push_back(by);
    workers_[by].wants = model;
  }

  void hand_on(Rank model) {
    State& state = workers_[model];
    state.holder = kNobody;
    if (state.queue.empty())
      return;
    state.holder = state.queue.front();
    state.queue.pop_front();
    workers_[state.holder].wants = kNobody;
    world_.wake(communicator(state.holder));
  }

  void exchange(Rank i, Rank j) {
    workers_[i].moving = 2;
    workers_[i].partner = j;
    world_.change_cause(i, Cause::Transfer);
    const AgendaEntry arrived = entry_of<&AdPsgd::arrive>(this, i);
    world_.send(0, i, j, arrived);
    world_.send(0, j, i, arrived);
  }

  void arrive(std::uint64_t asker) {
    const auto rank = static_cast<Rank>(asker);
    if (--workers_[rank].moving == 0)
      world_.wake(communicator(rank));
  }

  // A model is in one averaging at a time.
  void check() const {
    std::vector<bool> busy(workers_.size());
    for (Rank i = 0; i < workers_.size(); ++i) {
      if (workers_[i].moving == 0)
        continue;
      for (const Rank each : {i, workers_[i].partner}) {
        if (busy[each])
          throw std::logic_error(fmt::format("worker {} averages twice at once", each));
        busy[each] = true;
      }
    }
  }

  std::string who_waits() const {
    std::vector<bool> seen(workers_.size());
    Rank i = 0;
    while (i < workers_.size() && workers_[i].wants == kNobody)
      ++i;
    if (i == workers_.size())
      return world_.deadlock("ad-psgd", [](Rank) { return std::string("for a partner"); });
    for (; !seen[i]; i = workers_[workers_[i].wants].holder)
      seen[i] = true;
    return ring_from(i);
  }

  std::string ring_from(Rank first) const {
    constexpr std::uint32_t kMostNamed = 3;
    std::string text = fmt::format("ad-psgd: deadlock: worker {}", first);
    std::uint32_t named = 1;
    for (Rank next = first; named == 1 || next != first; ++named) {
      next = workers_[workers_[next].wants].holder;
      if (named < kMostNamed || next == first)
        text += fmt::format(" waits for worker {}{}", next, next == first ? "" : ", which");
      else if (named == kMostNamed)
        text += " waits for others, the last of which";
    }
    return fmt::format("{}: a ring of {} workers", text, named - 1);
  }

  const AdPsgdOptions& options_;
  World world_;
  std::vector<State> workers_;
};

}  // namespace

ProtocolRun run_ad_psgd(const ProtocolJob& job, const AdPsgdOptions& options) {
  return AdPsgd(job, options).run();
}

}  // namespace stepcast
