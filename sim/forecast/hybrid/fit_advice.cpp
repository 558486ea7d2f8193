#include "sim/forecast/hybrid/fit_advice.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/numbers.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

using Count = std::uint32_t;
constexpr Count kMostGpus = 16384;  // that a way out is looked for on

/// Values to give some options.
using Change = std::vector<std::pair<std::string, std::string>>;

const Change kSmallestPasses{{"micro_batch", "1"}};

struct Fit {
  Change change;
  Bytes memory{};
};

std::string words_of(const Change& change) {
  std::vector<std::string> words;
  for (const auto& [name, value] : change)
    words.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string text_of(const Fit& fit) {
  return fmt::format("{} ({})", words_of(fit.change), format_bytes(fit.memory));
}

/// Ways to hold less of a job, on its cluster with more or as many nodes.
class WaysToFit {
 public:
  WaysToFit(const ScheduledJob& job, const HybridJob& planned, Count factor)
      : asked_(job), job_(planned), cluster_(job.cluster), options_(job.options) {
    cluster_.nodes *= factor;
    if (!options_.contains("order"))  // which says how many micro-batches there are
      options_["global_batch"] = std::to_string(planned.global_batch());
    options_["micro_batch"] = std::to_string(planned.micro_batch);
  }

  /// Those that suffice alone.
  std::vector<Fit> single() const {
    std::vector<Change> changes = recomputing();
    for (const Change& each : sharing())
      changes.push_back(each);
    changes.push_back({{"pp", std::to_string(job_.layout.pipeline * 2)}});
    if (job_.layout.tensor * 2 <= cluster_.gpus_per_node)
      changes.push_back({{"tp", std::to_string(job_.layout.tensor * 2)}});
    if (job_.micro_batch % 2 == 0)
      changes.push_back({{"micro_batch", std::to_string(job_.micro_batch / 2)}});
    std::vector<Fit> fits;
    for (Change& change : changes)
      if (const auto memory = memory_with(change); memory && *memory <= device())
        fits.push_back({std::move(change), *memory});
    return fits;
  }

  /// The fewest changes that suffice together, of equally many those that leave most of the layout.
  std::optional<Fit> together() const {
    std::vector<Change> changes = combinations({Change{}, kSmallestPasses});
    std::ranges::stable_sort(changes, {}, &Change::size);
    for (Change& change : changes)
      if (const auto memory = memory_with(change); memory && *memory <= device())
        return Fit{std::move(change), *memory};
    return std::nullopt;
  }

  /// Of all that holds least in each layout.
  std::optional<Fit> least() const {
    std::optional<Fit> least;
    for (Change& change : combinations({kSmallestPasses}))
      if (const auto memory = memory_with(change); memory && (!least || *memory < least->memory))
        least = Fit{std::move(change), *memory};
    return least;
  }

  Count gpus() const { return cluster_.ranks(); }
  Bytes device() const { return cluster_.device.memory; }

 private:
  /// In every layout with each of these passes, and with whatever else saves memory.
  std::vector<Change> combinations(const std::vector<Change>& batches) const {
    std::vector<Change> changes;
    for (const Change& layout : layouts())
      for (const Change& batch : batches)
        for (const Change& zero : with_none(sharing()))
          for (const Change& recompute : with_none(recomputing()))
            changes.push_back(joined({recompute, zero, batch, layout}));
    return changes;
  }

  static std::vector<Change> with_none(std::vector<Change> changes) {
    changes.emplace(changes.begin());
    return changes;
  }

  /// Without what stays as it is.
  Change joined(const std::vector<Change>& changes) const {
    Change all;
    for (const Change& change : changes)
      for (const auto& each : change)
        if (each.first != "micro_batch" || job_.micro_batch > 1)
          all.push_back(each);
    return all;
  }

  std::vector<Change> recomputing() const {
    std::vector<Change> changes;
    if (job_.settings.recompute == Recompute::None)
      changes.push_back({{"recompute", "selective"}});
    if (job_.settings.recompute != Recompute::Full)
      changes.push_back({{"recompute", "full"}});
    return changes;
  }

  std::vector<Change> sharing() const {
    std::vector<Change> changes;
    if (job_.zero == 0)
      changes.push_back({{"zero", "1"}});
    if (job_.zero < 3)
      changes.push_back({{"zero", "3"}});
    return changes;
  }

  /// Of powers of two of the stages and, inside a node, of ranks that share layers.
  std::vector<Change> layouts() const {
    std::vector<Change> changes;
    const auto& now = job_.layout;
    for (std::uint64_t pipeline = now.pipeline; pipeline <= cluster_.ranks(); pipeline *= 2)
      for (Count tensor = now.tensor; tensor <= std::max(now.tensor, cluster_.gpus_per_node);
           tensor *= 2) {
        Change change;
        if (pipeline != now.pipeline)
          change.emplace_back("pp", std::to_string(pipeline));
        if (tensor != now.tensor)
          change.emplace_back("tp", std::to_string(tensor));
        changes.push_back(std::move(change));
      }
    return changes;
  }

  /// Nothing of what the schedule refuses.
  std::optional<Bytes> memory_with(const Change& change) const try {
    ScheduleOptions options = options_;
    for (const auto& [name, value] : change)
      options[name] = value;
    return fullest_stage(
        hybrid_job_of(asked_.info(), asked_.workload, cluster_, std::move(options)),
        asked_.workload);
  } catch (const InputError&) {
    return std::nullopt;
  }

  const ScheduledJob& asked_;
  const HybridJob& job_;
  Cluster cluster_;
  ScheduleOptions options_;
};

std::string of_more_gpus(const ScheduledJob& job, const HybridJob& planned) {
  for (Count factor = 2; std::uint64_t{job.cluster.ranks()} * factor <= kMostGpus; factor *= 2) {
    const WaysToFit more(job, planned, factor);
    if (const auto least = more.least(); least && least->memory <= more.device())
      return fmt::format("{} GPUs would do, with {}", more.gpus(), text_of(*least));
  }
  return fmt::format("nor do up to {} GPUs", kMostGpus);
}

}  // namespace

std::string fit_advice(const ScheduledJob& job, const HybridJob& planned) {
  const WaysToFit ways(job, planned, 1);
  std::vector<std::string> texts;
  for (const Fit& fit : ways.single())
    texts.push_back(text_of(fit));
  if (!texts.empty())
    return fmt::format("What would make it fit, each alone: {}.", fmt::join(texts, ", "));
  const std::optional<Fit> least = ways.least();
  if (least && least->memory <= ways.device())
    if (const auto together = ways.together())
      return fmt::format("{}: {}.",
                         together->change.size() == 1
                             ? "What would make it fit"
                             : "No single change makes it fit; together these do",
                         text_of(*together));
  const std::string reached =
      least && !least->change.empty() ? fmt::format(", the least is {}", text_of(*least)) : "";
  return fmt::format("Nothing makes it fit on {}{}; {}.", gpus_in_words(ways.gpus()), reached,
                     of_more_gpus(job, planned));
}

}  // namespace stepcast
