#include "sim/asynchronous/protocol_job.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "models/collective/collective.hpp"
#include "models/collective/links.hpp"
#include "sim/engine/process/simulation_process.hpp"

namespace stepcast {
namespace {

/// Times of the messages of a graph.
struct MessageTimes {
  std::vector<std::vector<Seconds>> arrival;      ///< By round and edge of its `to`.
  std::vector<std::vector<Occupancy>> occupancy;  ///< By round and sender.

  Seconds of(const PeerGraph& graph, std::uint32_t round, Rank from, Rank to) const {
    const auto receivers = graph.to[round][from];
    const auto place = std::ranges::lower_bound(receivers, to) - receivers.begin();
    return arrival[round][graph.to[round].first_edge(from) + static_cast<std::size_t>(place)];
  }
};

Group node_of_ranks(const Cluster& cluster) {
  Group group;
  group.ranks.resize(cluster.gpus_per_node);
  std::iota(group.ranks.begin(), group.ranks.end(), 0U);
  return group;
}

// Before and after what goes between nodes: an all-reduce of the node's GPUs, and handing on what
// came.
Seconds within_node(const Cluster& cluster, Bytes model) {
  const Group node = node_of_ranks(cluster);
  return cost_of({.kind = CollectiveKind::AllReduce, .size = model}, node, cluster) +
         cost_of({.kind = CollectiveKind::Broadcast,
                  .algorithm = default_algorithm(CollectiveKind::Broadcast),
                  .size = model},
                 node, cluster) +
         cluster.software.collective_launch * 2;
}

MessageTimes times_of(const PeerGraph& graph, const Cluster& cluster, Bytes model,
                      std::uint32_t ranks_per_worker, bool nic_in_turn) {
  LinkLoads loads(cluster);
  const Seconds beside = ranks_per_worker > 1 ? within_node(cluster, model) : Seconds{};
  MessageTimes times;
  for (const Adjacency& to : graph.to) {
    std::vector<Message> messages;
    for (Rank from = 0; from < graph.workers; ++from)
      for (const Rank other : to[from])
        messages.push_back({from * ranks_per_worker, other * ranks_per_worker, model});
    const std::vector<Link> links = loads.shared_links_of(messages);
    auto& arrival = times.arrival.emplace_back();
    arrival.reserve(to.edges());
    auto& occupancy = times.occupancy.emplace_back(graph.workers);
    std::size_t next = 0;
    for (Rank from = 0; from < graph.workers; ++from) {
      occupancy[from].link = from;
      for (const Rank other : to[from]) {
        const Link& link = links[next++];
        arrival.push_back(cluster.software.collective_launch + beside + time_of(link, model));
        occupancy[from].time = std::max(occupancy[from].time, model / link.bandwidth);
        if (nic_in_turn && node_of(cluster, from) != node_of(cluster, other))
          occupancy[from].link = graph.workers + node_of(cluster, from);
      }
    }
  }
  return times;
}

void add_jitter(ProtocolJob& job, double jitter) {
  if (jitter <= 0 || jitter >= 1)
    return;
  job.compute = job.compute * (1 - jitter);
  job.slow_down.laws.emplace_back(SlowDown::Exponential{.mean = jitter / (1 - jitter)});
}

}  // namespace

ProtocolJob job_of(const Workload& workload, const Cluster& cluster, const Protocol& protocol,
                   const SlowDown& slow_down, std::uint32_t iterations) {
  const std::uint32_t together = protocol.of_nodes ? cluster.gpus_per_node : 1;
  const Bytes model = parameter_size(workload);
  ProtocolJob job{
      .workers = cluster.ranks() / together,
      .per_node = cluster.gpus_per_node / together,
      .ranks_per_worker = together,
      .compute = forward_time(workload) + backward_time(workload),
      .forward_share = forward_time(workload) / (forward_time(workload) + backward_time(workload)),
      .reduce = protocol.has_servers ? Seconds{} : workload.update,
      .model = model,
      .iterations = iterations,
      .slow_down = slow_down};
  if (protocol.graph) {
    const auto graph = std::make_shared<PeerGraph>(*protocol.graph);
    const auto times = std::make_shared<MessageTimes>(
        times_of(*graph, cluster, model, together, protocol.nic_in_turn));
    job.traffic.message = [graph, times](std::uint32_t iteration, Rank from, Rank to) {
      return times->of(*graph, iteration % graph->rounds(), from, to);
    };
    if (protocol.earlier > 0)
      job.traffic.occupancy = [graph, times](std::uint32_t iteration, Rank from) {
        return times->occupancy[iteration % graph->rounds()][from];
      };
  } else {
    job.traffic.message = [&cluster, model](std::uint32_t, Rank from, Rank to) {
      return cluster.software.collective_launch +
             cost_of({.kind = CollectiveKind::Send, .algorithm = Algorithm::Direct, .size = model},
                     Group{{from, to}}, cluster);
    };
  }
  job.traffic.all_reduce = [&cluster, model](const std::vector<Rank>& members) {
    return cluster.software.collective_launch +
           cost_of({.kind = CollectiveKind::AllReduce, .size = model}, Group{members}, cluster);
  };
  job.traffic.launch = cluster.software.collective_launch;
  if (together > 1)
    job.traffic.launch = job.traffic.launch + within_node(cluster, model);
  add_jitter(job, cluster.software.jitter);
  return job;
}

namespace {

// Transfers that meet by chance share links as they come, and the others in closed form.
ProtocolRun run_analytic(const Protocol& protocol, ProtocolJob job, const Cluster& cluster) {
  if (!protocol.meets)
    return protocol.run(job);
  EventQueue queue;
  const auto network = make_near_network(cluster, queue);
  job.traffic.queue = &queue;
  job.traffic.network = network.get();
  return protocol.run(job);
}

}  // namespace

void pass(ResultPipe& pipe, ProtocolRun& run) {
  auto& [makespan, iterations, waiting, gaps, staleness, sent, sent_between_nodes, computing,
         events, engine, spans, begins] = run;
  pipe.pass(makespan);
  pipe.pass(iterations);
  pipe.pass(waiting);
  pipe.pass(gaps);
  pipe.pass(staleness);
  pipe.pass(sent);
  pipe.pass(sent_between_nodes);
  pipe.pass(computing);
  pipe.pass(events);
  pipe.pass(engine);
  pipe.pass(spans);
  pipe.pass(begins);
}

ProtocolRun run_protocol(const Protocol& protocol, ProtocolJob job, const Cluster& cluster,
                         const EngineOptions& options) {
  if (options.fidelity == Fidelity::Analytic)
    return run_analytic(protocol, job, cluster);
  // Hundreds of messages share links if several iterations are under way, or if pairs are drawn
  // among all workers. A message then costs 25 us on SimGrid and 2 us on our own links. Both share
  // bandwidth max-min fairly. Graphs and pairs send single messages only, and these take the same
  // times on both to 1e-9.
  const bool own = options.fidelity == Fidelity::Flow && options.engine != EventEngine::SimGrid &&
                   (protocol.sends_only || (protocol.graph && protocol.earlier > 1));
  return simulate_alone([&] {
    EventQueue queue;
    const auto network =
        make_network_backend(own ? Fidelity::Step : options.fidelity, cluster, queue, Folding{});
    if (!own && uses_simgrid(options.engine, options.fidelity, cluster.ranks()))
      network->run_on_simgrid(options.fold);
    job.traffic.queue = &queue;
    job.traffic.network = network.get();
    ProtocolRun run = protocol.run(job);
    run.engine = queue.use();
    return run;
  });
}

}  // namespace stepcast
