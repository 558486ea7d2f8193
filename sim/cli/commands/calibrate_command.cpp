#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/collective/collective.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/measured/calibration_report.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/benchmark_log.hpp"
#include "traces/formats/import.hpp"
#include "traces/formats/stepcast/collectives_file.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

struct Layout {
  std::uint32_t nodes = 0;
  std::uint32_t gpus_per_node = 0;
};

Layout parse_layout(const std::string& text, const std::string& where) try {
  constexpr std::uint64_t kMostRanks = 1U << 20U;
  const std::size_t times = text.find('x');
  if (times == std::string::npos)
    throw InputError("no x");
  const Layout layout{parse_count(text.substr(0, times), 1),
                      parse_count(text.substr(times + 1), 1)};
  if (std::uint64_t{layout.nodes} * layout.gpus_per_node > kMostRanks)
    throw InputError("too many ranks");
  return layout;
} catch (const InputError&) {
  throw InputError(
      fmt::format("{}: expected NODESxGPUS such as 2x4 (two nodes of four GPUs), found {}", where,
                  in_quotes(text)));
}

/// "run.log=2x4": the file and the layout that it does not tell.
struct LogArgument {
  std::string file;
  Layout layout;
};

LogArgument parse_log(const std::string& text, const Layout& common) {
  const std::size_t equals = text.rfind('=');
  const std::string end = equals == std::string::npos ? "" : text.substr(equals + 1);
  const bool is_layout = !end.empty() && end.find_first_not_of("0123456789x") == std::string::npos;
  return is_layout ? LogArgument{text.substr(0, equals), parse_layout(end, text)}
                   : LogArgument{text, common};
}

auto key_of(const CollectiveCurve& curve) {
  return std::tuple(curve.kind, curve.nodes, curve.ranks);
}

/// Adds a curve; of a size that another run of the same ranks measured too the shorter time stays.
void add_curve(MeasuredCollectives& measured, const CollectiveCurve& curve, const std::string& file,
               ImportReport& report) {
  const auto same = std::ranges::find_if(measured.curves, [&](const CollectiveCurve& known) {
    return key_of(known) == key_of(curve);
  });
  if (same == measured.curves.end()) {
    measured.curves.push_back(curve);
    return;
  }
  CurveBuilder merged(report);
  for (const auto& points : {same->points, curve.points})
    for (const CurvePoint& point : points)
      merged.add(point.size, point.time, file);
  *same = merged.finish(curve.kind, curve.ranks, curve.nodes, measured.name);
}

void sort_curves(MeasuredCollectives& measured) {
  std::ranges::sort(measured.curves, {}, key_of);
}

