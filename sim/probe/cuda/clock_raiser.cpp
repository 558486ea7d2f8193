#include "sim/probe/cuda/clock_raiser.hpp"

namespace stepcast {
namespace {

constexpr KernelShape kProduct{.family = KernelFamily::GemmFp32, .m = 2048, .n = 2048, .k = 2048};
constexpr std::uint32_t kAtOnce = 8;

}  // namespace

ClockRaiser::ClockRaiser() : cublas_(stream_), operands_(kProduct, stream_) {}

void ClockRaiser::run(Seconds time) const {
  const TimedRun products = timed_on(
      stream_, [this] { operands_.multiply(cublas_); }, Pace::Host);
  for (Seconds spent{}; spent < time;)
    spent += products(kAtOnce);
}

}  // namespace stepcast
