#pragma once
// Events of made profiles, as PyTorch's profiler writes them. Times in microseconds.

#include <string>

#include <fmt/format.h>

namespace stepcast {

/// What a generator knows of a rank while it writes: when its host and its computing are free.
struct ProfileRank {
  std::string events;
  double host = 0;
  double compute = 0;
  int correlation = 0;
  int count = 0;  ///< Of events so far.
};

inline std::string profile_slice(const char* category, const std::string& name, int thread,
                                 double begin, double duration, const std::string& arguments) {
  return fmt::format(
      R"(,{{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": {}, "ts": {:.3f}, "dur": {:.3f}, "args": {{{}}}}})"
      "\n",
      category, name, thread, 1e6 + begin, duration, arguments);
}

/// Of a Writer with at(rank), a ProfileRank, and add(rank, category, name, begin, duration,
/// arguments, thread).
template <typename Writer>
struct ProfileEvents {
  /// By an operator of its own; returns its number.
  int launch(int rank, const std::string& op, int thread = 1) {
    ProfileRank& of = writer().at(rank);
    writer().add(rank, "cpu_op", op, of.host, 5,
                 fmt::format(R"("Sequence number": 1, "Fwd thread id": {}, "Input Dims": [[8, 4]])",
                             thread - 1),
                 thread);
    writer().add(rank, "cuda_runtime", "cudaLaunchKernel", of.host + 1, 3,
                 fmt::format(R"("correlation": {})", ++of.correlation), thread);
    of.host += 5;
    return of.correlation;
  }
  void kernel(int rank, const std::string& name, int stream, double begin, double end, int launched,
              const std::string& more = "") {
    writer().add(
        rank, "kernel", name, begin, end - begin,
        fmt::format(R"("device": 0, "stream": {}, "correlation": {}{})", stream, launched, more),
        1);
  }
  void wait(int rank) {
    double& host = writer().at(rank).host;
    writer().add(rank, "cuda_runtime", "cudaStreamWaitEvent", host, 1, R"("correlation": 99999)",
                 1);
    host += 2;
  }

 private:
  Writer& writer() { return static_cast<Writer&>(*this); }
};

}  // namespace stepcast
