#pragma once

#include <cstdint>
#include <vector>

#include "sim/probe/cuda/support.hpp"
#include "sim/probe/hardware.hpp"

namespace stepcast {

/// How often a program is repeated: iterations that warm up, timed ones, and one that shows when
/// the last timed one ended.
struct ReplayLength {
  std::uint32_t warm_ups = 3;
  std::uint32_t timed = 30;

  std::uint32_t all() const { return warm_ups + timed + 1; }
};

/// The times of one GPU's replay: when every iteration began on the plan's first stream, and when
/// each step of the last two timed iterations began and ended.
class ReplayMarks {
 public:
  ReplayMarks(std::size_t steps, ReplayLength length);

  void begin(std::uint32_t step, StreamId of, std::uint32_t iteration, const CudaStream& stream);
  void end(std::uint32_t step, std::uint32_t iteration, const CudaStream& stream);

  ReplayMeasurement result(const ReplayProgram& program) const;

 private:
  struct Traced {
    CudaEvent begin;
    CudaEvent end;
  };

  /// Null unless the iteration is traced.
  const Traced* traced(std::uint32_t step, std::uint32_t iteration) const;
  std::uint32_t first_traced() const;

  ReplayLength length_;
  std::vector<CudaEvent> begins_;            // of every iteration
  std::uint32_t begun_ = 0;                  // iterations
  std::vector<std::vector<Traced>> traced_;  // of two iterations, by step
};

}  // namespace stepcast
