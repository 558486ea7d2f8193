#include <algorithm>

#include <fmt/format.h>

#include "models/schedule/data_parallel/layer_updates.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// Who serves whom. The nodes are the workers of the protocol: a node adds up the gradients of its
// GPUs before it pushes them and spreads what it pulls (BytePS).
struct Roles {
  std::uint32_t workers = 1;  // nodes that train
  std::uint32_t servers = 1;
  bool remote = false;  // the servers are the last nodes and do not train
};

std::vector<Rank> ranks_of_nodes(const Cluster& cluster, std::uint32_t first, std::uint32_t last) {
  std::vector<Rank> ranks;
  for (Rank rank = first * cluster.gpus_per_node; rank < last * cluster.gpus_per_node; ++rank)
    ranks.push_back(rank);
  return ranks;
}

Roles roles_of(const Cluster& cluster, const OptionReader& read) {
  Roles roles{
      .workers = cluster.nodes, .servers = cluster.nodes, .remote = read.is("placement", "remote")};
  if (roles.remote && cluster.nodes < 2)
    read.fail("placement", "expected at least 2 nodes for remote servers, found 1");
  const std::uint32_t most = roles.remote ? cluster.nodes - 1 : cluster.nodes;
  if (!read.is("servers", "all"))
    roles.servers = read.count("servers");
  else if (roles.remote)
    roles.servers = cluster.nodes / 2;
  if (roles.servers > most || roles.servers == 0)
    read.fail("servers",
              fmt::format("expected 1 to {} on {} nodes with placement={}, found \"{}\"", most,
                          cluster.nodes, read.text("placement"), read.text("servers")));
  if (roles.remote)
    roles.workers = cluster.nodes - roles.servers;
  return roles;
}

// Pieces in ready order, small ones together until they reach `fuse` or would exceed a partition.
std::vector<Bucket> pushed_together(std::vector<Gradient> pieces, Bytes fuse, Bytes partition) {
  std::vector<Bucket> pushes;
  bool open = false;
  for (Gradient& piece : pieces) {
    if (!open || pushes.back().size + piece.size > partition)
      pushes.emplace_back();
    Bucket& push = pushes.back();
    push.size += piece.size;
    push.last_ready = piece.layer;
    push.gradients.push_back(std::move(piece));
    open = push.size < fuse;
  }
  return pushes;
}

// A partition goes to the server that has the fewest bytes so far: pushed when its gradient is
// ready, added up, pulled. To each server `in_flight` pushes move, so that one crosses the network
// while another moves inside its node, and from it as many pulls. One thread of a server takes in
// what arrives and adds it up (byteps/server/server.cc), one push after the other, beside those
// that move. On one node alone there is no server and what is left is NCCL's, one collective after
// the other on one stream (core_loops.cc).
//   remote servers: pushes and pulls go in opposite directions at the same time, max(M/B, nM/(kB))
//   colocated: a server also pushes to the k - 1 others, (n + k - 2) M / (kB)
class PsPlan {
 public:
  PsPlan(const Workload& workload, const Cluster& cluster, const OptionReader& read)
      : cluster_(cluster),
        builder_(read, workload, cluster),
        roles_(roles_of(cluster, read)),
        by_priority_(read.is("order", "priority")),
        partition_(read.size("partition")),
        fuse_(read.size("fuse")),
        per_partition_(read.time_or("per_partition", cluster.software.ps_per_partition)) {
    add_streams(read.count("in_flight"));
    add_groups();
    load_.resize(roles_.servers);
  }

  Plan build(bool waits_for_all, bool barrier) && {
    forward(barrier);
    const auto backward = backward_pass(builder_);
    if (barrier)
      end_ = builder_.update();
    const std::vector<Bucket> pushes = pushed_together(
        partitioned(gradients_in_ready_order(builder_.workload()), partition_), fuse_, partition_);
    for (std::size_t i = 0; i < pushes.size(); ++i)
      add(pushes[i], label_of(pushes[i], i), backward[waits_for_all ? 0 : pushes[i].last_ready]);
    return std::move(builder_).build();
  }

 private:
  void add_streams(std::uint32_t in_flight) {
    const bool is_served = roles_.remote || roles_.workers > 1;
    const std::uint32_t added_up = sum_time(partition_) > Seconds{} ? 1 : 0;
    const auto rule = [&](std::uint32_t at_once) {
      return ByPriority{
          .credit = partition_ * at_once, .at_once = at_once, .takes_turns = is_served};
    };
    for (std::uint32_t server = 0; server < roles_.servers; ++server)
      if (is_served) {
        pushes_.push_back(
            builder_.stream(fmt::format("push {}", server), rule(in_flight + added_up)));
        pulls_.push_back(builder_.stream(fmt::format("pull {}", server), rule(in_flight)));
      } else {
        pushes_.push_back(builder_.stream("push and pull", rule(1)));
        pulls_.push_back(pushes_.back());
      }
  }

