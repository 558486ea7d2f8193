#include "sim/asynchronous/world.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kMostNested = 64;
constexpr std::uint32_t kMostNamed = 3;

void count_at(std::vector<std::uint64_t>& histogram, std::uint32_t place) {
  if (histogram.size() <= place)
    histogram.resize(place + 1);
  ++histogram[place];
}

}  // namespace

const char* name_of(Cause cause) {
  return name_among({"neighbours' updates", "tokens", "the group", "a partner", "the server",
                     "slower workers", "transfers"},
                    cause);
}

std::uint64_t ProtocolRun::all_iterations() const {
  return std::accumulate(iterations.begin(), iterations.end(), std::uint64_t{0});
}

Seconds ProtocolRun::iteration_time() const {
  return makespan *
         (static_cast<double>(iterations.size()) / static_cast<double>(all_iterations()));
}

Seconds compute_time(const ProtocolJob& job, const SlowDown& slow, Rank worker,
                     std::uint32_t iteration) {
  double most = 0;
  for (std::uint32_t i = 0; i < job.ranks_per_worker; ++i)
    most = std::max(most, slow.factor(worker * job.ranks_per_worker + i, iteration));
  return job.compute * most;
}

double sent_after(const ProtocolJob& job, SendTime send) {
  switch (send) {
    case SendTime::Beside:
      return 0;
    case SendTime::AfterForward:
      return job.forward_share;
    case SendTime::Behind:
      return 1;
  }
  return 0;
}

World::World(const ProtocolJob& job, std::uint32_t waiters)
    : job_(job),
      agenda_(job.traffic.queue),
      waiting_(waiters),
      iteration_(job.workers),
      workers_at_(job.iterations + 1),
      computed_(job.workers) {
  workers_at_[0] = job.workers;
  run_.iterations.resize(job.workers);
}

void World::check_with(AgendaEntry check) {
  if (job_.checked)
    agenda_.check_with(check);
}

void World::start(Actor actor) {
  actors_.push_back(std::move(actor));
  agenda_.resume_at(now(), actors_.back().handle());
}

ProtocolRun World::run(const std::function<std::string()>& stuck) {
  agenda_.run();
  const bool all_done =
      std::ranges::all_of(actors_, [](const Actor& actor) { return actor.done(); });
  if (!all_done && !agenda_.stopped())
    throw SimulationError(stuck());
  run_.events = agenda_.count();
  if (run_.begins.size() > least_ + 1)
    run_.begins.resize(least_ + 1);
  return std::move(run_);
}

ProtocolRun World::run(const std::function<Actor(Rank)>& worker,
                       const std::function<std::string()>& stuck) {
  for (Rank i = 0; i < job_.workers; ++i)
    start(worker(i));
  return run(stuck);
}

std::string World::deadlock(const std::string& schedule,
                            const std::function<std::string(Rank)>& for_what) const {
  std::string text = schedule + ": deadlock:";
  std::uint32_t count = 0;
  for (Rank i = 0; i < job_.workers; ++i)
    if (is_waiting(i) && ++count <= kMostNamed)
      text += fmt::format("{} worker {} waits {}", count == 1 ? "" : ",", i, for_what(i));
  return count > kMostNamed ? fmt::format("{}, and so do {} others", text, count - kMostNamed)
                            : text;
}

void World::begin(Rank worker, std::uint32_t iteration) {
  if (workers_at_.size() <= iteration)
    workers_at_.resize(2 * iteration + 1);
  --workers_at_[iteration_[worker]];
  ++workers_at_[iteration];
  iteration_[worker] = iteration;
  while (workers_at_[least_] == 0)
    ++least_;
  count_at(run_.gaps, iteration - least_);
  if (iteration < job_.kept)
    keep_begin(worker, iteration);
}

void World::keep_begin(Rank worker, std::uint32_t iteration) {
  if (is_ending_)  // those who stay behind have the links to themselves
    return run_.begins.resize(std::min<std::size_t>(run_.begins.size(), iteration));
  const bool occupies = job_.traffic.occupancy != nullptr && job_.traffic.network == nullptr;
  const std::size_t columns = (occupies ? std::size_t{2} : std::size_t{1}) * job_.workers;
  if (run_.begins.size() <= iteration)
    run_.begins.resize(iteration + 1, std::vector<Seconds>(columns, Seconds{-1}));
  run_.begins[iteration][worker] = now();
  if (occupies)
    run_.begins[iteration][job_.workers + worker] = occupied_until(worker);
}

// The messages of a round share the link, and begin when those of earlier rounds have left it.
Seconds World::wait_for_link(std::uint32_t round, Rank from, double slowness) {
  if (!job_.traffic.occupancy)
    return {};
  const Occupancy used = job_.traffic.occupancy(round, from);
  if (links_.size() <= used.link)
    links_.resize(used.link + 1);
  LinkUse& link = links_[used.link];
  if (link.sender != from || link.round != round || link.begin < Seconds{})
    link = {.sender = from, .round = round, .begin = std::max(now(), link.end), .end = link.end};
  link.end = std::max(link.end, link.begin + used.time * slowness);
  return link.begin - now();
}

