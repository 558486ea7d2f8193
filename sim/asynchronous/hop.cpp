#include "sim/asynchronous/hop.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "models/base/error.hpp"

// A page of Hop, in the paper's words. Queues hold counts: of a token only its position matters, of
// an update who sent it and of which iteration; those that are under way are counted beside them.
// An update names the edge that it takes, counted receiver by receiver. A worker and iteration cost
// O(degree).

namespace stepcast {
namespace {

class Hop {
 public:
  Hop(const ProtocolJob& job, const HopOptions& options)
      : options_(options), graph_(options.graph), world_(job), workers_(job.workers) {
    for (Rank i = 0; i < job.workers; ++i) {
      workers_[i].first_edge = static_cast<std::uint32_t>(receiver_of_edge_.size());
      receiver_of_edge_.insert(receiver_of_edge_.end(), graph_.from[0][i].size(), i);
      workers_[i].tokens.assign(graph_.to[0][i].size(), options.max_gap);
      workers_[i].arrived = {.newest{std::vector<std::int64_t>(graph_.from[0][i].size(), -1)},
                             .count{std::vector<std::uint32_t>(job.iterations)}};
      workers_[i].sent = workers_[i].arrived;
    }
    if (job.checked)
      hops_ = hops_of(graph_);
    world_.check_with(entry_of<&Hop::check>(this));
  }

  ProtocolRun run() {
    return world_.run([this](Rank i) { return worker(i); }, [this] { return who_waits(); });
  }

 private:
  struct Updates {
    std::vector<std::int64_t> newest;  // iteration of the newest, by in-neighbour
    std::vector<std::uint32_t> count;  // by iteration

    void add(std::uint32_t edge, std::uint32_t k) {
      newest[edge] = std::max<std::int64_t>(newest[edge], k);
      ++count[k];
    }
  };
  struct State {
    std::vector<std::uint32_t> tokens;  // of TokenQ(j -> i), by out-neighbour j
    Updates sent;                       // to it
    Updates arrived;
    std::uint32_t first_edge = 0;  // from its first in-neighbour
    std::uint32_t queued = 0;      // of iterations not yet reduced
    std::uint32_t wanted = 0;      // the iteration whose updates are waited for
  };

  Actor worker(Rank i) {
    const std::uint32_t last = world_.job().iterations;
    for (std::uint32_t k = 0, step = 0; k < last; k += step) {
      while (!has_tokens(i, step))
        co_await world_.wait(i, Cause::Token);
      enter(i, k, step);
      while (step > 1 && !receive(i, k - 1))
        co_await world_.wait(i, cause_of_wait(i));
      send(i, k);
      co_await world_.compute(i, k);
      while (!receive(i, k))
        co_await world_.wait(i, cause_of_wait(i));
      if (world_.job().reduce > Seconds{})
        co_await world_.sleep(world_.job().reduce);
      step = std::min(steps_of(i), last - k);
      world_.finish(i, step);
    }
  }

  // How many iterations on the next one is: more than 1 where neighbours are far ahead. It ends
  // where the slowest of them is, as beyond that their updates are still to come.
  std::uint32_t steps_of(Rank i) const {
    if (options_.max_skip == 0)
      return 1;
    const std::uint32_t free = *std::ranges::min_element(workers_[i].tokens);
    return free > options_.skip_trigger && free > options_.max_gap
               ? std::min(free - options_.max_gap, options_.max_skip)
               : 1;
  }

  void send(Rank i, std::uint32_t k) {
    for (const Rank to : graph_.to[0][i]) {
      State& receiver = workers_[to];
      const std::uint32_t edge = edge_between(i, to);
      receiver.sent.add(edge - receiver.first_edge, k);
      if (world_.is_waiting(to) && receiver.wanted <= world_.iteration_of(to))
        world_.change_cause(to, cause_of_wait(to));
      world_.send(k, i, to, entry_of<&Hop::arrive>(this, std::uint64_t{edge} << 32U | k));
    }
  }

  // What a worker that lacks updates waits for: transfers, once enough of them have been sent.
  Cause cause_of_wait(Rank i) const {
    return has_enough(workers_[i].sent, workers_[i].wanted) ? Cause::Transfer : Cause::Update;
  }

  std::uint32_t edge_between(Rank from, Rank to) const {
    const auto senders = graph_.from[0][to];
    return workers_[to].first_edge +
           static_cast<std::uint32_t>(std::ranges::lower_bound(senders, from) - senders.begin());
  }

  void arrive(std::uint64_t message) {
    enqueue(static_cast<std::uint32_t>(message >> 32U), static_cast<std::uint32_t>(message));
  }

  void enqueue(std::uint32_t edge, std::uint32_t k) {
    const Rank i = receiver_of_edge_[edge];
    State& state = workers_[i];
    state.arrived.add(edge - state.first_edge, k);
    if (k >= state.wanted)
      ++state.queued;  // else late, and dropped
    if (world_.is_waiting(i) && has_enough(state.arrived, state.wanted))
      world_.wake(i);
  }

