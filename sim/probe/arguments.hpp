#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stepcast {

/// Groups of kernels that stepcast-probe measures together, a result file each.
enum class ProbeKind : std::uint8_t { Gemm, Inverse, Selection, Memory, Collectives, Overlap };

/// How collectives are emulated on one GPU.
enum class Emulation : std::uint8_t {
  Copies,  ///< Copies between host and device that take as long.
  Timer,   ///< A kernel of one thread that waits as long.
};

/// The command line of stepcast-probe.
struct ProbeArguments {
  bool help = false;
  bool version = false;
  std::vector<ProbeKind> probes;  ///< In the order of the enum; empty for a replay.
  bool chosen = false;            ///< Probes were named; what is missing is then an error.
  std::string plan;               ///< File to replay; empty: measure probes.
  bool quick = false;
  bool dry_run = false;
  std::optional<std::uint32_t> gpus;  ///< Default: all; for a replay see replay_mode().
  std::string device;                 ///< Name in results; empty: from the GPU's name.
  std::string output = "traces/hardware";
  std::uint32_t iterations = 30;  ///< Of a replay, without the warm-up; 5 with --quick.
  std::string timeline;           ///< Of a replay; empty: none.
  Emulation emulation = Emulation::Copies;
};

/// Throws InputError naming the argument and what would be right.
ProbeArguments parse_probe_arguments(std::span<const std::string> arguments);

/// What `--help` prints.
std::string probe_help();

const char* name_of(ProbeKind kind);

}  // namespace stepcast
