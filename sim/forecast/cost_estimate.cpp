#include "sim/forecast/cost_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "models/collective/collective.hpp"
#include "sim/engine/folding/folding.hpp"
#include "sim/engine/folding/network_section.hpp"
#include "sim/engine/folding/patterns.hpp"

// Measured on a core of 2.6 GHz with resnet50 under wfbp and dear on 64 to 16,384 GPUs: 38 MiB
// for the program, 4.9 kB for each GPU of a platform, 145 B for each task of a rank, 1.8 us for a
// flow, .1 us and 4 B for a message of `step`. Until the steady state shows an iteration is
// simulated about four times. Of a network that folds only the section is simulated. Cut models
// (gpt-22b under 1f1b, 64 to 8,192 GPUs, where it is simulated twice): .5 to 1.7 times the time at
// analytic, up to twice the memory; up to four times the time at flow, as their nodes fold. Finding
// out which ranks fold takes 375 B and 1 us for each rank in each pattern of a collective, where
// teams have several groups (kaisa on 16,384 and 65,536 GPUs), and gives the memory back. Where
// many communications are under way at once, what each asks of its ranks' links is found out at
// analytic: 2.9 us and 80 B for each rank (ps on 4,096 and 16,384 GPUs). At flow the shares of all
// flows under way are found anew as each starts and ends: .18 us for each of a flow's fellows (ps
// with ResNet-50 on 16 and 64 GPUs; DenseNet-201, BERT-Base and BERT-Large on 16 to 64 take .6 to
// 1.4 times that). `step` keeps the messages
// of every collective, those of rounds that repeat once (48 B), and of one that is under way how
// many each rank has yet to send and receive in every round (4 B).

