#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "models/schedule/period.hpp"
#include "models/schedule/schedule_info.hpp"
#include "models/schedule/sparse/step.hpp"

namespace stepcast {
namespace {

using sparse::Settings;
using sparse::Step;
using sparse::Tensor;

/// What a training step does beside the two phases.
struct Extra {
  bool threshold = false;  ///< Finds the thresholds anew; else the known ones are used.
  bool balance = false;    ///< Moves the borders of the regions.
};

/// Loads of the regions: from 1 - imbalance to 1 + imbalance of the mean.
std::vector<double> loads_of(std::uint32_t ranks, double imbalance) {
  if (imbalance == 0)
    return {};
  std::vector<double> loads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    loads.push_back(1 + imbalance * (2.0 * rank / std::max(1U, ranks - 1) - 1));
  return loads;
}

// Phase 1: split and reduce. Every rank owns a region of the tensor and receives the entries that
// the others selected in it, values and indices in one message, rank after rank in rotation.
// Phase 2: balance and all-gather. Every rank picks of its sums what is above the global threshold,
// k in all regions together, and all gather them.
// Time without imbalance: 2(n-1) a + 4k (n-1)/n b, within the published bound of 6k (n-1)/n b +
// (2n + 2 log2 n) a; the least possible volume is 2k (n-1)/n.
class OkTopk {
 public:
  OkTopk(const Workload& workload, const Cluster& cluster, const OptionReader& read,
         const Settings& settings, Extra extra)
      : step_(workload, cluster, read, settings),
        extra_(extra),
        loads_(loads_of(cluster.ranks(), read.number("imbalance"))) {}

  Plan plan(const std::vector<Tensor>& tensors) && {
    step_.pass(
        tensors, [&](const Tensor& tensor) { return step_.compression_time(tensor, selection()); },
        [&](const Tensor& tensor, TaskId ready) {
          return gather_global(tensor, split_and_reduce(tensor, ready));
        });
    return std::move(step_).finish();
  }

 private:
  Selection selection() const {
    const Selection exact = step_.settings().selection;
    return extra_.threshold || exact == Selection::Free ? exact : Selection::Reused;
  }

  Bytes size_of(double entries, double elements) const {
    const auto& encoding = step_.settings().encoding;
    return size_of_values(encoding, entries) + size_of_indices(encoding, entries, elements);
  }

  TaskId split_and_reduce(const Tensor& tensor, TaskId ready) {
    const std::uint32_t ranks = step_.ranks();
    if (extra_.balance)
      ready = step_.all_reduce(fmt::format("borders of {}", tensor.label),
                               Bytes{4.0} * static_cast<double>(ranks), ready);
    const double entries = sparse::shard_of(step_.selected(tensor), ranks) * ranks;
    const TaskId exchanged = step_.all_to_all(fmt::format("regions of {}", tensor.label),
                                              size_of(entries, tensor.elements), ready, loads_);
    return step_.work("unpacking", tensor,
                      scatter_add_time(step_.costs(), entries, tensor.elements / ranks), exchanged);
  }

  TaskId gather_global(const Tensor& tensor, TaskId ready) {
    const std::uint32_t ranks = step_.ranks();
    const double sums = step_.united(tensor.elements, ranks);
    if (extra_.threshold)
      ready = global_threshold(tensor, sums, ready);
    const TaskId picked = step_.work("selection in the region", tensor,
                                     selection_time(step_.costs(), pick(), sums / ranks), ready);
    const double entries = sparse::shard_of(step_.selected(tensor), ranks) * ranks;
    const TaskId gathered = step_.all_gather(fmt::format("global top-k of {}", tensor.label),
                                             size_of(entries, tensor.elements), picked, loads_);
    return step_.work("unpacking", tensor,
                      scatter_add_time(step_.costs(), entries, tensor.elements), gathered);
  }

  // All ranks gather the values of all sums and find the k-th largest.
  TaskId global_threshold(const Tensor& tensor, double sums, TaskId ready) {
    const TaskId gathered =
        step_.all_gather(fmt::format("sums of {}", tensor.label),
                         size_of_values(step_.settings().encoding, sums), ready, loads_);
    return step_.work("global threshold", tensor,
                      selection_time(step_.costs(), step_.settings().selection, sums), gathered);
  }

  Selection pick() const {
    const bool is_free = step_.settings().selection == Selection::Free;
    return is_free ? Selection::Free : Selection::Reused;
  }

  Step step_;
  Extra extra_;
  std::vector<double> loads_;
};

/// Which of the four kinds of step comes after which; 2 threshold + balance.
std::vector<std::uint32_t> order_of(std::uint32_t threshold_every, std::uint32_t balance_every) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t step = 0; step < std::lcm(threshold_every, balance_every); ++step)
    order.push_back((step % threshold_every == 0 ? 2U : 0U) +
                    (step % balance_every == 0 ? 1U : 0U));
  return order;
}

Plan build_ok_topk(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  constexpr std::uint32_t kMostSteps = 1024;
  const Settings settings = sparse::settings_of(read);
  const auto tensors = sparse::fused_tensors(workload, read);
  const std::uint32_t threshold_every = read.count("threshold_every");
  const std::uint32_t balance_every = read.count("balance_every");
  if (std::lcm(threshold_every, balance_every) > kMostSteps)
    read.fail("balance_every",
              fmt::format("expected a pattern of at most {} steps with threshold_every={}",
                          kMostSteps, threshold_every));
  std::vector<Plan> kinds;
  for (const Extra extra : {Extra{}, Extra{.balance = true}, Extra{.threshold = true},
                            Extra{.threshold = true, .balance = true}})
    kinds.push_back(OkTopk(workload, cluster, read, settings, extra).plan(tensors));
  return period_of(kinds, order_of(threshold_every, balance_every));
}

}  // namespace

ScheduleInfo ok_topk_schedule() {
  ScheduleInfo info = sparse::system_of(
      "ok-topk", "sums by region, then the global top-k gathered; thresholds are reused",
      "Li, Hoefler, Near-Optimal Sparse Allreduce, PPoPP 2022",
      sparse::with_common_options(
          {count_option("threshold_every", "32",
                        "steps between selections, whose threshold the others reuse", kRepeats),
           count_option("balance_every", "64", "steps between adjustments of the regions' borders",
                        kRepeats),
           number_option("imbalance", "0",
                         "loads of the regions between adjustments: this part below to above "
                         "the mean",
                         {.most = 1, .below_most = true})},
          {.density = "0.01", .fusion = "model"}),
      build_ok_topk);
  info.steps_differ = true;
  return info;
}

}  // namespace stepcast
