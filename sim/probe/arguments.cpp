#include "sim/probe/arguments.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/stepcast/experiments/hardware_results.hpp"

namespace stepcast {
namespace {

constexpr std::array kKinds{ProbeKind::Gemm,   ProbeKind::Inverse,     ProbeKind::Selection,
                            ProbeKind::Memory, ProbeKind::Collectives, ProbeKind::Overlap};
constexpr std::uint32_t kMostIterations = 10000;
constexpr std::uint32_t kQuickIterations = 5;

Emulation parse_emulation(const std::string& text) {
  if (text == "copies")
    return Emulation::Copies;
  if (text == "timer")
    return Emulation::Timer;
  throw InputError(fmt::format("--emulate: expected copies or timer, found {}", in_quotes(text)));
}

std::uint32_t parse_positive(const std::string& option, const std::string& text,
                             std::uint32_t most) {
  try {
    const std::uint32_t count = parse_count(text, 1);
    if (count <= most)
      return count;
  } catch (const InputError& error) {
    throw InputError(option + ": " + error.what());
  }
  throw InputError(fmt::format("{}: expected at most {}, found {}", option, most, in_quotes(text)));
}

std::string parse_device(const std::string& text) {
  if (!is_device_name(text))
    throw InputError(fmt::format(
        "--device: expected a name of lower-case letters, digits, '-', '.' and '_' such as h200, "
        "found {}",
        in_quotes(text)));
  return text;
}

/// Goes through the arguments once.
class Parser {
 public:
  explicit Parser(std::span<const std::string> left) : left_(left) {}

  ProbeArguments parse() {
    while (!left_.empty())
      take(next());
    finish();
    return std::move(result_);
  }

 private:
  std::string next() {
    std::string text = left_.front();
    left_ = left_.subspan(1);
    return text;
  }

  std::string value_of(const std::string& option) {
    if (left_.empty())
      throw InputError(option + ": expected a value");
    return next();
  }

  void take(const std::string& argument) {
    if (argument.starts_with('-'))
      return take_option(argument);
    if (replays_ && result_.plan.empty()) {
      result_.plan = argument;
      return;
    }
    if (argument == "replay" && named_.empty() && !replays_) {
      replays_ = true;
      return;
    }
    take_probe(argument);
  }

  void take_probe(const std::string& name) {
    const auto kind =
        std::ranges::find(kKinds, name, [](ProbeKind k) -> std::string { return name_of(k); });
    if (replays_)
      throw InputError(fmt::format("unexpected argument {} after the plan", in_quotes(name)));
    if (name == "replay")
      throw InputError("replay comes first: stepcast-probe replay PLAN");
    if (name == "all") {
      named_.assign(kKinds.begin(), kKinds.end());
      return;
    }
    if (kind == kKinds.end()) {
      std::vector<std::string> names{"all", "replay"};
      for (const ProbeKind each : kKinds)
        names.emplace_back(name_of(each));
      throw InputError(fmt::format(
          "unknown probe {}; expected gemm, inverse, selection, memory, collectives, overlap, all "
          "or replay PLAN{}",
          in_quotes(name), did_you_mean(name, names)));
    }
    named_.push_back(*kind);
    result_.chosen = true;
  }

  void take_option(const std::string& option) {
    const std::map<std::string, std::function<void()>> options{
        {"--help", [this] { result_.help = true; }},
        {"-h", [this] { result_.help = true; }},
        {"--version", [this] { result_.version = true; }},
        {"--quick", [this] { result_.quick = true; }},
        {"--dry-run", [this] { result_.dry_run = true; }},
        {"--gpus", [&] { result_.gpus = parse_positive(option, value_of(option), 1U << 20); }},
        {"--device", [&] { result_.device = parse_device(value_of(option)); }},
        {"--output", [&] { result_.output = value_of(option); }},
        {"--iterations",
         [&] { result_.iterations = parse_positive(option, value_of(option), kMostIterations); }},
        {"--timeline", [&] { result_.timeline = value_of(option); }},
        {"--emulate", [&] { result_.emulation = parse_emulation(value_of(option)); }}};
    const auto found = options.find(option);
    if (found == options.end()) {
      std::vector<std::string> names;
      for (const auto& [name, action] : options)
        names.push_back(name);
      throw InputError(fmt::format("unknown option {} (see stepcast-probe --help){}",
                                   in_quotes(option), did_you_mean(option, names)));
    }
    for (const char* only : {"--iterations", "--timeline", "--emulate"})
      of_replay_ = option == only ? option : of_replay_;
    iterations_given_ = iterations_given_ || option == "--iterations";
    found->second();
  }