Seconds World::occupied_until(Rank worker) const {
  Seconds until{-1};
  for (const std::size_t link : {worker, job_.workers + worker / job_.per_node})
    if (link < links_.size() && links_[link].end > agenda_.now())
      until = std::max(until, links_[link].end);
  return until;
}

bool World::finish(Rank worker, std::uint32_t count) {
  run_.iterations[worker] += count;
  is_ending_ = is_ending_ || run_.iterations[worker] >= job_.iterations;
  run_.computing += std::exchange(computed_[worker], {});
  done_ += count;
  run_.makespan = now();
  return done_ >= std::uint64_t{job_.workers} * job_.iterations;
}

void World::used(std::uint32_t age) {
  count_at(run_.staleness, age);
}

void World::show(Rank worker, bool computes, Cause cause, Seconds begin, Seconds end) {
  if (worker < job_.workers && iteration_[worker] < job_.shown)
    run_.spans.push_back({worker, iteration_[worker], computes, cause, begin, end});
}

World::Sleep World::compute(Rank worker, std::uint32_t iteration) {
  return compute(worker, iteration, 1);
}

World::Sleep World::compute(Rank worker, std::uint32_t iteration, double share) {
  const Seconds time = compute_time(job_, job_.slow_down, worker, iteration) * share;
  computed_[worker] += time;
  if (job_.shown > 0)
    show(worker, true, Cause::Update, now(), now() + time);
  return sleep(time);
}

World::Sleep World::lose(Rank worker, Cause cause, Seconds time) {
  run_.waiting[static_cast<std::size_t>(cause)] += time;
  if (job_.shown > 0)
    show(worker, false, cause, now(), now() + time);
  return sleep(time);
}

void World::Wait::await_suspend(std::coroutine_handle<> actor) {
  world.waiting_[waiter] = {actor, cause, world.now()};
}

void World::end_wait(std::uint32_t waiter) {
  const Waiting& waiting = waiting_[waiter];
  if (waiter >= job_.workers)
    return;
  run_.waiting[static_cast<std::size_t>(waiting.cause)] += now() - waiting.since;
  if (job_.shown > 0 && now() > waiting.since)
    show(waiter, false, waiting.cause, waiting.since, now());
}

void World::change_cause(std::uint32_t waiter, Cause cause) {
  if (!is_waiting(waiter))
    return;
  end_wait(waiter);
  waiting_[waiter].cause = cause;
  waiting_[waiter].since = now();
}

void World::wake(std::uint32_t waiter) {
  if (!is_waiting(waiter))
    return;
  end_wait(waiter);
  const Waiting waiting = std::exchange(waiting_[waiter], {});
  // One wakes the next: a chain of many would leave no stack.
  if (nested_ > kMostNested)
    return agenda_.resume_at(now(), waiting.actor);
  ++nested_;
  waiting.actor.resume();
  --nested_;
}

double World::transfer_slowness(std::span<const Rank> members, std::uint32_t number) const {
  const SlowDown& slow = job_.slow_down;
  if (slow.transfers.empty())
    return 1;
  std::vector<Rank> ranks;  // a worker of several goes by its first
  for (const Rank member : members)
    ranks.push_back(member * job_.ranks_per_worker);
  return slow.transfer_factor(ranks, iteration_[members.front()], number);
}

void World::send(std::uint32_t round, Rank from, Rank to, AgendaEntry arrived) {
  run_.models_sent += 1;
  if (from / job_.per_node != to / job_.per_node)
    run_.models_between_nodes += 1;
  const Rank ends[] = {from, to};
  const double slowness = transfer_slowness(ends, to);
  if (job_.traffic.network == nullptr)
    return agenda_.after(
        wait_for_link(round, from, slowness) + job_.traffic.message(round, from, to) * slowness,
        arrived);
  const Team pair{{Group{{from * job_.ranks_per_worker, to * job_.ranks_per_worker}}}};
  static constexpr std::uint32_t kOnly[] = {0};
  job_.traffic.network->start(
      {.kind = CollectiveKind::Send, .algorithm = Algorithm::Direct, .size = job_.model * slowness},
      {.team = &pair, .groups = kOnly}, job_.traffic.launch,
      [this, arrived] { agenda_.at(now(), arrived); });
}

void World::count_push() {
  run_.models_sent += 1;
  run_.models_between_nodes += 1;
}

void World::all_reduce(const std::vector<Rank>& members, AgendaEntry done) {
  if (members.size() < 2)
    return agenda_.after({}, done);
  // A ring over nodes crosses each once: 2 (q - 1) / q of a model.
  const auto q = static_cast<double>(members.size());
  double crossings = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    crossings += members[i] / job_.per_node != members[(i + 1) % members.size()] / job_.per_node;
  run_.models_sent += 2 * (q - 1);
  run_.models_between_nodes += crossings * 2 * (q - 1) / q;
  const double slowness = transfer_slowness(members, job_.workers);
  if (job_.traffic.network == nullptr)
    return agenda_.after(job_.traffic.all_reduce(members) * slowness, done);
  const Team team{{Group{members}}};
  static constexpr std::uint32_t kOnly[] = {0};
  job_.traffic.network->start({.size = job_.model * slowness}, {.team = &team, .groups = kOnly},
                              job_.traffic.launch, [this, done] { agenda_.at(now(), done); });
}

}  // namespace stepcast