namespace stepcast {
namespace {

constexpr double kProgramBytes = 4e7;
constexpr double kBytesOfGpu = 4900;
constexpr double kBytesOfTask = 145;
constexpr double kSecondsOfFlow = 1.8e-6;
constexpr double kSecondsOfMessage = 0.1e-6;
constexpr double kBytesOfMessage = 4;
constexpr double kBytesOfListedMessage = 48;
constexpr double kSecondsOfTask = 0.2e-6;
constexpr double kBytesOfFolding = 375;
constexpr double kSecondsOfFolding = 1e-6;
constexpr double kSecondsOfShare = 2.9e-6;
constexpr double kSecondsOfFellow = 0.18e-6;
constexpr double kFewAtOnce = 4;  // communications, which seldom meet on a link
constexpr double kBytesOfShare = 80;
constexpr double kIterations = 4;

/// Messages of one group's collective.
struct Messages {
  double sent = 0;
  double listed = 0;  ///< Of these in rounds that differ.
  double kept = 0;    ///< Ranks times rounds, where ranks go from round to round by themselves.
};

Messages counted(const Collective& collective, const Group& group, const Cluster& cluster) {
  const StepPlan steps = steps_of(collective, group, cluster);
  Messages messages;
  for (const Round& round : steps.rounds) {
    const auto each = static_cast<double>(round.messages.size());
    messages.listed += each;
    messages.sent += each * round.repeat;
    messages.kept += steps.barrier ? 0 : double{1} * group.size() * round.repeat;
  }
  return messages;
}

/// Exactly up to kCounted ranks; beyond, as counts grow from half as many to kCounted: ring,
/// pairwise and tree are powers of the number of ranks, or nearly.
Messages messages_of(const Collective& collective, const Group& group, const Cluster& cluster) {
  constexpr std::uint32_t kCounted = 128;
  if (group.size() <= kCounted)
    return counted(collective, group, cluster);
  Collective equal = collective;  // of a part of the group
  equal.shares.resize(std::min<std::size_t>(equal.shares.size(), kCounted));
  equal.root = std::min(equal.root, kCounted / 2 - 1);
  Group part{.ranks = {group.ranks.begin(), group.ranks.begin() + kCounted}};
  const Messages many = counted(equal, part, cluster);
  equal.shares.resize(equal.shares.size() / 2);
  part.ranks.resize(kCounted / 2);
  const Messages few = counted(equal, part, cluster);
  const double doublings = std::log2(static_cast<double>(group.size()) / kCounted);
  const auto grown = [&](double last, double before) {
    return before > 0 ? last * std::pow(last / before, doublings) : last;
  };
  return {.sent = grown(many.sent, few.sent),
          .listed = grown(many.listed, few.listed),
          .kept = grown(many.kept, few.kept)};
}

/// All messages of an iteration, and what is kept of them.
Messages step_messages(const Plan& plan, const Cluster& cluster) {
  using Key = std::tuple<TeamId, CollectiveKind, Algorithm, double, std::uint32_t>;
  std::map<Key, Messages> known;
  Messages all;
  double largest = 0;
  for (const Task& task : plan.graph.tasks()) {
    if (task.kind != TaskKind::Communication)
      continue;
    const Collective& asked = plan.collectives[task.collective].collective;
    const Team& team = plan.teams[task.team];
    const auto [found, is_new] = known.try_emplace(
        Key{task.team, asked.kind, asked.algorithm, asked.size.value, asked.root});
    if (is_new)
      found->second = messages_of(asked, team.groups.front(), cluster);
    const auto groups = static_cast<double>(team.groups.size());
    all.sent += found->second.sent * groups;
    all.listed += is_new ? found->second.listed * groups : 0;
    largest = std::max(largest, found->second.kept * groups);
  }
  all.kept = largest;
  return all;
}

Bytes memory_of(const Messages& messages) {
  return {kBytesOfListedMessage * messages.listed + kBytesOfMessage * messages.kept};
}

/// Flows of one communication of `ranks`: an edge each for all rounds.
double flows_of(double ranks, Fidelity fidelity) {
  return fidelity == Fidelity::Flow ? ranks : 0;
}

/// Of the GPUs and their flows.
double simulated_part(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  if (options.fidelity != Fidelity::Flow || !options.fold)
    return 1;
  const auto section = find_section(plan, cluster, {});
  return section ? static_cast<double>(section->nodes * section->gpus) / cluster.ranks() : 1;
}

/// How many communications may be under way at once.
double most_at_once(const Plan& plan) {
  std::vector<bool> communicates(plan.streams.size());
  for (const Task& task : plan.graph.tasks())
    if (task.kind == TaskKind::Communication)
      communicates[task.stream] = true;
  double sum = 0;
  for (std::size_t stream = 0; stream < plan.streams.size(); ++stream)
    if (const auto* rule = std::get_if<ByPriority>(&plan.streams[stream].rule);
        communicates[stream])
      sum += rule != nullptr ? std::max(1U, rule->at_once) : 1;
  return sum;
}

/// Ranks times communications that differ, whose shares of links are looked at.
double shared_places(const Plan& plan, const EngineOptions& options) {
  if (options.fidelity != Fidelity::Analytic || most_at_once(plan) <= kFewAtOnce)
    return 0;
  std::set<std::tuple<TeamId, CollectiveKind, std::uint32_t, double>> known;
  double places = 0;
  for (const Task& task : plan.graph.tasks())
    if (task.kind == TaskKind::Communication) {
      const Collective& asked = plan.collectives[task.collective].collective;
      if (known.emplace(task.team, asked.kind, asked.root, asked.size.value).second)
        places += static_cast<double>(plan.teams[task.team].ranks());
    }
  return places;
}

/// Ranks times patterns that folding compares.
double compared_places(const Plan& plan, const EngineOptions& options) {
  if (!options.fold ||
      std::ranges::none_of(plan.teams, [](const Team& team) { return team.groups.size() > 1; }))
    return 0;
  double places = 0;
  for (const auto& [pattern, collective] : patterns_of(plan))
    places += static_cast<double>(plan.teams[std::get<0>(pattern)].ranks());
  return places;
}

/// Tasks times classes that run them: where there are many, it is worth folding the ranks to know.
double folded_places(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  Folding folding = fold_ranks(plan, cluster, options);
  if (options.fidelity == Fidelity::Flow)
    if (auto assumed = assumed_folding(plan, cluster, options, folding))
      folding = *std::move(assumed);
  double places = 0;
  for (const Task& task : plan.graph.tasks())
    places += static_cast<double>(folding.members[task.team].size());
  return places;
}

/// 7.54 as "7.5", 551 as "551".
std::string in_two_digits(double number) {
  return number < 10 ? fmt::format("{:.2g}", number) : fmt::format("{:.0f}", number);
}

std::string in_words(Seconds time) {
  constexpr double kMany = 120;  // seconds, minutes
  constexpr double kHour = 3600;
  if (time.value < kMany)
    return in_two_digits(time.value) + " s";
  return time.value < kMany * 60 ? fmt::format("{:.0f} min", time.value / 60)
                                 : fmt::format("{:.0f} hours", time.value / kHour);
}

}  // namespace

CostEstimate cost_estimate(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  double places = 0;
  double flows = 0;
  for (const Task& task : plan.graph.tasks()) {
    const Team& team = plan.teams[task.team];
    const auto groups = static_cast<double>(team.groups.size());
    places += options.fold ? groups : static_cast<double>(team.ranks());
    if (task.kind != TaskKind::Communication)
      continue;
    flows += groups * flows_of(team.group_size(), options.fidelity);
  }
  constexpr double kManyPlaces = 2e6;
  constexpr double kManyCompared = 4e6;  // folding itself takes long
  const double compared = compared_places(plan, options);
  if (options.fold && places > kManyPlaces)
    places = compared < kManyCompared ? folded_places(plan, cluster, options) : kManyPlaces;
  const double iterations = options.iterations > 0 ? options.iterations : kIterations;
  if (options.fidelity == Fidelity::Step) {
    const Messages messages = step_messages(plan, cluster);
    return {.memory = memory_of(messages) + Bytes{kProgramBytes + kBytesOfTask * places},
            .time = {iterations * (kSecondsOfMessage * messages.sent + kSecondsOfTask * places)}};
  }
  const double part = simulated_part(plan, cluster, options);
  const double gpus = options.fidelity == Fidelity::Analytic ? 0 : cluster.ranks() * part;
  const double shared = shared_places(plan, options);
  const double at_once = most_at_once(plan);
  const double flow_s = kSecondsOfFlow + (at_once > kFewAtOnce ? kSecondsOfFellow * at_once : 0);
  const double simulated = kBytesOfGpu * gpus + kBytesOfTask * places + kBytesOfShare * shared;
  return {.memory = {kProgramBytes + std::max(simulated, kBytesOfFolding * compared)},
          .time = {iterations * (flow_s * flows * part + kSecondsOfTask * places) +
                   kSecondsOfFolding * compared + kSecondsOfShare * shared}};
}

Bytes least_memory(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  return options.fidelity == Fidelity::Step ? memory_of(step_messages(plan, cluster)) : Bytes{};
}

std::string in_words(const CostEstimate& estimate) {
  const double megabytes = estimate.memory.value * 1e-6;
  return fmt::format("about {} and {}",
                     megabytes < 1000 ? fmt::format("{:.0f} MB", megabytes)
                                      : in_two_digits(megabytes / 1000) + " GB",
                     in_words(estimate.time));
}

}  // namespace stepcast
