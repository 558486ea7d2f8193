#include "sim/probe/cuda/replay/replay_marks.hpp"

#include "sim/probe/hardware_error.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kTraced = 2;

}  // namespace

ReplayMarks::ReplayMarks(std::size_t steps, ReplayLength length)
    : length_(length), begins_(length.all()), traced_(kTraced) {
  for (std::vector<Traced>& iteration : traced_)
    iteration.resize(steps);
}

/// May lie within the warm-up, if a single iteration is timed.
std::uint32_t ReplayMarks::first_traced() const {
  return length_.warm_ups + length_.timed - kTraced;
}

const ReplayMarks::Traced* ReplayMarks::traced(std::uint32_t step, std::uint32_t iteration) const {
  const bool is_traced = iteration >= first_traced() && iteration < first_traced() + kTraced;
  return is_traced ? &traced_[iteration - first_traced()][step] : nullptr;
}

void ReplayMarks::begin(std::uint32_t step, StreamId of, std::uint32_t iteration,
                        const CudaStream& stream) {
  if (of == 0 && begun_ == iteration)
    begins_[begun_++].record(stream);
  if (const Traced* marks = traced(step, iteration))
    marks->begin.record(stream);
}

void ReplayMarks::end(std::uint32_t step, std::uint32_t iteration, const CudaStream& stream) {
  if (const Traced* marks = traced(step, iteration))
    marks->end.record(stream);
}

ReplayMeasurement ReplayMarks::result(const ReplayProgram& program) const {
  if (begun_ < begins_.size())
    throw HardwareError("the plan has no task on its first stream, whose begins are timed");
  ReplayMeasurement measured;
  for (std::size_t i = length_.warm_ups; i + 1 < begins_.size(); ++i)
    measured.iterations.push_back(elapsed(begins_[i], begins_[i + 1]));
  const CudaEvent& origin = begins_[first_traced()];
  measured.second_begin = elapsed(origin, begins_[first_traced() + 1]);
  for (std::uint32_t k = 0; k < kTraced; ++k)
    for (std::size_t i = 0; i < program.steps.size(); ++i)
      measured.intervals.push_back({.task = program.steps[i].task,
                                    .iteration = static_cast<int>(k),
                                    .start = elapsed(origin, traced_[k][i].begin),
                                    .end = elapsed(origin, traced_[k][i].end)});
  return measured;
}

}  // namespace stepcast