  void finish() {
    if (result_.help || result_.version)
      return;
    if (result_.quick && !iterations_given_)
      result_.iterations = kQuickIterations;
    if (replays_ && result_.plan.empty())
      throw InputError(
          "replay: expected a plan, made by: stepcast run ... --export-plan plan.json");
    if (!replays_ && !of_replay_.empty())
      throw InputError(of_replay_ + " belongs to: stepcast-probe replay PLAN");
    if (replays_)
      return;
    for (const ProbeKind kind : kKinds)
      if (named_.empty() || std::ranges::find(named_, kind) != named_.end())
        result_.probes.push_back(kind);
  }

  std::span<const std::string> left_;
  ProbeArguments result_;
  std::vector<ProbeKind> named_;
  bool replays_ = false;
  bool iterations_given_ = false;
  std::string of_replay_;
};

}  // namespace

ProbeArguments parse_probe_arguments(std::span<const std::string> arguments) {
  return Parser(arguments).parse();
}

std::string probe_help() {
  return "Measures kernels and collectives on this machine's GPUs, and replays plans on them.\n"
         "\n"
         "Usage: stepcast-probe [PROBE...] [OPTIONS]\n"
         "       stepcast-probe replay PLAN [OPTIONS]\n"
         "\n"
         "Probes (default: all):\n"
         "  gemm         matrix products of the shipped workloads' layers and Kronecker factors\n"
         "  inverse      Cholesky inverses of sides 64 to 4608\n"
         "  selection    top-k, scatter-add, packing, elementwise, launches\n"
         "  memory       copies inside the device, to and from the host, between peers\n"
         "  collectives  NCCL, 8 B to 1 GiB, on 1 to all GPUs; under MPI on all ranks\n"
         "  overlap      products beside communication of so many bytes\n"
         "\n"
         "Options:\n"
         "  --quick            fewer points and repetitions: under a minute for all probes\n"
         "  --gpus N           use N GPUs (default: all; a replay: as many as the plan has, or "
         "one)\n"
         "  --device NAME      name in the results (default: from the GPU's name)\n"
         "  --output FOLDER    where <device>-<probe>.json goes (default: traces/hardware)\n"
         "  --dry-run          list the work and measure nothing; needs no GPU\n"
         "  --iterations N     replay: iterations after the warm-up (default: 30, with --quick 5)\n"
         "  --timeline FILE    replay: write the measured timeline, for ui.perfetto.dev\n"
         "  --emulate HOW      replay on one GPU: collectives are copies (the default) or a "
         "timer\n"
         "  --help, --version\n"
         "\n"
         "Exit codes: 0 ok, 1 our fault, 2 wrong input or usage, 3 this machine lacks something.\n"
         "\n"
         "Examples:\n"
         "  stepcast-probe --quick\n"
         "  stepcast-probe gemm inverse --output results\n"
         "  stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe \\\n"
         "      --schedule dear --set cluster.overlap.compute_slowdown=0 \\\n"
         "      --set cluster.overlap.communication_slowdown=0 --export-plan dear.json && \\\n"
         "      stepcast-probe replay dear.json --gpus 1\n"
         "  mpirun -np 8 stepcast-probe collectives\n";
}

const char* name_of(ProbeKind kind) {
  return name_among({"gemm", "inverse", "selection", "memory", "collectives", "overlap"}, kind);
}

}  // namespace stepcast