  // Takes the updates of iteration k if there are enough.
  bool receive(Rank i, std::uint32_t k) {
    State& state = workers_[i];
    for (; state.wanted < k; ++state.wanted)
      state.queued -= state.arrived.count[state.wanted];
    if (!has_enough(state.arrived, k))
      return false;
    for (const std::int64_t newest : state.arrived.newest)
      if (newest + options_.staleness >= k)
        world_.used(newest < k ? static_cast<std::uint32_t>(k - newest) : 0);
    state.queued -= state.arrived.count[k];
    state.wanted = k + 1;
    return true;
  }

  bool has_enough(const Updates& updates, std::uint32_t k) const {
    const auto all = static_cast<std::uint32_t>(updates.newest.size());
    if (options_.staleness == 0)
      return k >= updates.count.size() || updates.count[k] + options_.backup >= all;
    std::uint32_t fresh = 0;
    for (const std::int64_t newest : updates.newest)
      fresh += newest + options_.staleness >= k;
    return fresh + options_.backup >= all;
  }

  bool has_tokens(Rank i, std::uint32_t count) const {
    return options_.max_gap == 0 ||
           std::ranges::all_of(workers_[i].tokens, [&](std::uint32_t n) { return n >= count; });
  }

  void enter(Rank i, std::uint32_t k, std::uint32_t step) {
    world_.begin(i, k);
    if (options_.max_gap == 0)
      return;
    for (std::uint32_t& tokens : workers_[i].tokens)
      tokens -= step;
    for (const Rank m : graph_.from[0][i]) {
      token_of(i, m) += step;
      if (world_.is_waiting(m) && workers_[m].wanted == world_.iteration_of(m) + 1 &&
          has_tokens(m, 1))
        world_.wake(m);
    }
  }

  std::uint32_t& token_of(Rank j, Rank i) {
    const auto queues = graph_.to[0][i];
    const auto place = std::ranges::lower_bound(queues, j) - queues.begin();
    return workers_[i].tokens[static_cast<std::size_t>(place)];
  }

  void check() {
    const auto iteration = [this](Rank i) { return std::int64_t{world_.iteration_of(i)}; };
    for (Rank i = 0; i < workers_.size(); ++i) {
      for (const Rank j : graph_.to[0][i])
        if (options_.max_gap > 0 &&
            token_of(j, i) != iteration(j) - iteration(i) + std::int64_t{options_.max_gap})
          throw std::logic_error(fmt::format("TokenQ({} -> {}) holds {}", j, i, token_of(j, i)));
      if (options_.max_gap > 0 &&
          workers_[i].queued > (1 + options_.max_gap) * graph_.from[0][i].size())
        throw std::logic_error(fmt::format("UpdateQ({}) holds {}", i, workers_[i].queued));
      for (Rank j = 0; j < workers_.size(); ++j)
        if (iteration(i) - iteration(j) > furthest(i, j))
          throw std::logic_error(fmt::format("worker {} is in iteration {}, {} in {}", i,
                                             iteration(i), j, iteration(j)));
    }
  }

  // Iter(i) - Iter(j) at most: table 1 of the paper.
  std::int64_t furthest(Rank i, Rank j) const {
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (options_.backup == 0 && options_.max_skip == 0)
      most = std::int64_t{options_.staleness + 1} * hops_[j][i];
    return options_.max_gap == 0 ? most
                                 : std::min(most, std::int64_t{options_.max_gap} * hops_[i][j]);
  }

  std::string who_waits() const {
    return world_.deadlock("hop", [this](Rank i) {
      return fmt::format("in iteration {} for {}", world_.iteration_of(i),
                         workers_[i].wanted > world_.iteration_of(i)
                             ? "tokens"
                             : fmt::format("updates of {}", workers_[i].wanted));
    });
  }

  const HopOptions& options_;
  const PeerGraph& graph_;
  World world_;
  std::vector<State> workers_;
  std::vector<Rank> receiver_of_edge_;
  std::vector<std::vector<std::uint32_t>> hops_;  // where checked
};

std::size_t fewest_neighbours(const PeerGraph& graph) {
  std::size_t fewest = graph.workers;
  for (Rank i = 0; i < graph.workers; ++i)
    fewest = std::min(fewest, graph.from[0][i].size());
  return fewest;
}

}  // namespace

void check_hop(const HopOptions& options) {
  const std::size_t fewest = fewest_neighbours(options.graph);
  if (options.backup >= fewest)
    throw InputError(
        fmt::format("backup: expected fewer than the {} neighbours of a worker, found {}", fewest,
                    options.backup));
  if (options.backup > 0 && options.max_gap == 0)
    throw InputError("backup: needs tokens, as nothing else bounds the gap: set max_gap");
  if (options.max_skip > 0 && options.max_gap == 0)
    throw InputError("max_skip: needs tokens, which tell how far neighbours are: set max_gap");
  if (options.max_skip > 0 && options.skip_trigger < options.max_gap)
    throw InputError(fmt::format(
        "skip_trigger: workers in step hold max_gap tokens: expected at least {}, found {}",
        options.max_gap, options.skip_trigger));
  if (options.max_skip > 0 && options.backup == 0 && options.staleness == 0)
    throw InputError("max_skip: needs backup or staleness, as neighbours lack what is skipped");
}

ProtocolRun run_hop(const ProtocolJob& job, const HopOptions& options) {
  check_hop(options);
  return Hop(job, options).run();
}

}  // namespace stepcast
