// Every layout that divides GPUs, model and batch, times every choice beside it. What else a
// schedule refuses is found when its bound is worked out.

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/passes/orders.hpp"
#include "sim/search/plan/plan_space.hpp"

namespace stepcast {
namespace {

using Count = std::uint32_t;
using Counts = std::vector<Count>;

constexpr std::array kZero{"0", "1", "2", "3"};
constexpr std::array kSequenceParallel{"no", "yes"};
constexpr Count kLongSequence = 8192;  // from which context parallelism is looked at
constexpr std::size_t kMostCandidates = 2'000'000;

Counts powers_of_two(Count most) {
  Counts powers;
  for (std::uint64_t power = 1; power <= most; power *= 2)
    powers.push_back(static_cast<Count>(power));
  return powers;
}

Counts divisors(Count of, Count most) {
  Counts all;
  for (Count each = 1; each <= std::min(of, most); ++each)
    if (of % each == 0)
      all.push_back(each);
  return all;
}

/// The values that a user lists of an option, in place of the usual ones.
class ListedValues {
 public:
  explicit ListedValues(const ScheduleOptions& options) : options_(options) {}

  std::vector<std::uint32_t> counts(const char* name, std::vector<std::uint32_t> usual) const {
    const auto found = options_.find(name);
    if (found == options_.end() || found->second == "auto")
      return usual;
    try {
      return {parse_count(found->second, 1)};
    } catch (const InputError& error) {
      throw InputError(fmt::format("`set` {}={}: {}", name, found->second, error.what()));
    }
  }

  template <std::size_t N>
  std::vector<std::uint8_t> words(const char* name, const std::array<const char*, N>& words,
                                  std::vector<std::uint8_t> usual) const {
    const auto found = options_.find(name);
    if (found == options_.end())
      return usual;
    const auto word = std::ranges::find(words, found->second);
    if (word == words.end())
      throw InputError(fmt::format("`set` {}={}: expected one of {}", name, found->second,
                                   fmt::join(words, ", ")));
    return {static_cast<std::uint8_t>(word - words.begin())};
  }

 private:
  const ScheduleOptions& options_;
};

class CandidateMaker {
 public:
  CandidateMaker(PlanSpace& space, std::size_t site)
      : space_(space), site_(space.sites[site]), gpus_(site_.cluster.ranks()) {
    base_.site = static_cast<Count>(site);
  }

  void add_all() {
    const Count alone = of_one_stage();
    for (base_.schedule = 0; base_.schedule < space_.schedules.size(); ++base_.schedule) {
      const PlannedSchedule& schedule = space_.schedules[base_.schedule];
      for (base_.listed = 0; base_.listed < schedule.listed.size(); ++base_.listed) {
        if (schedule.cuts)
          add_layouts(schedule, ListedValues(schedule.listed[base_.listed]),
                      base_.schedule == alone);
        else
          add_whole(ListedValues(schedule.listed[base_.listed]));
      }
    }
  }

 private:
  // On one stage orders differ in what they hold alone: one stands for all.
  Count of_one_stage() const {
    const auto& all = space_.schedules;
    auto found =
        std::ranges::find(all, std::string_view(megatron_order(false)), &PlannedSchedule::name);
    if (found == all.end())
      found = std::ranges::find_if(
          all, [](const PlannedSchedule& each) { return each.cuts && !each.chunked; });
    return static_cast<Count>(found - all.begin());
  }

  void add(const PlanCandidate& candidate) {
    if (space_.candidates.size() >= kMostCandidates)
      throw InputError(
          fmt::format("more than {} candidates; give shorter lists, or fix some "
                      "options by `set`",
                      kMostCandidates));
    space_.candidates.push_back(candidate);
  }

  /// All where the options are refused, which is told of each candidate.
  Count ranks_that_train() const try {
    const PlannedSchedule& schedule = space_.schedules[base_.schedule];
    return training_ranks(schedule.name, site_.cluster, schedule.listed[base_.listed]);
  } catch (const InputError&) {
    return gpus_;
  }

