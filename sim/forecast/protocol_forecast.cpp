#include "sim/forecast/protocol_forecast.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/archive.hpp"
#include "models/base/text.hpp"
#include "models/schedule/decentralised/schedules.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/asynchronous/protocol_job.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/protocol_parts.hpp"
#include "sim/forecast/time_alone.hpp"

// The forecast of a worker by himself gives all that does not depend on the others (memory, device,
// provenance); the protocol's times then take the place of his. Its own runs are cheap, so that the
// report is made from several seeds, run once more.

namespace stepcast {
namespace {

constexpr std::uint32_t kReported = 8;  // seeds whose gaps and waits are told
constexpr std::uint32_t kRecursionBlock = 16;

// If partners are drawn and no slow-down is, all workers are equal and each draws for itself: 3,000
// workers in 3 seeds say as much of the mean iteration as 64 workers in 100.
constexpr std::uint32_t kEnoughWorkers = 64 * Chance::kSeeds;
constexpr std::uint32_t kFewestSeeds = 2;

struct Setting {
  ScheduleOptions options;
  Protocol protocol;
  ProtocolJob job;
  Plan worker;

  bool draws() const { return job.slow_down.is_chance() || protocol.draws; }
  // Whether no message is a flow that shares links as it comes.
  bool is_quick(Fidelity fidelity) const {
    return protocol.has_servers || (fidelity == Fidelity::Analytic && !protocol.meets);
  }
};

Chance chance_of(const Scenario& scenario, const Setting& setting) {
  Chance chance = scenario.chance;
  if (!chance.asked && !setting.job.slow_down.is_chance() && chance.seeds > kFewestSeeds) {
    const std::uint32_t enough =
        (kEnoughWorkers + setting.job.workers - 1) / std::max(1U, setting.job.workers);
    chance.seeds = std::min(chance.seeds, std::max(kFewestSeeds, enough));
  }
  return chance;
}

Setting setting_of(const Scenario& scenario, const std::string& schedule) {
  const ScheduleInfo& info = schedule_of(schedule);
  ScheduleOptions options = effective_options(info, scenario.settings.schedule, scenario.workload);
  const OptionReader read(info.name, info.options, options);
  Protocol protocol = protocol_of(read, scenario.cluster, parameter_size(scenario.workload));
  SlowDown slow = scenario.engine.slow_down;
  for (const auto& [rank, factor] : scenario.settings.stragglers)
    slow.laws.emplace_back(SlowDown::Fixed{rank, factor});
  const std::uint32_t asked = scenario.engine.iterations;
  ProtocolJob job = job_of(scenario.workload, scenario.cluster, protocol, slow,
                           asked > 0 ? asked : protocol.period.whole(Chance::kIterations));
  if (asked == 0)
    job.before = protocol.period.first;
  Plan worker = worker_plan(scenario.workload, scenario.cluster, read);
  return {.options = std::move(options),
          .protocol = std::move(protocol),
          .job = std::move(job),
          .worker = std::move(worker)};
}

// A part of a training whose rules stay the same, mostly the whole of it.
struct Part {
  const Protocol& rules;
  ProtocolJob job;
  double share = 1;       // of the iterations of the training
  double iterations = 0;  // of the training; 0: as many as are simulated
  std::uint64_t first = 0;
  std::vector<Seconds> known{};  // of the recursion's seeds from `first` on
};

std::vector<Part> parts_of(const Scenario& scenario, const Setting& setting) {
  std::vector<Part> parts;
  double iterations = 0;
  for (const Protocol& rules : setting.protocol.parts) {
    ProtocolJob job = setting.job;
    const std::uint32_t asked = scenario.engine.iterations;
    job.iterations = rules.period.whole(asked > 0 ? asked : Chance::kIterations);
    parts.push_back({.rules = rules,
                     .job = std::move(job),
                     .iterations = static_cast<double>(rules.iterations)});
    iterations += rules.iterations;
  }
  for (Part& part : parts)
    part.share = part.iterations / iterations;
  if (parts.empty())
    parts.push_back({.rules = setting.protocol, .job = setting.job});
  return parts;
}

// What came of one seed in all parts.
struct SeedRun {
  Seconds time{};  // of an iteration
  ProtocolTotals totals{};
  std::uint32_t iterations = 0;
  bool steady = true;

