#include "sim/asynchronous/neighbours.hpp"

#include <stdexcept>

#include <fmt/format.h>

// A page of D-PSGD. Every worker counts the models that came for each iteration; it has enough when
// all in-neighbours of that iteration's graph are among them. Once all of these have been sent, the
// worker waits for transfers; before, for neighbours. A message is an event, a wait a
// suspended coroutine: O(degree) events for a worker and iteration.

namespace stepcast {
namespace {

class Neighbours {
 public:
  Neighbours(const ProtocolJob& job, const NeighbourOptions& options)
      : options_(options),
        world_(job),
        sent_(job.workers, std::vector<std::uint32_t>(job.iterations)),
        arrived_(sent_) {
    if (job.checked)
      hops_ = hops_of(options.graph);
    world_.check_with(entry_of<&Neighbours::check>(this));
  }

  ProtocolRun run() {
    return world_.run([this](Rank i) { return worker(i); }, [this] { return who_waits(); });
  }

 private:
  Actor worker(Rank i) {
    const double before = sent_after(world_.job(), options_.send);
    for (std::uint32_t k = 0; k < world_.job().iterations; ++k) {
      world_.begin(i, k);
      if (before > 0)
        co_await world_.compute(i, k, before);
      send(i, k);
      if (before < 1)
        co_await world_.compute(i, k, 1 - before);
      while (!has_enough(arrived_, i, k))
        co_await world_.wait(i, has_enough(sent_, i, k) ? Cause::Transfer : Cause::Update);
      world_.used(k < options_.delay ? 0 : options_.delay);
      if (world_.job().reduce > Seconds{})
        co_await world_.sleep(world_.job().reduce);
      world_.finish(i);
    }
  }

  void send(Rank i, std::uint32_t k) {
    for (const Rank to : options_.graph.to_of(k, i)) {
      ++sent_[to][k];
      if (world_.is_waiting(to) && has_enough(sent_, to, world_.iteration_of(to)))
        world_.change_cause(to, Cause::Transfer);
      world_.send(k, i, to, entry_of<&Neighbours::receive>(this, std::uint64_t{to} << 32U | k));
    }
  }

  void receive(std::uint64_t message) {
    const auto i = static_cast<Rank>(message >> 32U);
    const auto k = static_cast<std::uint32_t>(message);
    ++arrived_[i][k];
    if (world_.is_waiting(i) && has_enough(arrived_, i, world_.iteration_of(i)))
      world_.wake(i);
  }

  using Counts = std::vector<std::vector<std::uint32_t>>;  // of models, by receiver and iteration

  bool has_enough(const Counts& counts, Rank i, std::uint32_t k) const {
    if (k < options_.delay)
      return true;
    const std::uint32_t sent = k - options_.delay;
    return counts[i][sent] == options_.graph.from_of(sent, i).size();
  }

  std::string who_waits() const {
    return world_.deadlock("averaging with neighbours", [this](Rank i) {
      return fmt::format("in iteration {} for models of its neighbours", world_.iteration_of(i));
    });
  }

  void check() const {
    for (Rank i = 0; i < arrived_.size(); ++i)
      for (Rank j = 0; j < arrived_.size(); ++j)
        if (world_.iteration_of(i) > world_.iteration_of(j) + furthest(i, j))
          throw std::logic_error(fmt::format("worker {} is in iteration {}, {} in {}", i,
                                             world_.iteration_of(i), j, world_.iteration_of(j)));
  }

  // Of one graph for all iterations; where it changes, a tour of all rounds may lie between.
  std::uint32_t furthest(Rank i, Rank j) const {
    return hops_[j][i] * (1 + options_.delay) * options_.graph.rounds();
  }

  const NeighbourOptions& options_;
  World world_;
  Counts sent_;
  Counts arrived_;
  std::vector<std::vector<std::uint32_t>> hops_;  // where checked
};

}  // namespace

ProtocolRun run_neighbours(const ProtocolJob& job, const NeighbourOptions& options) {
  return Neighbours(job, options).run();
}

}  // namespace stepcast
