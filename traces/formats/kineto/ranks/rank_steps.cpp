#include "traces/formats/kineto/ranks/rank_steps.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/kineto/steps/device_steps.hpp"
#include "traces/formats/rank_comparison.hpp"
#include "traces/formats/rank_record.hpp"

namespace stepcast {

namespace {

/// Names of the layers of the last step that put work on the device.
std::vector<std::string> working_layers(const RankSteps& rank) {
  std::vector<std::string> names;
  for (const LayerTimes& layer : rank.steps.back().layers)
    if (layer.work > 0)
      names.push_back(layer.name);
  return names;
}

std::vector<RankRecord> records_of(const std::vector<RankSteps>& ranks) {
  std::vector<RankRecord> records;
  for (const RankSteps& rank : ranks)
    records.push_back(rank.record);
  return records;
}

std::string list_of(const std::vector<GradientBucket>& buckets) {
  std::vector<std::string> sizes;
  for (const GradientBucket& bucket : buckets)
    sizes.push_back(format_bytes(bucket.size));
  return fmt::format("{}", fmt::join(sizes, ", "));
}

/// Sizes that were not recorded contradict nothing.
void refuse_other_buckets(const RankSteps& rank, const RankSteps& first) {
  const auto& found = rank.steps.back().buckets;
  const auto& wanted = first.steps.back().buckets;
  if (!found.empty() && !wanted.empty() &&
      !std::ranges::equal(found, wanted, {}, &GradientBucket::size, &GradientBucket::size))
    throw InputError(
        fmt::format("{}: expected gradient buckets of {} as in {}, found {}: no ranks of one job",
                    rank.record.origin, list_of(wanted), first.record.origin, list_of(found)));
}

bool has_other_layers(const RankSteps& rank, const RankSteps& first) {
  return working_layers(rank) != working_layers(first);
}

/// Whether a rank may hold another part of the model than the first.
bool may_differ(const RankSteps& rank, const RankSteps& first) {
  return rank.record.rank && first.record.rank && rank.record.ranks;
}

}  // namespace

void check_same_job(const std::vector<RankSteps>& ranks) {
  if (const std::string why = why_not_one_job(records_of(ranks)); !why.empty())
    throw InputError(why);
  const RankSteps& first = ranks.front();
  for (const RankSteps& rank : ranks) {
    if (!has_other_layers(rank, first))
      refuse_other_buckets(rank, first);
    else if (!may_differ(rank, first))
      throw InputError(
          fmt::format("{}: expected the layers of {}, found others: no ranks of one job",
                      rank.record.origin, first.record.origin));
  }
}

std::string alignment_of(const std::vector<RankSteps>& ranks, ImportReport& report) {
  const std::vector<RankRecord> records = records_of(ranks);
  const RankComparison comparison = compare_ranks(records);
  for (std::size_t i = 0; i < comparison.unmatched; ++i)
    report.doubt("collective that not every rank recorded", records.front().origin);
  if (comparison.ranks.empty())
    return comparison.why_not.empty() ? "" : "clocks not compared: " + comparison.why_not;
  return fmt::format("clocks against {}'s, by the ends of {} collectives: {}",
                     comparison.ranks.front().name, comparison.collectives,
                     describe_offsets(comparison));
}

void keep_layers_of_first(std::vector<RankSteps>& ranks, ImportReport& report) {
  const std::vector<std::string> first = working_layers(ranks.front());
  const auto others = std::stable_partition(ranks.begin(), ranks.end(), [&](const RankSteps& rank) {
    return working_layers(rank) == first;
  });
  for (auto rank = others; rank != ranks.end(); ++rank)
    report.doubt(
        "rank with other layers than the first one's, left out (a pipeline stage or a shard of the "
        "model)",
        rank->record.origin);
  ranks.erase(others, ranks.end());
}

namespace {

/// The ranks of the group; empty: all. Nothing if these are a part that is not known.
std::optional<GroupRanks> group_of(const KnownCollective& known, const KinetoTrace& trace) {
  if (known.ranks == 0 || !trace.world_size || known.ranks == *trace.world_size)
    return GroupRanks();
  return known.group.empty() ? std::nullopt : std::optional(known.group);
}

}  // namespace

RankRecord rank_record_of(const KinetoTrace& trace, const KinetoView& view,
                          const std::string& origin) {
  RankRecord record{.origin = origin,
                    .rank = trace.rank,
                    .ranks = trace.world_size,
                    .nccl_version = trace.nccl_version,
                    .first_time_us = trace.first_time_us,
                    .steps = view.steps.steps.size(),
                    .mean_step = device_period(view),
                    .collectives = {}};
  for (const DeviceWork& work : view.work) {
    if (work.phase != WorkPhase::Communication || work.step == kNoStep)
      continue;
    const KnownCollective known = collective_of(trace, work);
    const auto group = group_of(known, trace);
    if (!known.kind || !ends_together(*known.kind) || !group)
      continue;
    const KinetoEvent& event = trace.events[work.event];
    record.collectives.push_back({.kind = *known.kind,
                                  .size = known.size,
                                  .group = *group,
                                  .sequence = known.sequence,
                                  .step = common_number(view.steps, work.step),
                                  .begin = event.start,
                                  .end = event.end(),
                                  .id = work.event});
  }
  return record;
}

}  // namespace stepcast
