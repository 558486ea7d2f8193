#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/forecast/collective_run.hpp"
#include "sim/forecast/network_notes.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/table.hpp"
#include "sim/study/validate/collective_range.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

using namespace literals;

constexpr const char* kExample =
    "stepcast collective --cluster rtx2080ti-16x4-10gbe --size 1MiB,32MiB --gpus 8,64";

template <class Value>
std::vector<std::string> names_of(const std::vector<Value>& values) {
  std::vector<std::string> names;
  for (const Value value : values)
    names.emplace_back(name_of(value));
  return names;
}

[[noreturn]] void refuse_name(const char* option, const std::string& name,
                              const std::vector<std::string>& known) {
  throw InputError(fmt::format("{}: expected one of {}, found {}{}", option, fmt::join(known, ", "),
                               in_quotes(name), did_you_mean(name, known)));
}

CollectiveKind parse_kind(const std::string& name) {
  const std::optional<CollectiveKind> kind = find_collective_kind(name);
  if (!kind)
    refuse_name("--kind", name, names_of(all_collective_kinds()));
  return *kind;
}

std::vector<Algorithm> parse_algorithms(const std::vector<std::string>& names,
                                        CollectiveKind kind) {
  const std::vector<Algorithm> possible = algorithms_for(kind);
  if (names.empty())
    return possible;
  std::vector<Algorithm> algorithms;
  for (const std::string& name : names) {
    const std::optional<Algorithm> algorithm = find_algorithm(name);
    if (!algorithm || std::ranges::find(possible, *algorithm) == possible.end())
      refuse_name("--algorithm", name, names_of(possible));
    algorithms.push_back(*algorithm);
  }
  return algorithms;
}

std::string gigabytes_per_second(BytesPerSecond bandwidth) {
  return std::isfinite(bandwidth.value) ? fmt::format("{:.3f}", bandwidth.value * 1e-9) : "-";
}

/// nccl-tests defines none for sends between pairs of GPUs.
bool has_bus_bandwidth(const CollectiveRun& run) {
  return run.collective.kind != CollectiveKind::Send;
}

/// A collective and where a measured one is likely to lie.
struct RangedRun {
  CollectiveRun run;
  LikelyStep likely;
};

/// Which rows come from measured curves, if any do.
std::string curve_lines(const std::vector<RangedRun>& runs) {
  std::string text;
  for (const std::string basis : {"measured", "extrapolated"}) {
    std::set<std::string> rows;
    for (const auto& [run, likely] : runs)
      if (run.basis == basis)
        rows.insert(fmt::format("{} of {} on {} GPUs", name_of(run.collective.kind),
                                format_bytes(run.collective.size), run.ranks));
    if (!rows.empty())
      text += wrap(
          fmt::format("{} from measured curves: {}",
                      basis == "measured" ? "Interpolated" : "Extrapolated", fmt::join(rows, ", ")),
          2);
  }
  return text.empty() ? text : "\n" + text;
}

/// Of all costs only the launch is part of a collective by itself.
Notes notes_on(Cluster cluster, const std::vector<RangedRun>& runs) {
  std::erase_if(cluster.costs_not_given,
                [](const std::string& path) { return path != "software.collective_launch"; });
  Notes notes = caveats_of(cluster);
  const auto tuned = std::ranges::find_if(runs, [&](const RangedRun& each) {
    const CollectiveRun& run = each.run;
    return run.collective.algorithm == Algorithm::Nccl && run.ranks > cluster.gpus_per_node &&
           note_on_tuner(cluster, run.fidelity);
  });
  if (tuned != runs.end())
    notes.push_back(*note_on_tuner(cluster, tuned->run.fidelity));
  return notes;
}

std::string range_text(const LikelyStep& likely) {
  if (likely.basis.empty())
    return "-";
  const auto microseconds = [](Seconds time) {
    const double value = time.value * 1e6;
    return value < 1000 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
  };
  return fmt::format("{} to {}", microseconds(likely.low), microseconds(likely.high));
}

/// What the ranges are taken from, each once.
std::string basis_lines(const std::vector<RangedRun>& runs) {
  std::vector<std::string> bases;
  for (const RangedRun& each : runs)
    if (!each.likely.basis.empty() && std::ranges::count(bases, each.likely.basis) == 0)
      bases.push_back(each.likely.basis);
  std::string text;
  for (const std::string& basis : bases)
    text += wrap("Likely range: " + basis, 2);
  return text.empty() ? text : "\n" + text;
}

/// In the columns and units of nccl-tests.
std::string table_of(const std::vector<RangedRun>& runs, const Notes& notes) {
  Table table{.columns = {{"collective", Align::Left},
                          {"algorithm", Align::Left},
                          {"fidelity", Align::Left},
                          {"GPUs"},
                          {"size"},
                          {"time us"},
                          {"likely us"},
                          {"algbw GB/s"},
                          {"busbw GB/s"}}};
  for (const auto& [run, likely] : runs)
    table.rows.push_back(
        {name_of(run.collective.kind), name_of(run.collective.algorithm), name_of(run.fidelity),
         std::to_string(run.ranks), format_bytes(run.collective.size),
         fmt::format("{:.2f}", run.time.value * 1e6), range_text(likely),
         gigabytes_per_second(run.algorithm_bandwidth()),
         has_bus_bandwidth(run) ? gigabytes_per_second(run.bus_bandwidth()) : "-"});
  std::string text = render(table) + curve_lines(runs) + basis_lines(runs);
  for (const Note& note : notes)
    text += fmt::format("\n{}", wrap(note.text, 2));
  return text;
}

