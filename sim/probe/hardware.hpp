#pragma once
// The seam between the host logic, which is tested anywhere, and CUDA.

#include <memory>
#include <optional>
#include <vector>

#include "models/device/kernel_point.hpp"
#include "sim/probe/replay_program.hpp"
#include "sim/probe/sampling.hpp"
#include "sim/probe/work.hpp"
#include "traces/formats/stepcast/experiments/hardware_results.hpp"

namespace stepcast {

/// When a step of a replay ran, from the begin of the first traced iteration.
struct ReplayInterval {
  TaskId task = 0;
  int iteration = 0;  ///< 0 or 1 of the two traced ones.
  Seconds start{};
  Seconds end{};
};

struct ReplayMeasurement {
  std::vector<Seconds> iterations;  ///< Time from begin to begin; never empty.
  std::vector<ReplayInterval> intervals;
  Seconds second_begin{};  ///< When the second traced iteration began.
};

/// GPUs that can be measured. With several processes (MPI) every process calls the same functions
/// in the same order.
class Hardware {
 public:
  virtual ~Hardware() = default;

  virtual Machine machine() const = 0;
  virtual MachineLimits limits() const = 0;
  /// Whether this process reports (rank 0).
  virtual bool reports() const = 0;
  /// Empty if the probe can run here, else what is missing.
  virtual std::string missing_for(ProbeKind kind) const = 0;

  /// This process ends with an error. Tells the others, which would wait for it for ever, and may
  /// not return if there are any.
  virtual void give_up(const std::string& why, int exit_code) noexcept = 0;

  /// Measures one shape and checks its output. Throws HardwareError, also for a wrong output.
  /// Of what takes one GPU only, the process that reports returns the point.
  virtual KernelPoint measure(const KernelShape& shape, const Effort& effort) = 0;

  /// Ranks of a real replay that run in this process.
  virtual std::vector<Rank> local_ranks() const = 0;
  virtual ReplayCalibration calibrate() = 0;
  /// Repeats the program of each rank of this process, which are the first of local_ranks(); one
  /// program: emulated.
  virtual ReplayMeasurement replay(const ExportedPlan& plan,
                                   const std::vector<ReplayProgram>& programs,
                                   std::uint32_t iterations) = 0;
};

/// The GPUs of this machine; `gpus`: as many. Throws HardwareError if there is no CUDA in this
/// build, no driver, no GPU or too few.
std::unique_ptr<Hardware> open_hardware(std::optional<std::uint32_t> gpus);

}  // namespace stepcast