/// Fits measured curves to benchmark logs and says how good they are.
class CalibrateCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "Reads nccl-tests (text, JSON), OSU, ib_write_bw and iperf3 (text, JSON), by "
                "content. What a log says\nof itself wins over --kind, --layout and its file's "
                "name. Prints "
                "for each curve how well the\nother rank counts predict it, an alpha-beta line "
                "beside it, what was left out and why. -o writes\ntraces/collectives format; name "
                "it in a cluster's \"collectives\".",
            .examples = {"stepcast calibrate allreduce-*.log bcast-*.log --cluster v100-32x4-edr "
                         "--nccl nvlink -o v100.json",
                         "stepcast calibrate osu-2-nodes.log=2x4 osu-4-nodes.log=4x4 --kind "
                         "all-reduce",
                         "stepcast calibrate ib_write_bw.log"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"LOG", "", &logs_, "logs; LOG=2x4 for one that does not tell its nodes and GPUs a node"},
        {"--cluster", "C", &cluster_, "also compare with what this cluster predicts now"},
        {"--layout", "NxG", &layout_, "nodes x GPUs a node, for logs that do not tell"},
        {"--kind", "KIND", &kind_, "the collective, for logs that do not tell: all-reduce, ..."},
        {"--nccl", "PATH", &nccl_,
         "the logs are NCCL's, whose tuner then tells of other ranks: nvlink\nor pcie, by what "
         "joins "
         "the GPUs of a node"},
        {"--name", "NAME", &name_, "of the measured collectives; default: the cluster's"},
        {"--source", "TEXT", &source_, "who measured it, on what, for the provenance"},
        output_option("-o,--output", &output_, "file of measured collectives to write"),
        {"--strict", "", &strict_, "refuse logs if anything in them is skipped or doubtful"},
        {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    if (logs_.empty())
      throw InputError("calibrate: expected a log, for example: " + help().examples.front());
    const std::optional<Cluster> cluster =
        cluster_.empty() ? std::nullopt : std::optional(load_cluster(cluster_));
    read_logs();
    sort_curves(measured_);
    describe_origin(cluster);
    const Calibration calibration = calibrated(cluster ? &*cluster : nullptr);
    say("{}", json_ ? calibration_json(calibration) : render_calibration(calibration));
    if (!output_.empty())
      write(calibration.measured);
    return 0;
  }

 private:
  Calibration calibrated(const Cluster* cluster) const {
    Progress progress("rank count", measured_.curves.size());
    Calibration calibration = calibrate(measured_, cluster, [&] { progress.step(); });
    calibration.links = links_;
    return calibration;
  }

  void read_logs() {
    const Layout common = layout_.empty() ? Layout{} : parse_layout(layout_, "--layout");
    const std::optional<CollectiveKind> kind = parse_kind();
    Progress progress("log", logs_.size());
    for (const std::string& text : logs_) {
      const LogArgument log = parse_log(text, common);
      read_log(
          log.file,
          {.kind = kind, .nodes = log.layout.nodes, .gpus_per_node = log.layout.gpus_per_node});
      progress.step();
    }
  }

  std::optional<CollectiveKind> parse_kind() const {
    const std::optional<CollectiveKind> kind = find_collective_kind(kind_);
    if (!kind_.empty() && (!kind || kind == CollectiveKind::Send))
      throw InputError(fmt::format("--kind: expected a collective such as all-reduce, found {}",
                                   in_quotes(kind_)));
    return kind;
  }

  void read_log(const std::string& file, const BenchmarkHints& hints) {
    ImportReport report;
    const BenchmarkLog log = read_benchmark_log(file, hints, report);
    tools_.insert(log.tool);
    if (!log.device.empty() && devices_.insert(log.device).second && devices_.size() > 1)
      report.doubt("log of another device than the ones before", log.device);
    if (log.curve) {
      check_one_tool(log, file);
      add_curve(measured_, *log.curve, file, report);
    } else {
      links_.push_back({.source = fmt::format("{}, {}", log.tool, file),
                        .bandwidth = log.link.bandwidth.value_or(BytesPerSecond{}),
                        .latency = log.link.latency.value_or(Seconds{})});
    }
    for (const std::string& line : describe(report))
      tell("{}: {}\n", file, line);
    if (strict_)
      refuse_doubts(report, file);
  }

  /// Another library takes another time: neither is the shorter run of the other.
  void check_one_tool(const BenchmarkLog& log, const std::string& file) {
    const auto& [key, first] = *curve_tools_.try_emplace(key_of(*log.curve), log.tool, file).first;
    if (first.first != log.tool)
      throw InputError(fmt::format(
          "{}: expected curves of one tool, found {} of {} GPUs by {} here and by {} in "
          "{}",
          file, name_of(log.curve->kind), log.curve->ranks, log.tool, first.first, first.second));
  }

  void describe_origin(const std::optional<Cluster>& cluster) {
    measured_.name = !name_.empty() ? name_ : cluster ? cluster->name : "measured";
    if (!nccl_.empty() && !(measured_.nccl = find_node_path(nccl_)))
      throw InputError(
          fmt::format("--nccl: expected {}, found {}", kNodePathWords, in_quotes(nccl_)));
    measured_.provenance = {
        .kind = ProvenanceKind::Measured,
        .source = !source_.empty()
                      ? source_
                      : fmt::format("{}{}{}", fmt::join(tools_, ", "),
                                    devices_.empty() ? "" : " on ", fmt::join(devices_, ", ")),
        .method =
            "the shorter of the out-of-place and the in-place time of each size (average "
            "over the benchmark's repetitions)"};
  }

  void write(const MeasuredCollectives& measured) const {
    if (measured.curves.empty())
      throw InputError(
          "calibrate: expected a log of a collective to write with -o, found only "
          "links");
    write_text_file(output_, to_json_text(measured));
    const std::size_t count = measured.curves.size();
    tell("{} curve{} written to {}\n", count, count == 1 ? "" : "s", output_);
  }

  std::vector<std::string> logs_;
  std::string cluster_;
  std::string layout_;
  std::string kind_;
  std::string nccl_;
  std::string name_;
  std::string source_;
  std::string output_;
  bool strict_ = false;
  bool json_ = false;
  MeasuredCollectives measured_;
  std::vector<CalibratedLink> links_;
  std::set<std::string> tools_;
  /// Who measured a curve, and in which file.
  std::map<std::tuple<CollectiveKind, std::uint32_t, std::uint32_t>,
           std::pair<std::string, std::string>>
      curve_tools_;
  std::set<std::string> devices_;
};

}  // namespace

std::unique_ptr<Subcommand> make_calibrate_command() {
  return std::make_unique<CalibrateCommand>();
}

}  // namespace stepcast
