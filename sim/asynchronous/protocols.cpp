#include "sim/asynchronous/protocols.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/asynchronous/ad_psgd.hpp"
#include "sim/asynchronous/hop.hpp"
#include "sim/asynchronous/local_sgd.hpp"
#include "sim/asynchronous/neighbours.hpp"
#include "sim/asynchronous/parameter_server.hpp"
#include "sim/asynchronous/prague.hpp"
#include "sim/asynchronous/recursion.hpp"

namespace stepcast {
namespace {

constexpr const char* kAdPsgd = "ad-psgd";

/// What the options of a protocol are read for.
struct Site {
  const OptionReader& read;
  const Cluster& cluster;
  Bytes model{};

  Topology topology() const {
    return read.choice_of<Topology>("graph", {{"ring", Topology::Ring},
                                              {"ring-based", Topology::RingBased},
                                              {"double-ring", Topology::DoubleRing},
                                              {"exponential", Topology::Exponential},
                                              {"one-peer", Topology::OnePeer},
                                              {"inner-outer", Topology::InnerOuter},
                                              {"torus", Topology::Torus},
                                              {"random", Topology::Random},
                                              {"star", Topology::Star},
                                              {"complete", Topology::Complete}});
  }
  bool has(const char* option) const {
    return std::ranges::count(schedule_of(read.schedule()).options, option, &OptionInfo::name) > 0;
  }
  bool of_nodes() const { return has("hierarchical") && read.is("hierarchical", "yes"); }
  std::uint32_t workers() const { return of_nodes() ? cluster.nodes : cluster.ranks(); }
  PeerGraphOptions graph_options() const {
    return {.topology = topology(),
            .per_node = of_nodes() ? 1 : cluster.gpus_per_node,
            .degree = read.count("degree")};
  }
  PeerGraph graph() const { return make_peer_graph(workers(), graph_options()); }
  /// Partners are drawn among all others, of whom no list is needed.
  bool draws_among_all() const {
    return read.schedule() == kAdPsgd && topology() == Topology::Complete && workers() > 1;
  }
};

Protocol in_step(const NeighbourOptions& options) {
  const Recursion recursion{.graph = options.graph, .send = options.send, .delay = options.delay};
  return {.run = [options](const ProtocolJob& job) { return run_neighbours(job, options); },
          .recursion =
              [recursion](const ProtocolJob& job, std::uint64_t first, std::uint32_t seeds) {
                return recursion_times(job, recursion, first, seeds);
              },
          .graph = options.graph,
          .period = {.iterations = options.graph.rounds(), .memory = options.delay + 1}};
}

Protocol d_psgd(const Site& site) {
  Protocol protocol = in_step(
      {.graph = site.graph(),
       .send = site.read.choice_of<SendTime>("send", {{"parallel", SendTime::Beside},
                                                      {"after-forward", SendTime::AfterForward},
                                                      {"serial", SendTime::Behind}})});
  protocol.of_nodes = site.of_nodes();
  return protocol;
}

Protocol sgp(const Site& site) {
  Protocol protocol = in_step({.graph = site.graph(), .delay = site.read.count("overlap")});
  protocol.earlier = site.read.count("overlap");
  protocol.nic_in_turn = site.topology() == Topology::InnerOuter && protocol.period.memory > 1;
  if (protocol.nic_in_turn)
    protocol.recursion = nullptr;  // it knows the links of single workers
  return protocol;
}

Protocol hop(const Site& site) {
  const OptionReader& read = site.read;
  HopOptions options{.graph = site.graph(),
                     .max_gap = read.count("max_gap"),
                     .backup = read.count("backup"),
                     .staleness = read.count("staleness"),
                     .max_skip = read.count("max_skip")};
  if (options.graph.rounds() > 1)
    read.fail("graph", "hop needs the same neighbours in every iteration");
  options.skip_trigger =
      read.is("skip_trigger", "max_gap") ? options.max_gap : read.count("skip_trigger");
  check_hop(options);
  Protocol protocol{
      .run = [options](const ProtocolJob& job) { return run_hop(job, options); },
      .recursion = nullptr,
      .graph = options.graph,
      .earlier = options.backup > 0 ? std::max(1U, options.max_gap - 1) : options.staleness,
      .period = {.memory = std::max(options.max_gap, options.staleness + 1)}};
  constexpr std::uint32_t kMostBackups = 7;  // of the recursion
  if (options.max_skip == 0 && options.backup <= kMostBackups) {
    const Recursion recursion{.graph = options.graph,
                              .delay = options.staleness,
                              .backup = options.backup,
                              .max_gap = options.max_gap};
    protocol.recursion = [recursion](const ProtocolJob& job, std::uint64_t first,
                                     std::uint32_t seeds) {
      return recursion_times(job, recursion, first, seeds);
    };
  }
  return protocol;
}

Protocol ad_psgd(const Site& site) {
  AdPsgdOptions options{
      .graph = site.draws_among_all() ? std::nullopt : std::optional(site.graph()),
      .rule = site.read.choice_of<PairRule>("rule", {{"bipartite", PairRule::Bipartite},
                                                     {"rank-order", PairRule::RankOrder},
                                                     {"none", PairRule::None}}),
      .averaging = site.read.choice_of<Averaging>(
          "averaging", {{"beside", Averaging::Beside}, {"blocking", Averaging::Blocking}})};
  if (const BytesPerSecond rate = site.cluster.software.ps_sum_bandwidth; rate > BytesPerSecond{})
    options.sum = site.model / rate;
  if (options.graph && options.graph->rounds() > 1)
    site.read.fail("graph", "ad-psgd draws a neighbour itself: its graph must not change");
  return {.run = [options](const ProtocolJob& job) { return run_ad_psgd(job, options); },
          .draws = true,
          .sends_only = true,
          .meets = true,
          .pace = {.for_each_worker = Seconds{1e-8}, .analytic = Seconds{5e-6}}};
}

/// Measured on 300 to 3,000 GPUs of 4 a node, groups of 3.
ProtocolPace pace_of(GroupGenerator generator) {
  switch (generator) {
    case GroupGenerator::Static:
    case GroupGenerator::Random:
      return {.alone = Seconds{13e-6}, .for_each_worker = Seconds{1e-9}, .analytic = Seconds{6e-6}};
    case GroupGenerator::Smart:
      return {
          .alone = Seconds{20e-6}, .for_each_worker = Seconds{3.5e-7}, .analytic = Seconds{14e-6}};
    case GroupGenerator::FirstK:
      return {
          .alone = Seconds{12e-6}, .for_each_worker = Seconds{1.6e-8}, .analytic = Seconds{8e-6}};
  }
  return {};
}

Protocol groups(const Site& site, GroupGenerator generator) {
  const OptionReader& read = site.read;
  PragueOptions options{.generator = generator,
                        .communicator = read.time("communicator"),
                        .communicators = read.count("communicators")};
  if (generator != GroupGenerator::Static)
    options.group = read.count("group");
  if (generator == GroupGenerator::Smart) {
    options.threshold = read.count("threshold");
    options.inter_intra = read.is("inter_intra", "yes");
  }
  if (generator == GroupGenerator::FirstK)
    options.window = read.time("window");
  return {.run = [options](const ProtocolJob& job) { return run_prague(job, options); },
          .period = {.iterations = generator == GroupGenerator::Static ? kStaticPeriod : 1},
          .draws = generator != GroupGenerator::Static,
          .draws_ties = generator == GroupGenerator::FirstK,
          .meets = true,
          .pace = pace_of(generator)};
}

Protocol averaging_after(const LocalSgdOptions& options) {
  return {.run = [options](const ProtocolJob& job) { return run_local_sgd(job, options); },
          .recursion =
              [options](const ProtocolJob& job, std::uint64_t first, std::uint32_t seeds) {
                return local_sgd_times(job, options, first, seeds);
              },
          .period = {.iterations = options.local_steps, .memory = 0, .first = options.in_step}};
}

std::string in_words(const std::vector<LocalSgdStage>& stages) {
  std::vector<std::string> iterations, periods;
  std::uint64_t sum = 0, rounds = 0;
  for (const LocalSgdStage& stage : stages) {
    iterations.push_back(fmt::format("{}", stage.iterations));
    periods.push_back(fmt::format("{}", stage.local_steps));
    sum += stage.iterations;
    rounds += stage.rounds();
  }
  return fmt::format(
      "The step is the mean of {} iterations in stages of {}, which average after every {} of "
      "them: {} rounds. How many stages reach a target is for the user to say.",
      sum, fmt::join(iterations, ", "), fmt::join(periods, ", "), rounds);
}

// A stage is whole rounds and, at its end, a shorter one.
Protocol in_stages(const std::vector<LocalSgdStage>& stages) {
  Protocol protocol = averaging_after({.local_steps = stages.front().local_steps});
  const auto add = [&](std::uint32_t local_steps, std::uint32_t iterations) {
    if (iterations > 0)
      protocol.parts.emplace_back(averaging_after({.local_steps = local_steps})).iterations =
          iterations;
  };
  for (const LocalSgdStage& stage : stages) {
    const std::uint32_t last = stage.iterations % stage.local_steps;
    add(stage.local_steps, stage.iterations - last);
    add(last, last);
  }
  protocol.stages = in_words(stages);
  return protocol;
}

Protocol local_sgd(const Site& site) {
  const OptionReader& read = site.read;
  const LocalSgdOptions options{.local_steps = read.count("local_steps"),
                                .in_step = read.count("in_step")};
  const LocalSgdStages stages{.count = read.count("stages"),
                              .first = read.count("stage_steps"),
                              .growth = read.number("stage_growth"),
                              .period_grows = read.is("stage_period", "growing")};
  if (stages.count == 1)
    return averaging_after(options);
  if (options.in_step > 0)
    read.fail("in_step", "expected 0 where stages is above 1, whose first stage can average more");
  return in_stages(stages_of(stages, options.local_steps));
}

// The GPUs of a node share its NIC, and so do the servers' directions with nobody else's.
Protocol server(const Site& site, ServerRule rule) {
  const Cluster& cluster = site.cluster;
  const Link link = node_link(cluster);
  const double servers =
      site.read.is("servers", "nodes") ? cluster.nodes : site.read.count("servers");
  ServerOptions options{
      .rule = rule,
      .transfer =
          link.startup + site.model * static_cast<double>(cluster.gpus_per_node) / link.bandwidth,
      .service = site.model / servers / link.bandwidth};
  if (cluster.software.ps_sum_bandwidth > BytesPerSecond{})
    options.sum = site.model / servers / cluster.software.ps_sum_bandwidth;
  if (rule == ServerRule::StaleSynchronous)
    options.slack = site.read.count("slack");
  if (rule == ServerRule::Backup)
    options.backup = site.read.count("backup");
  constexpr std::uint32_t kMeeting = 2;  // iterations that may meet at the servers
  const bool is_stale = rule == ServerRule::StaleSynchronous;
  return {.run = [options](const ProtocolJob& job) { return run_parameter_server(job, options); },
          .period = {.memory = kMeeting + (is_stale ? options.slack : 0)},
          .has_servers = true,
          .dropped = rule == ServerRule::Backup ? options.backup : 0};
}

using Maker = Protocol (*)(const Site&);

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> all{
      {"d-psgd", d_psgd},
      {"sgp", sgp},
      {"hop", hop},
      {kAdPsgd, ad_psgd},
      {"prague-static", [](const Site& site) { return groups(site, GroupGenerator::Static); }},
      {"prague-random", [](const Site& site) { return groups(site, GroupGenerator::Random); }},
      {"prague-smart", [](const Site& site) { return groups(site, GroupGenerator::Smart); }},
      {"first-k", [](const Site& site) { return groups(site, GroupGenerator::FirstK); }},
      {"local-sgd", local_sgd},
      {"ssp", [](const Site& site) { return server(site, ServerRule::StaleSynchronous); }},
      {"async-ps", [](const Site& site) { return server(site, ServerRule::Asynchronous); }},
      {"backup-workers", [](const Site& site) { return server(site, ServerRule::Backup); }}};
  return all;
}

}  // namespace

PeerGraphSize graph_size_of(const OptionReader& read, const Cluster& cluster) {
  const Site site{read, cluster};
  if (!site.has("graph") || site.draws_among_all())
    return {};
  return size_of_peer_graph(site.workers(), site.graph_options());
}

Protocol protocol_of(const OptionReader& read, const Cluster& cluster, Bytes model) try {
  return makers().at(read.schedule())({read, cluster, model});
} catch (const InputError& error) {
  const std::string prefix = read.schedule() + ": ";
  if (std::string(error.what()).starts_with(prefix))
    throw;
  throw InputError(prefix + error.what());
}

}  // namespace stepcast
