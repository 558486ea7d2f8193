#include "models/schedule/decentralised/schedules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/edited/host_work.hpp"
#include "models/schedule/memory.hpp"
#include "models/schedule/passes.hpp"

namespace stepcast {
namespace {

Plan build_none(const Workload& /*workload*/, const Cluster& /*cluster*/,
                const OptionReader& read) {
  throw InputError(
      fmt::format("{} has no plan to show or edit, as its workers choose at run time whom they "
                  "wait for: run, compare, scaling, tune, goodput and solve forecast it",
                  read.schedule()));
}

OptionInfo count(std::string name, std::string value, std::string meaning, OptionRange range,
                 std::vector<std::string> words = {}) {
  return count_option(std::move(name), std::move(value), std::move(meaning), range,
                      std::move(words));
}

OptionInfo choice(std::string name, std::string meaning, std::vector<std::string> words) {
  return choice_option(std::move(name), words.front(), std::move(meaning), words);
}

constexpr OptionRange kAny{.least = 0, .most = 100'000};
constexpr OptionRange kSome{.least = 1, .most = 100'000};
constexpr OptionRange kSizes{.least = 2, .most = 100'000};

OptionInfo graph_option(const std::string& first) {
  std::vector<std::string> words{first};
  for (const char* word : {"ring", "ring-based", "double-ring", "exponential", "one-peer",
                           "inner-outer", "torus", "random", "star", "complete"})
    if (word != first)
      words.emplace_back(word);
  return choice("graph", "who averages with whom", words);
}

OptionInfo degree_option() {
  return count("degree", "3", "graph=random: neighbours of a worker", kSizes);
}

OptionInfo servers_option() {
  return count("servers", "nodes", "equal servers, each with a node's NIC; nodes: one a node",
               kSome, {"nodes"});
}

std::vector<OptionInfo> group_options() {
  return {
      time_option("communicator", "0s",
                  "time to make one, when a group meets first; not measured: assume 1ms to 100ms"),
      count("communicators", "60", "kept for groups that meet again", kSome)};
}

ScheduleInfo info(std::string name, std::string summary, std::string source,
                  std::vector<OptionInfo> options) {
  options.push_back(optimiser_option());
  return {.name = std::move(name),
          .summary = std::move(summary),
          .source = std::move(source),
          .options = std::move(options),
          .build = build_none,
          .asynchronous = true};
}

constexpr const char* kPrague =
    "Luo, He, Zhuo, Qian, Prague: High-Performance Heterogeneity-Aware Asynchronous Decentralized "
    "Training, ASPLOS 2020";

std::vector<OptionInfo> with(std::vector<OptionInfo> options, const std::vector<OptionInfo>& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

OptionInfo group_option() {
  return count("group", "3", "members of a group", kSizes);
}

}  // namespace

ScheduleInfo d_psgd_schedule() {
  return info(
      "d-psgd", "averages with neighbours in every iteration, beside the gradient",
      "Lian et al., Can Decentralized Algorithms Outperform Centralized Algorithms?, NeurIPS 2017",
      {graph_option("one-peer"), degree_option(),
       choice("send",
              "parallel: as the iteration begins; after-forward: beside the backward pass (hooks "
              "of a whole model, as BlueFog's); serial: behind the gradient",
              {"parallel", "after-forward", "serial"}),
       choice("hierarchical", "yes: all-reduce in a node, then nodes are the workers",
              {"no", "yes"})});
}

ScheduleInfo sgp_schedule() {
  return info("sgp", "pushes to one peer and takes what came an iteration later",
              "Assran, Loizou, Ballas, Rabbat, Stochastic Gradient Push, ICML 2019",
              {graph_option("one-peer"), degree_option(),
               count("overlap", "1", "iterations that a model may be under way", kAny)});
}

ScheduleInfo hop_schedule() {
  return info(
      "hop", "neighbours with token queues, backup workers, staleness and skipping",
      "Luo, Lin, Zhuo, Qian, Hop: Heterogeneity-aware Decentralized Training, ASPLOS 2019",
      {graph_option("ring-based"), degree_option(),
       count("max_gap", "5",
             "tokens of a queue: iterations that neighbours may be apart; 0: no tokens", kAny),
       count("backup", "0", "in-neighbours that need not be waited for", kAny),
       count("staleness", "0", "iterations that an update may be old", kAny),
       count("max_skip", "0", "iterations that may be skipped at once; 0: none", kAny),
       count("skip_trigger", "max_gap", "skip where all queues hold more tokens", kAny,
             {"max_gap"})});
}

ScheduleInfo ad_psgd_schedule() {
  return info(
      "ad-psgd", "averages with a random neighbour while it computes",
      "Lian, Zhang, Zhang, Liu, Asynchronous Decentralized Parallel SGD, ICML 2018",
      {graph_option("complete"), degree_option(),
       choice("rule",
              "against deadlock: bipartite (even workers ask odd ones), rank-order (lock the "
              "lower first) or none",
              {"bipartite", "rank-order", "none"}),
       choice("averaging",
              "beside: while a worker computes; blocking: behind its gradient, and nobody computes "
              "with a model that is being averaged",
              {"beside", "blocking"})});
}

ScheduleInfo prague_static_schedule() {
  return info("prague-static", "averages in the groups of a table; 4 GPUs a node", kPrague,
              group_options());
}

ScheduleInfo prague_random_schedule() {
  return info("prague-random", "averages in groups drawn at random, one after the other", kPrague,
              with({group_option()}, group_options()));
}

ScheduleInfo prague_smart_schedule() {
  return info("prague-smart", "averages in groups that overlap with none; leaves slow workers out",
              kPrague,
              with({group_option(),
                    count("threshold", "4",
                          "iterations behind the one who asks from which on a worker is left out; "
                          "0: never",
                          kAny),
                    choice("inter_intra", "yes: groups across nodes, then within", {"no", "yes"})},
                   group_options()));
}

ScheduleInfo first_k_schedule() {
  return info("first-k", "averages among those who come within a window",
              "Miao et al., Heterogeneity-Aware Distributed Machine Learning Training via Partial "
              "Reduce, SIGMOD 2021",
              with({count("group", "4", "members at most", kSizes),
                    time_option("window", "1ms", "from the first arrival")},
                   group_options()));
}

ScheduleInfo local_sgd_schedule() {
  return info(
      "local-sgd", "averages with all every few iterations",
      "Stich, Local SGD Converges Fast and Communicates Little, ICLR 2019; Lin et al., Don't "
      "Use Large Mini-Batches, Use Local SGD, ICLR 2020 (post-local); Guo et al., "
      "Communication-Efficient Distributed Stochastic AUC Maximization, ICML 2020 (stages)",
      {count("local_steps", "4", "iterations between two averagings", kSome),
       count("in_step", "0", "first iterations that average every time (post-local)", kAny),
       count("stages", "1",
             "stages of the training, whose mean step is told; 1: the rules stay the same",
             {.least = 1, .most = 30}),
       count("stage_steps", "2000", "stages above 1: iterations of the first stage",
             {.least = 1, .most = 1e9}),
       number_option("stage_growth", "3", "how many times as long each stage is as the one before",
                     {.least = 1, .most = 100}),
       choice("stage_period",
              "growing: iterations between two averagings grow by stages, with the square root of "
              "stage_growth (CODA); fixed: they stay",
              {"growing", "fixed"})});
}

ScheduleInfo ssp_schedule() {
  return info("ssp", "parameter server; nobody is more than a slack ahead",
              "Ho et al., More Effective Distributed ML via a Stale Synchronous Parallel "
              "Parameter Server, NIPS 2013",
              {count("slack", "3", "iterations; 0: in step", kAny), servers_option()});
}

ScheduleInfo async_ps_schedule() {
  return info("async-ps", "parameter server; nobody waits",
              "Dean et al., Large Scale Distributed Deep Networks, NIPS 2012", {servers_option()});
}

ScheduleInfo backup_workers_schedule() {
  return info("backup-workers", "parameter server in step; the last pushes are dropped",
              "Chen, Pan, Monga, Bengio, Jozefowicz, Revisiting Distributed Synchronous SGD, "
              "2016",
              {count("backup", "1", "pushes of a step that need not be waited for", kAny),
               servers_option()});
}

Plan worker_plan(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Builder builder(read, workload, cluster);
  forward_pass(builder);
  backward_pass(builder);
  builder.update();
  Plan plan = std::move(builder).build();
  note_no_host(plan, cluster.software);
  return plan;
}

}  // namespace stepcast
