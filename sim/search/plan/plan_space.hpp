#pragma once
// What a capacity plan chooses from: a job, clusters in sizes, schedules with their options.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/schedule/option_info.hpp"
#include "models/workload/transformer/transformer_workload.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/cost_estimate.hpp"
#include "sim/search/plan/prices.hpp"
#include "sim/study/goodput/young_daly.hpp"
#include "traces/settings.hpp"

namespace stepcast {

/// Values of an option to choose from, as the user lists them; one: fixed.
struct ListedOption {
  std::string name;
  std::vector<std::string> values;
};

/// Faults of a node and what they cost the job; without an MTBF there are none.
struct PlanFaults {
  Seconds node_mtbf{};
  CheckpointCosts costs{};
};

/// What a user wants to have done, and what may be chosen.
struct PlanRequest {
  std::string workload;
  std::vector<std::string> clusters;
  std::vector<std::uint32_t> gpus;  ///< Empty: as many as each cluster has.
  std::optional<std::uint32_t> global_batch;
  std::optional<double> samples;  ///< Of the whole job; `tokens` in its place for transformers.
  std::optional<double> tokens;
  std::string goal;  ///< Name or file of one whose epochs are the job; empty: none.
  std::optional<Seconds> deadline;
  std::optional<double> budget;
  std::optional<Bytes> most_memory;         ///< Of a GPU; never more than it has.
  double memory_reserve = 0;                ///< Share of what a GPU has that stays free.
  std::optional<double> least_utilisation;  ///< Share; see utilisation_of().
  std::vector<std::string> schedules;       ///< Empty: all that suit the workload.
  std::vector<ListedOption> options;        ///< Of schedules.
  Settings settings;                        ///< Of clusters alone.
  std::string prices;
  PlanFaults faults;
  Fidelity fidelity = Fidelity::Analytic;
  std::uint32_t most_simulated = 0;  ///< 0: 200, or two of each size.
  /// Called before the first simulation with what all may take, and how many they are at most; may
  /// be empty.
  std::function<void(const CostEstimate& cost, std::size_t simulations)> costs{};
  bool improve = true;  ///< Changes the best by what no list names, for as long as that helps.
};

/// A cluster in one of its sizes.
struct PlanSite {
  std::string typed;  ///< The cluster, as the user named it.
  Cluster cluster;
  Workload workload;  ///< On the cluster's device, where it is a transformer.
  std::uint32_t global_batch = 1;
  double hourly_cost = 0;  ///< In the currency of the space's prices.
  double efficiency = 1;   ///< Share of the time that is work that stays done.
  Bytes memory{};          ///< That a GPU may use; 0: not known.
};

/// One way to run the job.
struct PlanCandidate {
  std::uint32_t site = 0;
  std::uint32_t schedule = 0;  ///< Index into PlanSpace::schedules.
  std::uint32_t listed = 0;    ///< Combination of the options that the user lists.
  std::uint32_t tensor = 1, pipeline = 1, context = 1, expert = 1;
  std::uint32_t micro_batch = 0;   ///< 0: the schedule does not cut the model.
  std::uint32_t accumulation = 0;  ///< 0: the schedule cuts the model.
  std::uint32_t chunks = 1;
  std::uint8_t recompute = 0;  ///< Index of its word; so are the next.
  std::uint8_t zero = 0;
  bool sequence_parallel = false;
};

/// A schedule with the options that the user lists and it has, in all combinations.
struct PlannedSchedule {
  std::string name;
  bool cuts = false;     ///< The model.
  bool chunked = false;  ///< Several parts of it on a rank.
  std::vector<ScheduleOptions> listed;
};

struct PlanSpace {
  PlanRequest request;
  PriceList prices;  ///< Where it has no price of a site, its currency is kGpuHours.
  double samples = 0;
  std::vector<PlanSite> sites;
  std::vector<PlannedSchedule> schedules;
  std::vector<PlanCandidate> candidates;
  std::vector<std::string> notes;
};

/// Reads what the request names, and writes down every candidate that it leaves open. Throws
/// InputError, naming the argument in backquotes.
PlanSpace plan_space_of(PlanRequest request);

/// Candidates of the sites from `first` on, in an order that depends on nothing but the space.
void add_candidates(PlanSpace& space, std::size_t first);

/// What `run` would be told of a candidate: the schedule's options.
ScheduleOptions options_of(const PlanSpace& space, const PlanCandidate& candidate);

}  // namespace stepcast