  void add_groups() {
    if (!roles_.remote)
      return;
    const auto workers = ranks_of_nodes(cluster_, 0, roles_.workers);
    builder_.compute_on(builder_.group(workers));
    for (std::uint32_t server = 0; server < roles_.servers; ++server) {
      auto members = workers;
      const std::uint32_t node = roles_.workers + server;
      for (const Rank rank : ranks_of_nodes(cluster_, node, node + 1))
        members.push_back(rank);
      groups_.push_back(builder_.group(std::move(members)));
    }
  }

  void forward(bool barrier) {
    if (barrier)
      forward_pass(builder_);
    else
      updates_ = gated_forward_pass(builder_).updates;
  }

  void add(const Bucket& push, const std::string& name, TaskId ready) {
    const std::size_t server = least_loaded(push.size);
    CommunicationOptions options = options_for(server);
    options.priority = by_priority_ ? static_cast<std::int32_t>(push.last_ready) : 0;
    options.overhead = per_partition_ + sum_time(push.size);
    options.after = {ready};
    const TaskId pushed = builder_.reduce(name, push.size, options);
    options.stream = pulls_[server];
    options.overhead = per_partition_;
    options.after = {pushed};
    const TaskId pulled = builder_.broadcast(name, push.size, options);
    if (end_ != kNone)
      builder_.after(end_, {pulled});
    else
      for (std::size_t i = 0; i < push.gradients.size(); ++i)
        if (i == 0 || push.gradients[i].layer != push.gradients[i - 1].layer)
          builder_.next_after(updates_[push.gradients[i].layer], {pulled});
  }

  CommunicationOptions options_for(std::size_t server) const {
    CommunicationOptions options{.stream = pushes_[server], .algorithm = Algorithm::Star};
    const auto root = static_cast<std::uint32_t>(server) * cluster_.gpus_per_node;
    options.team = roles_.remote ? groups_[server] : TeamId{0};
    options.root = roles_.remote ? roles_.workers * cluster_.gpus_per_node : root;
    return options;
  }

  std::size_t least_loaded(Bytes added) {
    const auto server = std::ranges::min_element(load_);
    *server += added;
    return static_cast<std::size_t>(server - load_.begin());
  }

  // The server reads every worker's copy.
  Seconds sum_time(Bytes size) const {
    const BytesPerSecond bandwidth = cluster_.software.ps_sum_bandwidth;
    if (roles_.workers == 1)
      return {};
    return bandwidth > BytesPerSecond{} ? size * roles_.workers / bandwidth : Seconds{};
  }

  const Cluster& cluster_;
  Builder builder_;
  Roles roles_;
  bool by_priority_;
  Bytes partition_;
  Bytes fuse_;
  Seconds per_partition_;
  std::vector<Bytes> load_;       // by server
  std::vector<StreamId> pushes_;  // by server
  std::vector<StreamId> pulls_;
  std::vector<TeamId> groups_;   // remote: the workers and one server
  std::vector<TaskId> updates_;  // by layer, without barrier
  TaskId end_ = kNone;           // with barrier: the update
};

Plan build_ps(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  return PsPlan(workload, cluster, read)
      .build(read.is("start", "backward_end"), read.is("barrier", "yes"));
}

std::uint32_t ranks_that_train(const Cluster& cluster, const OptionReader& read) {
  return roles_of(cluster, read).workers * cluster.gpus_per_node;
}

}  // namespace

ScheduleInfo ps_schedule() {
  return {
      .name = "ps",
      .summary = "parameter servers: nodes push gradients in partitions and pull the sums",
      .source = "Jiang et al., BytePS, OSDI 2020",
      .options =
          {choice_option("placement", "colocated",
                         "colocated: servers run beside workers; remote: the last nodes serve "
                         "only and do not train",
                         {"colocated", "remote"}),
           count_option("servers", "all",
                        "how many nodes serve; all: every node (remote: half of them)",
                        {.least = 1}, {"all"}),
           size_option("partition", "4096000B", "largest piece of a gradient", {.least = 1024}),
           size_option("fuse", "0B",
                       "smaller gradients travel together until they reach this (tensor fusion of "
                       "dPRO); 0B: each by itself"),
           searched(choice_option("order", "arrival",
                                  "what a server takes next: by arrival or priority (of the layer, "
                                  "input first)",
                                  {"arrival", "priority"})),
           count_option("in_flight", "2",
                        "partitions that move to each server, and as many from it, beside what it "
                        "adds up (fidelity analytic shares the network between them coarsely)",
                        kRepeats),
           choice_option("start", "ready",
                         "a push starts when its gradient is ready, or at backward_end",
                         {"ready", "backward_end"}),
           choice_option("barrier", "yes",
                         "yes: one update when all is pulled; no: a layer waits for its own",
                         {"yes", "no"}),
           cluster_option("per_partition", "host work of each push and of each pull, e.g. 0.1ms")},
      .build = build_ps,
      .training_ranks = ranks_that_train};
}

}  // namespace stepcast
