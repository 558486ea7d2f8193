#pragma once
// Profiler traces put together event by event. Times in microseconds.

#include <string>

#include <fmt/format.h>

#include "tests/traces/formats/kineto/small_trace.hpp"

namespace stepcast {

class MadeTrace {
 public:
  void step(int number, double begin, double duration) {
    add("user_annotation", fmt::format("ProfilerStep#{}", number), begin, duration, "");
  }
  /// An operator on the training thread.
  void host(const std::string& name, double begin, double duration) {
    add("cpu_op", name, begin, duration, R"("Input Dims": [[8, 4]], "Sequence number": 1)");
  }
  void call(const std::string& name, double begin, double duration, int correlation) {
    add("cuda_runtime", name, begin, duration, fmt::format(R"("correlation": {})", correlation));
  }
  /// `correlation` 0: its launch was not recorded.
  void kernel(const std::string& name, int stream, double begin, double duration,
              int correlation = 0) {
    add("kernel", name, begin, duration,
        fmt::format(R"("device": 0, "stream": {}, "correlation": {})", stream, correlation));
  }
  /// A kernel and its launch of a microsecond.
  void launched(const std::string& name, int stream, double launch, double begin, double duration) {
    call("cudaLaunchKernel", launch, 1, ++correlation_);
    kernel(name, stream, begin, duration, correlation_);
  }

  std::string text() const { return R"({"schemaVersion": 1, "traceEvents": [)" + events_ + "]}"; }

 private:
  void add(const char* category, const std::string& name, double begin, double duration,
           const std::string& arguments) {
    events_ += fmt::format(
        R"({}{{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": 1, "ts": {}, "dur": {}, "args": {{{}}}}})",
        events_.empty() ? "" : ",\n", category, name, begin, duration, arguments);
  }

  std::string events_;
  int correlation_ = 1000;
};

/// Three steps of a host that runs ahead of its device: it launches a step in 100 us, of which 40
/// are busy; the device computes 100 us, reduces for 150 (which the update waits for) and updates
/// for 50: 300 us a step, from 1010 on. What was launched before the profile ends there.
inline MadeTrace ahead_of_its_device() {
  MadeTrace trace;
  trace.kernel("before", 7, 700, 290);
  trace.kernel("before", 7, 990, 20);
  for (int i = 0; i < 3; ++i) {
    const double host = 1000 + 100 * i;
    const double device = 1010 + 300 * i;
    trace.step(i, host, 100);
    trace.host("aten::linear", host + 1, 20);
    trace.launched("gemm", 7, host + 5, device, 100);
    trace.host("c10d::allreduce_", host + 22, 12);
    trace.launched("ncclDevKernel_AllReduce_Sum_f32", 20, host + 25, device + 100, 150);
    trace.call("cudaStreamWaitEvent", host + 35, 1, 5000 + i);
    trace.host("aten::add_", host + 36, 10);
    trace.launched("update", 7, host + 40, device + 250, 50);
  }
  return trace;
}

}  // namespace stepcast
