#include "sim/asynchronous/parameter_server.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "models/base/error.hpp"

// A page of three parameter servers. What the servers do takes its turn: each direction of their
// links and their adding up is free again from some time on, which is all their state.

namespace stepcast {
namespace {

enum : std::uint32_t { kPull, kPush };  // transfers of an iteration

std::string for_others(Rank) {
  return "for slower workers";
}

class ParameterServer {
 public:
  ParameterServer(const ProtocolJob& job, const ServerOptions& options)
      : options_(options), world_(job) {
    world_.check_with(entry_of<&ParameterServer::check>(this));
  }

  ProtocolRun run() {
    const bool has_backups = options_.rule == ServerRule::Backup;
    return world_.run([&](Rank i) { return has_backups ? works_with_backups(i) : works(i); },
                      [this] { return world_.deadlock("parameter server", for_others); });
  }

 private:
  Actor works(Rank i) {
    const bool is_free = options_.rule == ServerRule::Asynchronous;
    for (std::uint32_t k = 0; is_free || k < world_.job().iterations; ++k) {
      while (!is_free && !may_begin(k))
        co_await world_.wait(i, Cause::Others);
      world_.begin(i, k);
      co_await world_.lose(i, Cause::Server, pull(i));
      const std::uint64_t seen = updates_;
      co_await world_.compute(i, k);
      co_await world_.lose(i, Cause::Server, push(i));
      world_.used(static_cast<std::uint32_t>(updates_++ - seen));
      if (world_.finish(i) && is_free)
        world_.stop();
      if (!is_free)
        wake_if_slowest(k + 1);
    }
  }

  // All others have done iteration k - 1 - slack.
  bool may_begin(std::uint32_t k) const { return least_done_ + options_.slack >= k; }

  // Waiting workers wait for the slowest one: they go on once it has finished one more iteration.
  void wake_if_slowest(std::uint32_t done) {
    if (++have_done_[done] < world_.job().workers)
      return;
    have_done_.erase(done);
    least_done_ = done;
    wake_all();
  }

  // Who comes late finds the step over, his push dropped, and begins the step that is on.
  Actor works_with_backups(Rank i) {
    while (step_ < world_.job().iterations) {
      const std::uint32_t k = step_;
      world_.begin(i, k);
      co_await world_.lose(i, Cause::Server, pull(i));
      co_await world_.compute(i, k);
      co_await world_.lose(i, Cause::Server, push(i));
      if (step_ == k)
        world_.used(0);
      if (step_ == k && ++pushed_ + options_.backup == world_.job().workers)
        end_step();
      while (step_ == k)
        co_await world_.wait(i, Cause::Others);
    }
  }

  void end_step() {
    ++step_;
    pushed_ = 0;
    for (Rank i = 0; i < world_.job().workers; ++i)
      world_.finish(i);
    if (step_ == world_.job().iterations)
      world_.stop();
    wake_all();
  }

  void wake_all() {
    for (Rank i = 0; i < world_.job().workers; ++i)
      world_.wake(i);
  }

  Seconds pull(Rank i) { return turn(out_free_, options_.service, transfer_of(i, kPull)); }

  Seconds push(Rank i) {
    world_.count_push();
    const Seconds in = turn(in_free_, options_.service, transfer_of(i, kPush));
    sum_free_ = std::max(sum_free_, world_.now() + in) + options_.sum;
    return sum_free_ - world_.now();
  }

  // Chance slows the worker's link, not the servers'.
  Seconds transfer_of(Rank i, std::uint32_t number) const {
    const Rank worker[] = {i};
    return options_.transfer * world_.transfer_slowness(worker, number);
  }

  // How long something takes that holds a server for `service` and takes `least` by itself.
  Seconds turn(Seconds& free, Seconds service, Seconds least) {
    const Seconds begin = std::max(free, world_.now());
    free = begin + service;
    return std::max(free, begin + least) - world_.now();
  }

  void check() const {
    if (options_.rule == ServerRule::StaleSynchronous)
      for (Rank i = 0; i < world_.job().workers; ++i)
        if (world_.iteration_of(i) > world_.least_iteration() + options_.slack + 1)
          throw std::logic_error(fmt::format("worker {} is too far ahead", i));
  }

  const ServerOptions& options_;
  World world_;
  std::map<std::uint32_t, std::uint32_t> have_done_;  // workers, by iterations beyond the least
  std::uint32_t least_done_ = 0;
  std::uint64_t updates_ = 0;
  std::uint32_t step_ = 0;
  std::size_t pushed_ = 0;  // in this step
  Seconds in_free_{}, out_free_{}, sum_free_{};
};

}  // namespace

ProtocolRun run_parameter_server(const ProtocolJob& job, const ServerOptions& options) {
  if (options.rule == ServerRule::Backup && options.backup >= job.workers)
    throw InputError(fmt::format("backup: expected fewer than the {} workers, found {}",
                                 job.workers, options.backup));
  return ParameterServer(job, options).run();
}

}  // namespace stepcast