  void add(const Part& part, const ProtocolRun& run) {
    time += run.iteration_time() * part.share;
    ProtocolTotals more;
    more.add(run);
    if (part.iterations > 0)
      more.scale(part.iterations * part.job.workers / more.iterations);
    totals.add(more);
  }
};

// Of one seed; the recursion's come in blocks, the last of which is kept.
class SeedTimes {
 public:
  SeedTimes(const Scenario& scenario, const Setting& setting)
      : scenario_(scenario), setting_(setting), parts_(parts_of(scenario, setting)) {}

  bool has_recursion() const {
    return scenario_.engine.fidelity == Fidelity::Analytic && setting_.protocol.recursion &&
           setting_.job.slow_down.transfers.empty();
  }

  Seconds time(std::uint64_t seed) {
    if (!has_recursion())
      return run(seed).time;
    Seconds sum{};
    for (Part& part : parts_)
      sum += time(part, seed) * part.share;
    return sum;
  }

  SeedRun run(std::uint64_t seed) const {
    SeedRun all;
    for (const Part& part : parts_) {
      all.add(part, run(part, seed));
      all.iterations += part.job.iterations;
    }
    return all;
  }

  ProtocolRun shown_run(std::uint32_t shown) const { return run(parts_.front(), 0, shown); }

  // Where nothing is drawn.
  SeedRun only_run() const {
    const RunLength length{.least = shortest_run(), .most = longest_run()};
    SeedRun all;
    for (const Part& part : parts_) {
      const RunJob run_job = [&](const ProtocolJob& job) { return run(part.rules, job); };
      const CountedRun counted = scenario_.engine.iterations > 0
                                     ? first_run(part.job, part.rules.period, run_job, length)
                                     : steady_run(part.job, part.rules.period, run_job, length);
      all.add(part, counted.run);
      all.iterations += counted.iterations;
      all.steady = all.steady && counted.steady;
    }
    return all;
  }

  std::uint32_t iterations() const {
    std::uint32_t sum = 0;
    for (const Part& part : parts_)
      sum += part.job.iterations;
    return sum;
  }

 private:
  Seconds time(Part& part, std::uint64_t seed) const {
    if (part.known.empty() || seed < part.first || seed >= part.first + part.known.size()) {
      part.first = seed - seed % kRecursionBlock;
      part.known = part.rules.recursion(part.job, part.first, kRecursionBlock);
    }
    return part.known[seed - part.first];
  }

  // Beyond 26,000 workers fewer iterations, which take half a second: the steady state of workers
  // in the same state shows from the first on, and else the run gets longer.
  std::uint32_t shortest_run() const {
    constexpr std::uint32_t kFewest = 8;
    return std::min(Chance::kIterations, std::max(kFewest, (1U << 19U) / setting_.job.workers));
  }

  // Some tenths of a second: an iteration of a worker takes about 1 us, or 15 where SimGrid moves
  // its messages. Those of earlier iterations that are still under way share links with them, and
  // sharing is worked out for all of them at the end of each.
  std::uint32_t longest_run() const {
    const bool is_quick = setting_.is_quick(scenario_.engine.fidelity);
    const std::uint64_t at_once = std::max(1U, is_quick ? 1U : setting_.protocol.earlier);
    return std::max(scenario_.engine.max_iterations,
                    static_cast<std::uint32_t>((is_quick ? 1U << 18U : 1U << 14U) /
                                               (at_once * setting_.job.workers)));
  }

  ProtocolRun run(const Part& part, std::uint64_t seed, std::uint32_t shown = 0) const {
    ProtocolJob job = part.job;
    job.slow_down.seed = seed;
    job.shown = shown;
    return run(part.rules, std::move(job));
  }

  ProtocolRun run(const Protocol& rules, ProtocolJob job) const {
    return run_protocol(rules, std::move(job), scenario_.cluster, scenario_.engine);
  }