  void add_whole(const ListedValues& listed) {
    const Counts usual = space_.request.global_batch ? powers_of_two(64) : Counts{1};
    const Count training = space_.request.global_batch ? ranks_that_train() : gpus_;
    for (const Count accumulation : listed.counts("accumulation", usual)) {
      if (site_.global_batch % (std::uint64_t{training} * accumulation) != 0)
        continue;
      PlanCandidate candidate = base_;
      candidate.accumulation = accumulation;
      add(candidate);
    }
  }

  void add_layouts(const PlannedSchedule& schedule, const ListedValues& listed, bool alone) {
    const Count node = site_.cluster.gpus_per_node;
    const Count layers = layers_of_model();
    for (const Count tensor : listed.counts("tp", tensor_ways(node)))
      for (const Count context : listed.counts("cp", context_ways()))
        for (const Count pipeline : listed.counts("pp", divisors(gpus_, layers))) {
          const std::uint64_t ranks = std::uint64_t{tensor} * context * pipeline;
          if (gpus_ % ranks != 0 || (pipeline == 1 && (!alone || schedule.chunked)))
            continue;
          PlanCandidate candidate = base_;
          candidate.tensor = tensor;
          candidate.context = context;
          candidate.pipeline = pipeline;
          add_experts(schedule, listed, candidate, static_cast<Count>(gpus_ / ranks));
        }
  }

  void add_experts(const PlannedSchedule& schedule, const ListedValues& listed,
                   PlanCandidate candidate, Count data) {
    const Count ways =
        data * candidate.context * (has_whole_experts(listed, candidate) ? candidate.tensor : 1);
    for (const Count expert : listed.counts("ep", expert_ways(ways))) {
      candidate.expert = expert;
      for (const Count micro_batch :
           listed.counts("micro_batch", recorded() ? Counts{1} : powers_of_two(16))) {
        candidate.micro_batch = micro_batch;
        if (site_.global_batch % (std::uint64_t{data} * micro_batch) == 0)
          add_chunks(schedule, listed, candidate, data);
      }
    }
  }

  void add_chunks(const PlannedSchedule& schedule, const ListedValues& listed,
                  PlanCandidate candidate, Count data) {
    if (!schedule.chunked)
      return add_rest(listed, candidate, data);
    const Count micro_batches = site_.global_batch / (data * candidate.micro_batch);
    if (micro_batches % candidate.pipeline != 0)
      return;
    Counts usual = divisors(layers_of_model() / candidate.pipeline, 16);
    std::erase(usual, 1U);
    for (const Count chunks : listed.counts("virtual_stages", usual)) {
      candidate.chunks = chunks;
      add_rest(listed, candidate, data);
    }
  }

  void add_rest(const ListedValues& listed, PlanCandidate candidate, Count data) {
    using Words = std::vector<std::uint8_t>;
    const Count copies = data * candidate.context;
    const bool in_parts = listed.counts("shard", {copies}).front() < copies;
    const bool scores = site_.workload.transformer &&
                        site_.workload.transformer->shape.attention != AttentionKind::Flash;
    const Words sequence = !site_.workload.transformer || candidate.tensor == 1 ? Words{0}
                           : has_whole_experts(listed, candidate)               ? Words{1}
                                                                                : Words{0, 1};
    for (const auto recompute : listed.words("recompute", kRecomputeWords,
                                             recorded() ? Words{0}
                                             : scores   ? Words{0, 1, 2}
                                                        : Words{0, 2}))
      for (const auto zero : listed.words("zero", kZero,
                                          copies == 1              ? Words{0}
                                          : recorded() && in_parts ? Words{1}
                                          : recorded()             ? Words{0, 1}
                                          : in_parts               ? Words{1, 3}
                                                                   : Words{0, 1, 3}))
        for (const auto parallel : listed.words("sequence_parallel", kSequenceParallel, sequence)) {
          candidate.recompute = recompute;
          candidate.zero = zero;
          candidate.sequence_parallel = parallel != 0;
          add(candidate);
        }
  }

