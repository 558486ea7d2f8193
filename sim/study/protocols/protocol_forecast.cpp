#include "sim/study/protocols/protocol_forecast.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "models/schedule/decentralised/schedules.hpp"
#include "models/schedule/registry.hpp"
#include "sim/engine/engine.hpp"
#include "sim/protocol/protocol_job.hpp"

// The forecast of a worker by himself gives all that does not depend on the others (memory, device,
// provenance); the protocol's times then take the place of his. Its own runs are cheap, so that the
// report is made from several seeds, run once more.

namespace stepcast {
namespace {

constexpr std::uint32_t kReported = 8;  // seeds whose gaps and waits are told
constexpr std::uint32_t kRecursionBlock = 16;

struct Setting {
  ScheduleOptions options;
  Protocol protocol;
  ProtocolJob job;
  Plan worker;
};

Setting setting_of(const Scenario& scenario, const std::string& schedule) {
  const ScheduleInfo& info = schedule_of(schedule);
  ScheduleOptions options = effective_options(info, scenario.settings.schedule);
  const OptionReader read(info.name, info.options, options);
  Protocol protocol = protocol_of(read, scenario.cluster, parameter_size(scenario.workload));
  const std::uint32_t iterations =
      scenario.engine.iterations > 0 ? scenario.engine.iterations : Chance::kIterations;
  SlowDown slow = scenario.engine.slow_down;
  for (const auto& [rank, factor] : scenario.settings.stragglers)
    slow.laws.emplace_back(SlowDown::Fixed{rank, factor});
  ProtocolJob job = job_of(scenario.workload, scenario.cluster, protocol, slow, iterations);
  Plan worker = worker_plan(scenario.workload, scenario.cluster, read);
  return {.options = std::move(options),
          .protocol = std::move(protocol),
          .job = std::move(job),
          .worker = std::move(worker)};
}

// Of one seed; the recursion's come in blocks, the last of which is kept.
class SeedTimes {
 public:
  SeedTimes(const Scenario& scenario, const Setting& setting)
      : scenario_(scenario), setting_(setting) {}

  Seconds time(std::uint64_t seed) {
    if (scenario_.engine.fidelity != Fidelity::Analytic || !setting_.protocol.recursion ||
        !setting_.job.slow_down.transfers.empty())
      return run(seed).iteration_time();
    if (known_.empty() || seed < first_ || seed >= first_ + known_.size()) {
      first_ = seed - seed % kRecursionBlock;
      known_ = setting_.protocol.recursion(setting_.job, first_, kRecursionBlock);
    }
    return known_[seed - first_];
  }

  ProtocolRun run(std::uint64_t seed, std::uint32_t shown = 0) const {
    ProtocolJob job = setting_.job;
    job.slow_down.seed = seed;
    job.shown = shown;
    return run_protocol(setting_.protocol, std::move(job), scenario_.cluster,
                        scenario_.engine.fidelity);
  }

 private:
  const Scenario& scenario_;
  const Setting& setting_;
  std::uint64_t first_ = 0;
  std::vector<Seconds> known_;
};

void add_counts(std::vector<double>& sums, const std::vector<std::uint64_t>& counts) {
  if (sums.size() < counts.size())
    sums.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    sums[i] += static_cast<double>(counts[i]);
}

void make_shares(std::vector<double>& counts) {
  double sum = 0;
  for (const double count : counts)
    sum += count;
  for (double& count : counts)
    count /= sum > 0 ? sum : 1;
}

/// Sums over the reported seeds.
struct Totals {
  double iterations = 0;
  double slowest = 0;  // iterations of the slowest workers
  Seconds time{};
  Seconds computing{};
  std::array<Seconds, kCauses> waiting{};
  double sent = 0;
  double between_nodes = 0;
  ProtocolReport report;

