#include "sim/probe/probe_program.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/probe/hardware_error.hpp"
#include "sim/probe/launcher.hpp"
#include "sim/probe/results.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr int kMissingHardware = 3;  // exit code

std::vector<Workload> shipped_workloads() {
  std::vector<Workload> workloads;
  for (const std::string& name : list_names(CatalogKind::Workload))
    workloads.push_back(load_workload(name));
  return workloads;
}

Work listed(ProbeKind kind, const MachineLimits& limits, bool quick) {
  return work_of(kind, limits,
                 kind == ProbeKind::Gemm ? shipped_workloads() : std::vector<Workload>{}, quick);
}

/// --dry-run: what would be measured on one GPU, or on --gpus.
int list_work(const ProbeArguments& arguments) {
  const MachineLimits limits{.gpus = arguments.gpus.value_or(1)};
  for (const ProbeKind kind : arguments.probes) {
    const Work work = listed(kind, limits, arguments.quick);
    Bytes most{};
    for (const KernelShape& shape : work.shapes)
      most = std::max(most, memory_of(shape));
    fmt::print("{:<12} {:>4} points, up to {} of GPU memory\n", name_of(kind), work.shapes.size(),
               format_bytes(most));
  }
  return 0;
}

/// Says on stderr what the results lack.
void warn(const Hardware& hardware, const std::string& line) {
  if (hardware.reports())
    fmt::print(stderr, "stepcast-probe: {}\n", line);
}

void report(const Hardware& hardware, const HardwareResults& results, const std::string& folder) {
  if (!hardware.reports())
    return;
  fmt::print("{}", render_points(results));
  fmt::print(stderr, "written to {}\n", write_results(folder, results));
}

void measure_probe(Hardware& hardware, ProbeKind kind, const ProbeArguments& arguments,
                   const std::string& device) {
  const Work work = listed(kind, hardware.limits(), arguments.quick);
  if (work.too_large > 0)
    warn(hardware, fmt::format("{}: {} points left out, the GPU has too little free memory",
                               name_of(kind), work.too_large));
  if (work.shapes.empty())
    throw HardwareError("the GPU's free memory suffices for no point at all");
  const Effort effort = arguments.quick ? quick_effort() : Effort{};
  HardwareResults results = new_results(hardware.machine(), device, name_of(kind), arguments.quick);
  results.provenance.notes.emplace_back(
      "operands stay the same from one execution to the next: what fits into the GPU's caches is "
      "read from there");
  if (kind == ProbeKind::Collectives)
    results.provenance.notes.emplace_back(
        "the host hands collectives over while they run, as nccl-tests do: short ones show its "
        "time");
  for (const KernelShape& shape : work.shapes)
    results.points.push_back(hardware.measure(shape, effort));
  report(hardware, results, arguments.output);
}

/// Only the process that reports writes, and its node may be the only one that has the folder.
void check_output(const ProbeArguments& arguments, const Hardware& hardware) {
  if (hardware.reports())
    check_folder(arguments.output);
}

std::string device_of(const ProbeArguments& arguments, const Hardware& hardware) {
  return arguments.device.empty() ? device_name_of(hardware.machine().gpu) : arguments.device;
}

/// What an error means to the user.
struct Failure {
  std::string line;
  int exit_code = 1;
};

/// Of the exception that is being handled.
Failure current_failure() {
  try {
    throw;
  } catch (const InputError& error) {
    return {error.what(), 2};
  } catch (const HardwareError& error) {
    return {error.what(), kMissingHardware};
  } catch (const std::bad_alloc&) {
    return {"out of memory", kMissingHardware};
  } catch (const std::system_error& error) {
    return {error.what(), 2};
  } catch (const std::exception& error) {
    return {error.what(), 1};
  }
}

/// Runs `work` on the GPUs; other processes hear of an error before this one ends.
template <class Work>
int with_hardware(const HardwareFinder& find, std::optional<std::uint32_t> gpus, Work work) {
  const std::unique_ptr<Hardware> hardware = find(gpus);
  try {
    return work(*hardware);
  } catch (...) {
    const Failure failure = current_failure();
    hardware->give_up(failure.line, failure.exit_code);
    throw;
  }
}

/// Whether it succeeded. A failure costs this probe alone; under MPI, where the other processes
/// would wait in a collective, all of them.
bool try_probe(Hardware& hardware, ProbeKind kind, const ProbeArguments& arguments) {
  try {
    measure_probe(hardware, kind, arguments, device_of(arguments, hardware));
    return true;
  } catch (const HardwareError& error) {
    if (hardware.limits().fixed_ranks)
      throw;
    warn(hardware,
         fmt::format("{} failed, nothing is written for it: {}", name_of(kind), error.what()));
    return false;
  }
}