  /// Each rank of a tensor group then needs tokens of its own.
  static bool has_whole_experts(const ListedValues& listed, const PlanCandidate& candidate) {
    return listed.counts("etp", {candidate.tensor}).front() < candidate.tensor;
  }

  /// As a pipeline was recorded, so were its tensor and context parallelism and its micro-batches.
  const RecordedPipeline* recorded() const {
    const auto& pipeline = site_.workload.pipeline;
    return pipeline ? &*pipeline : nullptr;
  }

  Count layers_of_model() const {
    const Workload& model = site_.workload;
    return model.transformer ? model.transformer->shape.layers
                             : static_cast<Count>(model.layers.size());
  }

  /// Inside a node, of those that divide the heads.
  Counts tensor_ways(Count node) const {
    if (recorded() != nullptr)
      return {recorded()->tensor};
    if (!site_.workload.transformer)
      return {1};
    Counts ways = divisors(node, node);
    std::erase_if(ways, [&](Count each) {
      const Transformer& shape = site_.workload.transformer->shape;
      return shape.heads % each != 0 || shape.ffn % each != 0 || gpus_ % each != 0;
    });
    return ways;
  }

  Counts context_ways() const {
    if (recorded() != nullptr)
      return {recorded()->context};
    if (!site_.workload.transformer || site_.workload.transformer->shape.seq < kLongSequence)
      return {1};
    return powers_of_two(std::min<Count>(gpus_, 16));
  }

  Counts expert_ways(Count copies) const {
    if (!site_.workload.transformer || !site_.workload.transformer->shape.has_experts())
      return {1};
    Counts ways = powers_of_two(std::min(copies, site_.workload.transformer->shape.experts));
    std::erase_if(ways, [&](Count each) {
      return copies % each != 0 || site_.workload.transformer->shape.experts % each != 0;
    });
    return ways;
  }

  PlanSpace& space_;
  const PlanSite& site_;
  Count gpus_;
  PlanCandidate base_;
};

}  // namespace

void add_candidates(PlanSpace& space, std::size_t first) {
  for (std::size_t site = first; site < space.sites.size(); ++site)
    CandidateMaker(space, site).add_all();
}

ScheduleOptions options_of(const PlanSpace& space, const PlanCandidate& candidate) {
  ScheduleOptions options = space.schedules[candidate.schedule].listed[candidate.listed];
  if (candidate.accumulation > 0) {
    if (candidate.accumulation > 1)
      options["accumulation"] = std::to_string(candidate.accumulation);
    return options;
  }
  // What a recording has by default a plan may have chosen otherwise.
  const bool recorded = space.sites[candidate.site].workload.pipeline.has_value();
  const auto set = [&](const char* name, Count value, Count usual) {
    if (value != usual || recorded)
      options[name] = std::to_string(value);
  };
  set("tp", candidate.tensor, 1);
  set("pp", candidate.pipeline, 1);
  set("cp", candidate.context, 1);
  set("ep", candidate.expert, 1);
  options["micro_batch"] = std::to_string(candidate.micro_batch);
  options["global_batch"] = std::to_string(space.sites[candidate.site].global_batch);
  if (space.schedules[candidate.schedule].chunked)
    options["virtual_stages"] = std::to_string(candidate.chunks);
  if (candidate.recompute > 0)
    options["recompute"] = kRecomputeWords[candidate.recompute];
  if (candidate.zero > 0 || recorded)
    options["zero"] = kZero[candidate.zero];
  if (candidate.sequence_parallel)
    options["sequence_parallel"] = "yes";
  return options;
}

}  // namespace stepcast
