#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/checks/given_options.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/cli/told_job.hpp"
#include "sim/forecast/network_notes.hpp"
#include "sim/jobs/replay.hpp"
#include "sim/report/text/measured/job_at_ranks_report.hpp"
#include "sim/report/text/measured/replay_report.hpp"
#include "sim/workers/workers.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/import.hpp"
#include "traces/ideal_cluster.hpp"

namespace stepcast {
namespace {

/// Simulates the steps of a profiler trace as they were recorded, and with changes.
class ReplayCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "Simulates every recorded step: host threads, kernels and collectives on their own "
                "streams, and\nwhat waits for what. Prints the simulated against the recorded step "
                "time, and with any of the\noptions below what the change would do. --ranks "
                "forecasts the\nwhole job at another size, its ranks as uneven as they were "
                "recorded.",
            .examples = {"stepcast replay trace.json.gz",
                         "stepcast replay trace.json.gz --cluster rtx2080ti-16x4-10gbe --bucket "
                         "10MiB",
                         "stepcast replay trace.json.gz --device-speed 2 --without all-reduce",
                         "stepcast replay profiles/ --cluster rtx2080ti-16x4-10gbe --ranks 64 "
                         "--schedule dear",
                         "stepcast replay operations.csv.gz --job job.json --cluster dgx-a100 "
                         "--ranks 16"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"TRACE", "", &files_, "profiler trace; several, or a folder: one for each rank"},
        {"--cluster", "C", &cluster_, "collectives run on this network, on all of its GPUs"},
        {"--nodes", "N", &nodes_, "nodes of the cluster"},
        {"--gpus-per-node", "G", &gpus_, "GPUs of each node"},
        {"--ranks", "N", &ranks_, "the job of these traces on N GPUs of the cluster"},
        {"--schedule", "S", &schedule_,
         "of --ranks (default: ddp, of a pipeline its own order); see stepcast\nlist schedules"},
        {"--ideal", "", &ideal_, "of --ranks: without the host's delays, all ranks alike"},
        {"--job", "FILE", &job_, "of --ranks: what the traces do not say, as of diagnose"},
        {"--bucket", "SIZE", &bucket_, "gradients in buckets of this size; needs --cluster"},
        {"--first-bucket", "SIZE", &first_bucket_,
         "where the first closes (default: 1MiB as DDP's, at most --bucket)"},
        {"--without", "KIND", &without_, "collectives that cost nothing: all-reduce,... or all"},
        {"--device-speed", "X", &device_speed_, "kernels and copies X times faster"},
        {"--host-speed", "X", &host_speed_, "the host's threads X times faster"},
        {"--strict", "", &strict_, "refuse a trace if anything is skipped or doubtful"},
        {"--json", "", &json_, "print JSON"},
    };
  }

  int run() override {
    if (files_.empty())
      throw InputError(fmt::format("replay: expected a trace, for example: {}",
                                   on_one_line(help().examples.front())));
    if (ranks_)
      return replay_job();
    refuse_given(
        "expected --ranks beside it",
        {{"--schedule", !schedule_.empty()}, {"--ideal", ideal_}, {"--job", !job_.empty()}});
    const WhatIf change = parse_change();
    const Cluster changed_on = cluster_.empty() ? ideal_cluster(1, 1) : network();
    std::optional<Progress> progress(std::in_place, "replaying " + files_.front());
    ImportReport report;
    const std::vector<RecordedStep> steps = record_trace(
        std::vector<std::filesystem::path>(files_.begin(), files_.end()), strict_, report);
    for (const std::string& line : describe(report))
      tell("{}: {}\n", files_.front(), line);
    ReplayedTrace result = replay_result(files_.front(), steps);
    result.change = describe_change();
    const Cluster alone = ideal_cluster(1, 1);
    add_recording(steps, replay_trace(steps, alone, {}), result);
    refuse_missed_recording(result);
    if (!result.change.empty()) {
      const ReplayedTimes changed = replay_trace(steps, changed_on, change);
      result.notes = changed.notes;
      result.changed = changed.mean;
    }
    if (!cluster_.empty())
      std::ranges::move(size_notes(load_cluster(cluster_), changed_on),
                        std::back_inserter(result.notes));
    result.cycles = find_cycles(steps, changed_on, change);
    progress.reset();
    say("{}", json_ ? replay_json(result) : render_replay(result));
    return 0;
  }

 private:
  int replay_job() const {
    if (cluster_.empty())
      throw InputError("--ranks: expected --cluster with it: other networks were not recorded");
    refuse_given("expected no --ranks beside it", {{"--nodes", nodes_.has_value()},
                                                   {"--bucket", !bucket_.empty()},
                                                   {"--first-bucket", !first_bucket_.empty()},
                                                   {"--without", !without_.items.empty()},
                                                   {"--device-speed", device_speed_.has_value()},
                                                   {"--host-speed", host_speed_.has_value()}});
    OtherSize size{.cluster = cluster_of_ranks(),
                   .schedule = schedule_,
                   .ideal = ideal_,
                   .workers = available_cores()};
    const Progress progress("replaying " + files_.front());
    const Job job = told_job(files_, job_, strict_);
    if (schedule_.empty() && job.stages == 1)
      size.schedule = "ddp";
    const JobAtRanks result = job_at_ranks(job, size);
    say("{}", json_ ? job_at_ranks_json(files_.front(), result)
                    : render_job_at_ranks(files_.front(), result));
    return 0;
  }

  /// Whole nodes, or a part of one.
  Cluster cluster_of_ranks() const {
    Cluster cluster = network();
    const std::uint32_t each = cluster.gpus_per_node;
    if (*ranks_ == 0 || (*ranks_ > each && *ranks_ % each != 0))
      throw InputError(
          fmt::format("--ranks: expected a multiple of the {} GPUs of a node (see "
                      "--gpus-per-node), or fewer, found {}",
                      each, *ranks_));
    cluster.gpus_per_node = std::min(each, *ranks_);
    cluster.nodes = *ranks_ / cluster.gpus_per_node;
    return cluster;
  }

  /// Errors name the trace.
  ReplayedTimes replay_trace(const std::vector<RecordedStep>& steps, const Cluster& cluster,
                             const WhatIf& change) const try {
    return replay(steps, cluster, change);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", files_.front(), error.what()));
  }

  static void add_recording(const std::vector<RecordedStep>& steps, const ReplayedTimes& simulated,
                            ReplayedTrace& result) {
    result.start_deviation = simulated.start_deviation;
    for (std::size_t i = 0; i < steps.size(); ++i)
      result.steps.push_back({.name = steps[i].name,
                              .recorded = steps[i].recorded,
                              .simulated = simulated.steps[i],
                              .whole = steps[i].whole,
                              .stalled = steps[i].stalled});
  }

  /// Kernels were recorded beside collectives: what those slow them down by is in their times.
  Cluster network() const {
    Cluster cluster = load_cluster(cluster_);
    cluster.nodes = nodes_.value_or(cluster.nodes);
    cluster.gpus_per_node = gpus_.value_or(cluster.gpus_per_node);
    cluster.overlap = {};
    constexpr std::uint32_t kMostRanks = 4096;  // Seconds of simulation for each collective beyond.
    if (std::uint64_t{cluster.nodes} * cluster.gpus_per_node > kMostRanks)
      throw InputError(fmt::format("{} x {} GPUs: a replay predicts collectives of at most {} GPUs",
                                   cluster.nodes, cluster.gpus_per_node, kMostRanks));
    return cluster;
  }

  WhatIf parse_change() const {
    WhatIf change{.predict_collectives = !cluster_.empty(),
                  .device_speed = speed("--device-speed", device_speed_),
                  .host_speed = speed("--host-speed", host_speed_),
                  .without = kinds()};
    if (cluster_.empty())
      refuse_given("expected --cluster beside it: other collectives were not recorded",
                   {{"--nodes", nodes_.has_value()},
                    {"--gpus-per-node", gpus_.has_value()},
                    {"--bucket", !bucket_.empty()}});
    if (bucket_.empty() && !first_bucket_.empty())
      throw InputError("--first-bucket needs --bucket");
    if (!bucket_.empty())
      change.buckets = buckets();
    return change;
  }

  BucketSizes buckets() const {
    BucketSizes sizes{.size = size("--bucket", bucket_)};
    if (!first_bucket_.empty())
      sizes.first = size("--first-bucket", first_bucket_);
    return sizes;
  }

  static Bytes size(const char* option, const std::string& text) try {
    const Bytes parsed = parse_bytes(text);
    if (!(parsed > Bytes{}))
      throw InputError(fmt::format("expected a size above zero, found {}", in_quotes(text)));
    return parsed;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", option, error.what()));
  }

  static double speed(const char* option, const std::optional<double>& given) {
    constexpr double kMost = 1000;
    if (given && !(*given >= 1 / kMost && *given <= kMost))
      throw InputError(fmt::format("{}: expected a number from {} to {}, found {}", option,
                                   1 / kMost, kMost, *given));
    return given.value_or(1);
  }

  std::vector<CollectiveKind> kinds() const {
    std::vector<CollectiveKind> kinds;
    for (const std::string& name : without_.items) {
      if (name == "all")
        return all_collective_kinds();
      const auto kind = find_collective_kind(name);
      if (!kind)
        throw InputError(
            fmt::format("--without: expected all or a kind such as all-reduce, found "
                        "{}",
                        in_quotes(name)));
      kinds.push_back(*kind);
    }
    return kinds;
  }

  std::string describe_change() const {
    std::vector<std::string> parts;
    if (!cluster_.empty()) {
      const Cluster cluster = network();
      parts.push_back(fmt::format("collectives on {} x {} GPUs of {}", cluster.nodes,
                                  cluster.gpus_per_node, cluster.name));
    }
    if (!bucket_.empty())
      parts.push_back(fmt::format(
          "gradients in buckets of {}{}", bucket_,
          first_bucket_.empty() ? "" : fmt::format(" (the first of {})", first_bucket_)));
    if (!without_.items.empty())
      parts.push_back(fmt::format("{} for free", fmt::join(without_.items, ", ")));
    if (device_speed_)
      parts.push_back(fmt::format("a device {} times as fast", *device_speed_));
    if (host_speed_)
      parts.push_back(fmt::format("a host {} times as fast", *host_speed_));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  std::vector<std::string> files_;
  std::string cluster_;
  std::optional<std::uint32_t> nodes_;
  std::optional<std::uint32_t> gpus_;
  std::optional<std::uint32_t> ranks_;
  std::string schedule_;
  bool ideal_ = false;
  std::string job_;
  std::string bucket_;
  std::string first_bucket_;
  CommaList without_;
  std::optional<double> device_speed_;
  std::optional<double> host_speed_;
  bool strict_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_replay_command() {
  return std::make_unique<ReplayCommand>();
}

}  // namespace stepcast