int measure_probes(const ProbeArguments& arguments, Hardware& hardware) {
  check_output(arguments, hardware);
  bool complete = true;
  for (const ProbeKind kind : arguments.probes) {
    const std::string missing = hardware.missing_for(kind);
    if (missing.empty())
      complete = try_probe(hardware, kind, arguments) && complete;
    else if (arguments.chosen)
      throw HardwareError(fmt::format("{}: {}", name_of(kind), missing));
    else
      warn(hardware, fmt::format("{} left out: {}", name_of(kind), missing));
  }
  return complete ? 0 : kMissingHardware;
}

std::vector<ReplayProgram> programs_of(const ExportedPlan& plan, const Hardware& hardware,
                                       const ReplayCalibration& calibration, ReplayMode mode,
                                       Emulation emulation) {
  if (mode == ReplayMode::Emulated)
    return {emulated_program(plan, calibration, emulation)};
  std::vector<ReplayProgram> programs;
  for (const Rank rank : hardware.local_ranks())
    if (rank < plan.gpus)
      programs.push_back(real_program(plan, calibration, rank));
  return programs;
}

ReplayResult result_of(const ExportedPlan& plan, ReplayMode mode,
                       const ReplayMeasurement& measured) {
  const Sample sample = summary_of(measured.iterations);
  return {.workload = plan.workload,
          .cluster = plan.cluster,
          .schedule = plan.plan.schedule,
          .gpus = plan.gpus,
          .emulated = mode == ReplayMode::Emulated,
          .iterations = sample.samples,
          .predicted = plan.iteration_time,
          .measured = sample.time,
          .spread = sample.spread};
}

std::string render(const ReplayResult& result, const std::string& gpu) {
  return fmt::format(
      "{}, {} on {}: iteration predicted {}, measured {} ({:+.1f} %, +- {:.1f} % over {} "
      "iterations) on {}{}\n",
      result.schedule, result.workload, result.cluster, format_seconds(result.predicted),
      format_seconds(result.measured), 100 * (result.predicted / result.measured - 1),
      100 * result.spread, result.iterations, gpu,
      result.emulated ? "; collectives emulated on one GPU" : "");
}

/// Nothing is measured, so times are made up: what cannot be replayed is refused as it would be.
int list_plan(const ExportedPlan& plan, Emulation emulation) {
  const CopyRate rate{.startup = Seconds{1e-5}, .bandwidth = {1e10}};
  emulated_program(plan, {.products = {Seconds{1e-5}}, .copies = {rate, rate}}, emulation);
  fmt::print("{}: {} tasks on {} streams, predicted {}\n", plan.plan.schedule,
             plan.plan.graph.size(), plan.plan.streams.size(), format_seconds(plan.iteration_time));
  return 0;
}

ReplayMode mode_of(const ProbeArguments& arguments, const ExportedPlan& plan,
                   const Hardware& hardware) {
  const MachineLimits limits = hardware.limits();
  const ReplayMode mode = replay_mode(plan.gpus, limits.gpus, arguments.gpus, limits.fixed_ranks);
  if (mode == ReplayMode::Real && !hardware.missing_for(ProbeKind::Collectives).empty())
    throw HardwareError(fmt::format(
        "a replay on {} GPUs needs NCCL, which this build lacks; --gpus 1 emulates the collectives",
        plan.gpus));
  return mode;
}

const char* how_emulated(Emulation emulation) {
  return emulation == Emulation::Copies
             ? "collectives emulated: copies between host and device that take the predicted time"
             : "collectives emulated: a kernel of one thread that waits for the predicted time";
}

/// Different ones do not overwrite each other.
std::string name_of_replay(const ExportedPlan& plan, ReplayMode mode, Emulation emulation) {
  const char* how = mode == ReplayMode::Real         ? "nccl"
                    : emulation == Emulation::Copies ? "copies"
                                                     : "timer";
  return fmt::format("replay-{}-{}-{}-{}", plan.plan.schedule, plan.workload, plan.cluster, how);
}

/// What the replay was made of, and what the forecast was made with.
std::vector<std::string> notes_of(const ExportedPlan& plan, const ReplayCalibration& calibration,
                                  ReplayMode mode, Emulation emulation) {
  std::vector<std::string> notes;
  if (mode == ReplayMode::Emulated)
    notes.emplace_back(how_emulated(emulation));
  std::string products;
  for (const Seconds product : calibration.products)
    products += (products.empty() ? "" : ", ") + format_seconds(product);
  notes.push_back("compute stands for products that took " + products);
  if (mode == ReplayMode::Emulated && emulation == Emulation::Copies)
    for (std::size_t i = 0; i < calibration.copies.size(); ++i)
      notes.push_back(fmt::format("copies {} the device: {} and {:.4g} GB/s",
                                  i == 0 ? "to" : "from",
                                  format_seconds(calibration.copies[i].startup),
                                  calibration.copies[i].bandwidth.value * 1e-9));
  for (const std::string& note : plan.provenance.notes)
    notes.push_back("plan: " + note);
  return notes;
}