  const Scenario& scenario_;
  const Setting& setting_;
  std::vector<Part> parts_;
};

// What came of all seeds, or of the only run.
struct Results {
  SeedSpread spread;
  ProtocolTotals totals;
  bool steady = false;
};

Results by_chance(SeedTimes& times, const Setting& setting, const Scenario& scenario) {
  const auto seeds = run_seeds(chance_of(scenario, setting), [&](std::uint64_t seed) {
    if (seed >= kReported || times.has_recursion())
      return SeedResult{.time = times.time(seed).value, .details = {}};
    const SeedRun run = times.run(seed);
    return SeedResult{.time = run.time.value, .details = bytes_of(run.totals)};
  });
  Results results{.spread = spread_of(seeds, times.iterations()), .totals = {}};
  for (std::uint64_t seed = 0; seed < std::min<std::size_t>(kReported, seeds.size()); ++seed)
    if (const std::string& known = seeds[seed].details; known.empty())
      results.totals.add(times.run(seed).totals);
    else
      results.totals.add(from_bytes<ProtocolTotals>(known));
  return results;
}

Results by_rule(const SeedTimes& times) {
  const SeedRun counted = times.only_run();
  return {.spread = spread_of({{.time = counted.time.value, .details = {}}}, counted.iterations),
          .totals = counted.totals,
          .steady = counted.steady};
}

Results unchecked_results(const Scenario& scenario, const Setting& setting) {
  SeedTimes times(scenario, setting);
  return setting.draws() ? by_chance(times, setting, scenario) : by_rule(times);
}

// Whether nodes send more than their adapters carry in that time, but for models that are still
// under way at the end.
bool exceeds_adapters(const Results& results, const Setting& setting, const Scenario& scenario) {
  constexpr double kRounding = 1e-9;
  const double under_way = results.steady ? 0 : 1.0 + setting.protocol.earlier;
  const double models = results.totals.between_nodes / results.totals.iterations;
  const Seconds busy =
      setting.job.model * (models * setting.job.per_node) / node_link(scenario.cluster).bandwidth;
  return results.spread.mean < busy * (1 - kRounding - under_way / results.spread.iterations);
}

// Each round of a graph shares its links in closed form. Where rounds of several workers overlap,
// they may ask for more than there is: then their messages share links as they come.
Results results_of(const Scenario& scenario, Setting& setting) {
  Results results = unchecked_results(scenario, setting);
  if (!setting.is_quick(scenario.engine.fidelity) || setting.protocol.has_servers ||
      !exceeds_adapters(results, setting, scenario))
    return results;
  setting.protocol.meets = true;
  setting.protocol.recursion = nullptr;
  return unchecked_results(scenario, setting);
}

void add_cautions(Forecast& forecast, const Scenario& scenario, const Setting& setting) {
  const auto note = [&](NoteKind kind, const char* subject, std::string text) {
    forecast.notes.push_back({kind, subject, std::move(text)});
  };
  note(NoteKind::Scope, "convergence",
       "Iterations are compared, not losses: how many it takes to a target is not forecast.");
  if (!setting.protocol.stages.empty())
    note(NoteKind::Scope, "stages", setting.protocol.stages);
  if (scenario.engine.fidelity == Fidelity::Analytic && setting.protocol.meets)
    note(NoteKind::Fidelity, "links",
         "At analytic fidelity transfers that meet share their links within a few percent of their "
         "fair shares; flow shares them exactly.");
  if (setting.protocol.draws_ties && !setting.job.slow_down.is_chance())
    note(NoteKind::Option, "slow",
         "Of workers that come at once a draw makes groups. Where nobody is slow by chance "
         "the members of a group keep coming at once and stay together.");
  if (setting.protocol.dropped > 0)
    note(NoteKind::Option, "backup",
         fmt::format("A step takes the first {} of {} gradients; samples/s and scaling efficiency "
                     "count no others, which are dropped.",
                     setting.job.workers - setting.protocol.dropped, setting.job.workers));
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

// Whose iterations differ: a mean over seeds, of start-up and part of a period, or of no pattern.
void add_steadiness(Forecast& forecast, const Scenario& scenario, const Setting& setting) {
  const auto note = [&](std::string text) {
    forecast.notes.push_back({NoteKind::Scope, "iterations", std::move(text)});
  };
  const std::uint32_t asked = scenario.engine.iterations;
  if (asked == 0 && setting.job.before > 0)
    note(
        fmt::format("The first {} iterations, which average every time (in_step), are left out. "
                    "Iterations that are asked for are the first.",
                    setting.job.before));
  if (forecast.spread.seeds > 1) {
    forecast.notes.push_back(note_on(forecast.spread));
    if (forecast.spread.seeds < scenario.chance.seeds)
      forecast.notes.back().text +=
          fmt::format(" {} seeds are enough, as in each {} equal workers draw for themselves.",
                      forecast.spread.seeds, setting.job.workers);
  } else if (!forecast.steady && asked > 0)
    note(
        fmt::format("A mean of the first {} iterations, not of the steady state: start-up is among "
                    "them, or they are no whole periods.",
                    asked));
  else if (!forecast.steady)
    note(fmt::format("No steady state was found: the iteration time is a mean of {} iterations.",
                     forecast.iterations_simulated));
}

void make_shares(std::vector<double>& counts) {
  double sum = 0;
  for (const double count : counts)
    sum += count;
  for (double& count : counts)
    count /= sum > 0 ? sum : 1;
}

void take_times(Forecast& forecast, const Scenario& scenario, const Setting& setting,
                const Results& results) {
  const SeedSpread& spread = results.spread;
  forecast.spread = setting.draws() ? spread : SeedSpread{};
  forecast.iteration_time = spread.mean;
  forecast.worst_iteration_time = std::max(spread.p95.value, spread.mean);
  forecast.steady = results.steady;
  forecast.iterations_simulated = spread.iterations;
  const double used = 1 - static_cast<double>(setting.protocol.dropped) / setting.job.workers;
  forecast.throughput =
      used * scenario.workload.batch * scenario.cluster.ranks() / spread.mean.value;
  forecast.scaling_efficiency =
      used * (time_alone(scenario.workload, scenario.cluster, setting.worker) / spread.mean);
  forecast.fastest_waiting = {};
  forecast.links.clear();
  const Bytes model = parameter_size(scenario.workload);
  const ProtocolTotals& totals = results.totals;
  forecast.sent_per_gpu = model * (totals.sent / totals.iterations);
  forecast.engine = totals.engine;
  ProtocolReport& report = forecast.protocol = totals.report;
  report.iterations_per_s = totals.iterations / totals.time.value;
  report.slowest_iterations_per_s = totals.slowest / totals.time.value;
  report.sent_per_nic = model * (totals.between_nodes / totals.iterations * setting.job.per_node);
  report.dropped = setting.protocol.dropped;
  for (const Protocol& part : setting.protocol.parts) {
    report.training_iterations += part.iterations;
    report.rounds += part.iterations / part.period.iterations;
  }
  make_shares(report.gaps);
  make_shares(report.staleness);
}

}  // namespace

PeerGraphSize graph_size_of(const Scenario& scenario, const std::string& schedule) {
  const ScheduleInfo& info = schedule_of(schedule);
  return graph_size_of(
      OptionReader(info.name, info.options, effective_options(info, scenario.settings.schedule)),
      scenario.cluster);
}

ProtocolWork work_of(const Scenario& scenario, const std::string& schedule) {
  const Setting setting = setting_of(scenario, schedule);
  const std::uint32_t workers = setting.job.workers;
  const ProtocolPace& pace = setting.protocol.pace;
  const bool is_analytic =
      scenario.engine.fidelity == Fidelity::Analytic || setting.protocol.has_servers;
  const Seconds each = is_analytic ? pace.analytic : pace.alone + pace.for_each_worker * workers;
  return {.workers = workers,
          .iterations = SeedTimes(scenario, setting).iterations(),
          .seeds = setting.draws() ? chance_of(scenario, setting).seeds : 1,
          .draws = setting.draws(),
          .has_recursion = SeedTimes(scenario, setting).has_recursion(),
          .shares_links = !setting.is_quick(scenario.engine.fidelity),
          .iteration = each * workers};
}

Seconds protocol_step(const Scenario& scenario, const std::string& schedule) {
  Setting setting = setting_of(scenario, schedule);
  return results_of(scenario, setting).spread.mean;
}

ScheduleRun protocol_run(const Scenario& scenario, const std::string& schedule) {
  Setting setting = setting_of(scenario, schedule);
  const Results results = results_of(scenario, setting);

  EngineOptions alone = scenario.engine;
  alone.slow_down = {};
  alone.iterations = 0;
  Timeline timeline = simulate(setting.worker, scenario.cluster, alone);
  Forecast forecast = make_forecast(scenario.workload, scenario.cluster, setting.worker,
                                    setting.options, scenario.engine.fidelity, timeline);
  take_times(forecast, scenario, setting, results);
  // What is said of a lone worker's steady state is not true of all.
  std::erase_if(forecast.notes, [](const Note& each) { return each.subject == "iterations"; });
  add_steadiness(forecast, scenario, setting);
  tell_parts(forecast, results.totals, scenario.workload, setting.job);
  add_cautions(forecast, scenario, setting);
  return {.plan = setting.worker,
          .timeline = std::move(timeline),
          .forecast = std::move(forecast),
          .passes = std::nullopt,
          .engine = scenario.engine,
          .workers_trace = [scenario, schedule] { return protocol_trace(scenario, schedule); }};
}

std::string protocol_trace(const Scenario& scenario, const std::string& schedule) {
  constexpr std::uint32_t kShown = 8;
  Setting setting = setting_of(scenario, schedule);
  results_of(scenario, setting);  // which may let messages share links
  const ProtocolRun run = SeedTimes(scenario, setting).shown_run(kShown);
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