std::string json_of(const std::vector<RangedRun>& runs, const Notes& notes) {
  nlohmann::ordered_json json{{"version", STEPCAST_VERSION}};
  json["results"] = nlohmann::ordered_json::array();
  for (const auto& [run, likely] : runs) {
    json["results"].push_back({{"kind", name_of(run.collective.kind)},
                               {"algorithm", name_of(run.collective.algorithm)},
                               {"fidelity", name_of(run.fidelity)},
                               {"gpus", run.ranks},
                               {"size_bytes", run.collective.size.value},
                               {"time_s", run.time.value},
                               {"basis", run.basis},
                               {"algbw_bytes_per_s", run.algorithm_bandwidth().value},
                               {"busbw_bytes_per_s", nullptr}});
    if (has_bus_bandwidth(run))
      json["results"].back()["busbw_bytes_per_s"] = run.bus_bandwidth().value;
    add_likely(json["results"].back(), likely, "time");
  }
  json["notes"] = texts_of(notes);
  return json.dump(2) + "\n";
}

/// A collective by itself, as nccl-tests would measure it.
class CollectiveCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {
        .description =
            "The time includes the launch (software.collective_launch of the cluster), as that "
            "of nccl-tests\ndoes. algbw is size / time; busbw is algbw times 2(n-1)/n for an "
            "all-reduce, (n-1)/n for a\nreduce-scatter, all-gather or all-to-all, 1 for a "
            "broadcast or reduce. send: every second GPU\nsends to the one before it; it has no "
            "busbw. GB/s are 1e9 bytes/s.",
        .examples = {kExample,
                     "stepcast collective --cluster rtx2080ti-16x4-ib100 --kind broadcast "
                     "--size 25MiB\n      --fidelity analytic,step"}};
  }

  std::vector<CommandOption> options() override {
    return {{"--cluster", "C", &cluster_, "name (see stepcast list clusters) or .json file"},
            {"--kind", "KIND", &kind_,
             "all-reduce (the default), reduce-scatter, all-gather, all-to-all,\nbroadcast, reduce "
             "or send"},
            {"--size", "BYTES,...", &sizes_, "buffer as in nccl-tests; default 32MiB"},
            {"--gpus", "N,...", &gpus_, "the first N: whole nodes or part of one; default: all"},
            {"--algorithm", "A,...", &algorithms_, "default: every one that implements the kind"},
            {"--fidelity", "F,...", &fidelities_, "default: analytic,flow; also step"},
            {"--set", "KEY=VALUE", &settings_,
             "change a field of the cluster: cluster.nic.startup=5us"},
            {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    if (cluster_.empty())
      throw InputError(
          fmt::format("no cluster given; name one with --cluster (see stepcast list "
                      "clusters), for example: {}",
                      on_one_line(kExample)));
    const Cluster on = cluster();
    const std::vector<RangedRun> runs = all_runs(on);
    const Notes notes = notes_on(on, runs);
    say("{}", json_ ? json_of(runs, notes) : table_of(runs, notes));
    return 0;
  }

 private:
  Cluster cluster() const {
    for (const std::string& setting : settings_)
      if (!setting.starts_with("cluster."))
        throw InputError(fmt::format(
            "--set {}: a collective by itself has cluster.<field> settings only", setting));
    return with_settings(load_cluster(cluster_), parse_settings(settings_));
  }

  /// Everything is checked before the first simulation.
  std::vector<RangedRun> all_runs(const Cluster& cluster) const {
    const CollectiveKind kind = parse_kind(kind_);
    const std::vector<Algorithm> algorithms = parse_algorithms(algorithms_.items, kind);
    for (const Bytes size : sizes_)
      if (!(size > Bytes{}))
        throw InputError("--size: expected sizes above zero, found 0");
    std::vector<Fidelity> fidelities;
    for (const std::string& name : fidelities_.items)
      fidelities.push_back(parse_fidelity(name));
    std::vector<Cluster> clusters;
    for (const std::uint32_t gpus : gpus_)
      clusters.push_back(first_ranks_of(cluster, gpus));
    if (fidelities.empty())
      fidelities = {Fidelity::Analytic, Fidelity::Flow};
    if (clusters.empty())
      clusters.push_back(cluster);
    return product(kind, cluster, clusters, sizes_, algorithms, fidelities);
  }

  static std::vector<RangedRun> product(CollectiveKind kind, const Cluster& whole,
                                        const std::vector<Cluster>& clusters,
                                        const std::vector<Bytes>& sizes,
                                        const std::vector<Algorithm>& algorithms,
                                        const std::vector<Fidelity>& fidelities) {
    Progress progress("collective",
                      clusters.size() * sizes.size() * algorithms.size() * fidelities.size());
    CollectiveRanges ranges(whole);
    std::vector<RangedRun> runs;
    for (const Cluster& cluster : clusters)
      for (const Bytes size : sizes)
        for (const Algorithm algorithm : algorithms)
          for (const Fidelity fidelity : fidelities) {
            CollectiveRun run = run_collective({.kind = kind, .algorithm = algorithm, .size = size},
                                               cluster, fidelity);
            LikelyStep likely = ranges.of(run);
            runs.push_back({std::move(run), std::move(likely)});
            progress.step();
          }
    return runs;
  }

  std::string cluster_;
  std::string kind_ = "all-reduce";
  std::vector<Bytes> sizes_{32.0_MiB};
  std::vector<std::uint32_t> gpus_;
  CommaList algorithms_;
  CommaList fidelities_;
  std::vector<std::string> settings_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_collective_command() {
  return std::make_unique<CollectiveCommand>();
}

}  // namespace stepcast