/// The result first: a timeline that cannot be written does not cost it.
void report_replay(const ProbeArguments& arguments, const ExportedPlan& plan,
                   const Hardware& hardware, HardwareResults results,
                   const ReplayMeasurement& measured) {
  fmt::print("{}", render(results.replays.front(), hardware.machine().gpu));
  for (const std::string& note : plan.provenance.notes)
    fmt::print("  plan: {}\n", note);
  fmt::print(stderr, "written to {}\n", write_results(arguments.output, results));
  if (arguments.timeline.empty())
    return;
  write_text_file(arguments.timeline, replay_trace(plan, measured));
  fmt::print(stderr, "timeline written to {}; open it at https://ui.perfetto.dev\n",
             arguments.timeline);
}

void check_replay_files(const ProbeArguments& arguments, const Hardware& hardware) {
  check_output(arguments, hardware);
  if (hardware.reports() && !arguments.timeline.empty())
    check_file("--timeline", arguments.timeline);
}

void warn_of_slowdown(const ExportedPlan& plan, const Hardware& hardware) {
  if (plan.communication_slows_compute)
    warn(
        hardware,
        "the forecast lets communication slow compute down, which emulated communication does not; "
        "export with --set cluster.overlap.compute_slowdown=0 --set "
        "cluster.overlap.communication_slowdown=0");
}

int replay(const ProbeArguments& arguments, const ExportedPlan& plan, Hardware& hardware) {
  check_replay_files(arguments, hardware);
  const ReplayMode mode = mode_of(arguments, plan, hardware);
  if (mode == ReplayMode::Emulated)
    warn_of_slowdown(plan, hardware);
  const ReplayCalibration calibration = hardware.calibrate();
  const auto programs = programs_of(plan, hardware, calibration, mode, arguments.emulation);
  const ReplayMeasurement measured = hardware.replay(plan, programs, arguments.iterations);
  if (!hardware.reports())
    return 0;
  HardwareResults results =
      new_results(hardware.machine(), device_of(arguments, hardware),
                  name_of_replay(plan, mode, arguments.emulation), arguments.quick);
  results.replays.push_back(result_of(plan, mode, measured));
  for (std::string& note : notes_of(plan, calibration, mode, arguments.emulation))
    results.provenance.notes.push_back(std::move(note));
  report_replay(arguments, plan, hardware, std::move(results), measured);
  return 0;
}

int replay(const ProbeArguments& arguments, const HardwareFinder& find) {
  const ExportedPlan plan = read_exported_plan(arguments.plan);
  if (arguments.gpus)
    replay_mode(plan.gpus, *arguments.gpus, arguments.gpus);
  if (arguments.dry_run)
    return list_plan(plan, arguments.emulation);
  return with_hardware(find, arguments.gpus,
                       [&](Hardware& hardware) { return replay(arguments, plan, hardware); });
}

int measure_probes(const ProbeArguments& arguments, const HardwareFinder& find) {
  if (arguments.dry_run)
    return list_work(arguments);
  return with_hardware(find, arguments.gpus,
                       [&](Hardware& hardware) { return measure_probes(arguments, hardware); });
}

int run(const ProbeArguments& arguments, const HardwareFinder& find) {
  if (arguments.help) {
    fmt::print("{}", probe_help());
    return 0;
  }
  if (arguments.version) {
    fmt::print("stepcast-probe " STEPCAST_VERSION "\n");
    return 0;
  }
  if (!arguments.plan.empty())
    return replay(arguments, find);
  return measure_probes(arguments, find);
}

/// Wrong usage is the same in all processes that a launcher started: the first one says it.
int fail(Failure failure) {
  std::fflush(stdout);
  std::ranges::replace(failure.line, '\n', ' ');
  const bool said = failure.exit_code == 2 && launcher_of_environment().rank > 0;
  if (!failure.line.empty() && !said)  // empty: another process says it
    fmt::print(stderr, "stepcast-probe: {}\n", failure.line);
  return failure.exit_code;
}

}  // namespace

int run_probe(std::span<const std::string> arguments, const HardwareFinder& find) {
  try {
    return run(parse_probe_arguments(arguments), find);
  } catch (...) {
    return fail(current_failure());
  }
}

}  // namespace stepcast