  void add(const ProtocolRun& run) {
    iterations += static_cast<double>(run.all_iterations());
    slowest += *std::ranges::min_element(run.iterations);
    time += run.makespan;
    computing += run.computing;
    for (std::size_t i = 0; i < kCauses; ++i)
      waiting[i] += run.waiting[i];
    sent += run.models_sent;
    between_nodes += run.models_between_nodes;
    add_counts(report.gaps, run.gaps);
    add_counts(report.staleness, run.staleness);
  }
};

bool is_transfer(Cause cause) {
  return cause == Cause::Transfer || cause == Cause::Server;
}

// Parts of a mean iteration of a worker; what was under way when the run ended is no more than idle
// time.
void add_parts(Forecast& forecast, const Totals& totals, const Workload& workload) {
  const Seconds passes = forward_time(workload) + backward_time(workload);
  const double slowness = totals.computing / totals.iterations / passes;
  Breakdown& parts = forecast.breakdown;
  parts = {.forward = forward_time(workload) * slowness,
           .backward = backward_time(workload) * slowness};
  if (workload.update > Seconds{})
    parts.other_compute.push_back({"update", workload.update});
  Seconds transfers{};
  for (std::size_t i = 0; i < kCauses; ++i) {
    const auto cause = static_cast<Cause>(i);
    const Seconds each = totals.waiting[i] / totals.iterations;
    if (each > Seconds{})
      forecast.protocol.waiting.push_back({name_of(cause), each});
    (is_transfer(cause) ? transfers : parts.waiting) += each;
  }
  if (transfers > Seconds{})
    parts.exposed_communication.push_back({"models", transfers});
  const Seconds rest = forecast.iteration_time - total_of(parts);
  if (rest >= Seconds{})
    parts.idle = rest;
  else
    scale(parts, forecast.iteration_time / total_of(parts));
  forecast.communication = parts.exposed_communication;
}

void add_path(Forecast& forecast) {
  Seconds begin{};
  const auto add = [&](std::string what, Seconds time) {
    if (time > Seconds{})
      forecast.critical_path.push_back({std::move(what), begin, time});
    begin += time;
  };
  const Breakdown& parts = forecast.breakdown;
  forecast.critical_path.clear();
  add("forward, backward and update",
      parts.forward + parts.backward + total_of(parts.other_compute));
  add("models under way", total_of(parts.exposed_communication));
  add("waiting for others", parts.waiting);
  add("idle", parts.idle);
}

void add_reasons(Forecast& forecast) {
  forecast.why.clear();
  const Seconds compute = forecast.breakdown.forward + forecast.breakdown.backward;
  forecast.why.push_back(fmt::format(
      "A worker computes {} of a mean iteration of {} ({:.1f} %).", format_seconds(compute),
      format_seconds(forecast.iteration_time), 100 * (compute / forecast.iteration_time)));
  const auto longest = std::ranges::max_element(forecast.protocol.waiting, {}, &NamedTime::time);
  if (longest != forecast.protocol.waiting.end())
    forecast.why.push_back(fmt::format("It waits longest for {}: {} ({:.1f} %).", longest->name,
                                       format_seconds(longest->time),
                                       100 * (longest->time / forecast.iteration_time)));
}

void add_cautions(Forecast& forecast, const Scenario& scenario, const Setting& setting) {
  const auto note = [&](NoteKind kind, const char* subject, std::string text) {
    forecast.notes.push_back({kind, subject, std::move(text)});
  };
  note(NoteKind::Scope, "convergence",
       "Iterations are compared, not losses: how many it takes to a target is not forecast.");
  if (scenario.engine.fidelity == Fidelity::Analytic && !setting.protocol.graph)
    note(NoteKind::Fidelity, "links",
         "At analytic fidelity each transfer has its links to itself; flow shares them.");
  if (scenario.workload.input > Seconds{})
    note(NoteKind::Scope, "input",
         "The input pipeline (input_per_sample_s) is left out: every worker has its samples in "
         "time.");
  if (scenario.cluster.software.jitter > 0)
    note(NoteKind::Cluster, "jitter",
         fmt::format("software.jitter {}: every worker is delayed by chance in every iteration, "
                     "with that mean.",
                     scenario.cluster.software.jitter));
  if (const auto servers = setting.options.find("servers");
      servers != setting.options.end() && servers->second == "nodes")
    note(NoteKind::Option, "servers",
         fmt::format("servers=nodes: {0} servers, machines of their own, each with 1/{0} of the "
                     "model. A node more brings one more, which adds up its smaller part of a "
                     "push sooner, while a node's NIC carries what it did: iterations may so get "
                     "shorter with more nodes.",
                     scenario.cluster.nodes));
  if (setting.options.contains("staleness") && setting.options.at("staleness") != "0" &&
      setting.options.at("max_gap") == "0")
    note(NoteKind::Option, "staleness",
         "staleness without tokens: workers may be (staleness + 1) hops apart, without further "
         "bound.");
}

void take_times(Forecast& forecast, const Totals& totals, const Scenario& scenario,
                const SeedSpread& spread) {
  forecast.spread = spread;
  forecast.iteration_time = spread.mean;
  forecast.worst_iteration_time = std::max(spread.p95.value, spread.mean);
  forecast.steady = spread.seeds <= 1;
  forecast.iterations_simulated = spread.iterations;
  forecast.throughput = scenario.workload.batch * scenario.cluster.ranks() / spread.mean.value;
  forecast.scaling_efficiency =
      (forward_time(scenario.workload) + backward_time(scenario.workload)) / spread.mean;
  forecast.fastest_waiting = {};
  forecast.links.clear();
  const Bytes model = parameter_size(scenario.workload);
  forecast.sent_per_gpu = model * (totals.sent / totals.iterations);
  ProtocolReport& report = forecast.protocol = totals.report;
  report.iterations_per_s = totals.iterations / totals.time.value;
  report.slowest_iterations_per_s = totals.slowest / totals.time.value;
  report.sent_per_nic =
      model * (totals.between_nodes / totals.iterations * scenario.cluster.gpus_per_node);
  make_shares(report.gaps);
  make_shares(report.staleness);
}

}  // namespace

ScheduleRun protocol_run(const Scenario& scenario, const std::string& schedule) {
  const Setting setting = setting_of(scenario, schedule);
  SeedTimes times(scenario, setting);
  Chance chance = scenario.chance;
  const bool draws = setting.job.slow_down.is_chance() || setting.protocol.draws;
  if (!draws)
    chance.seeds = 1;
  const auto results = run_seeds(chance, [&](std::uint64_t seed) {
    return SeedResult{.time = times.time(seed).value, .details = {}};
  });
  Totals totals;
  for (std::uint64_t seed = 0; seed < std::min<std::size_t>(kReported, results.size()); ++seed)
    totals.add(times.run(seed));

  EngineOptions alone = scenario.engine;
  alone.slow_down = {};
  alone.iterations = 0;
  Timeline timeline = simulate(setting.worker, scenario.cluster, alone);
  Forecast forecast = make_forecast(scenario.workload, scenario.cluster, setting.worker,
                                    setting.options, scenario.engine.fidelity, timeline);
  const SeedSpread spread = spread_of(results, setting.job.iterations);
  take_times(forecast, totals, scenario, spread);
  if (spread.seeds > 1)
    forecast.notes.push_back(note_on(spread));
  add_parts(forecast, totals, scenario.workload);
  add_path(forecast);
  add_reasons(forecast);
  add_cautions(forecast, scenario, setting);
  if (!draws)
    forecast.spread = {};
  return {.plan = setting.worker, .timeline = std::move(timeline), .forecast = std::move(forecast)};
}

std::string protocol_trace(const Scenario& scenario, const std::string& schedule) {
  constexpr std::uint32_t kShown = 8;
  const Setting setting = setting_of(scenario, schedule);
  const ProtocolRun run = SeedTimes(scenario, setting).run(0, kShown);
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  for (Rank worker = 0; worker < setting.job.workers; ++worker)
    text += fmt::format(
        R"({{"ph":"M","name":"thread_name","pid":0,"tid":{0},"args":{{"name":"worker {0}"}}}},)"
        "\n",
        worker);
  for (const WorkerSpan& span : run.spans) {
    const std::string name = span.computes ? fmt::format("iteration {}", span.iteration)
                                           : fmt::format("waits for {}", name_of(span.cause));
    text += fmt::format(
        R"({{"ph":"X","name":"{}","cat":"{}","pid":0,"tid":{},"ts":{:.3f},"dur":{:.3f}}},)"
        "\n",
        name, span.computes ? "compute" : "wait", span.worker, span.begin.value * 1e6,
        (span.end - span.begin).value * 1e6);
  }
  text += fmt::format(R"({{"ph":"M","name":"process_name","pid":0,"args":{{"name":"{}: {}"}}}})",
                      schedule, scenario.workload.name);
  return text + "\n]}\n";
}

}  // namespace stepcast
