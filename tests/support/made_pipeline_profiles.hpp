#pragma once
// Profiles of a pipeline of two stages with two data-parallel ranks each, whose truth is known.

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/profile_events.hpp"

namespace stepcast {

/// GPipe: all micro-batches forward, then all backward, then an all-reduce of each stage's
/// gradients and the update. Rank 2 s + d is stage s of pipeline d. Times in microseconds.
struct MadePipelineProfiles {
  int steps = 5;
  int micro_batches = 4;
  std::array<double, 2> longer{1, 2};  ///< Passes of a stage take so many times 1 and 2 ms.
  std::function<double(int)> offset = [](int) { return 0.0; };  ///< Of a rank's clock.
  std::function<double(int)> slow = [](int) { return 1.0; };  ///< Of a rank's passes, beside that.
  /// A message and its answer take so many times 100 us (pipeline).
  std::function<double(int)> slow_link = [](int /*data*/) { return 1.0; };
  /// Whether an event is lost on its way to the file (rank, number of the event).
  std::function<bool(int, int)> lost = [](int, int) { return false; };

  std::vector<std::string> texts() const { return Writer(*this).run(); }

 private:
  static constexpr double kMessage = 100;
  static constexpr double kReduction = 500;

  struct Rank : ProfileRank {
    std::array<double, 3> network{};  // Streams of all-reduces, forward and backward messages.
  };

  struct Writer : ProfileEvents<Writer> {
    explicit Writer(const MadePipelineProfiles& job) : made(job) {}

    const MadePipelineProfiles& made;
    std::array<Rank, 4> ranks{};

    void add(int rank, const char* category, const std::string& name, double begin, double duration,
             const std::string& arguments, int thread = 1) {
      if (made.lost(rank, at(rank).count++))
        return;
      at(rank).events +=
          profile_slice(category, name, thread, begin + made.offset(rank), duration, arguments);
    }
    Rank& at(int rank) { return ranks.at(static_cast<std::size_t>(rank)); }

    void pass(int rank, bool forward, double not_before) {
      const int launched =
          forward ? launch(rank, "aten::linear")
                  : launch(rank, "autograd::engine::evaluate_function: LinearBackward0", 2);
      Rank& of = at(rank);
      const double begin = std::max({of.compute, of.host, not_before});
      of.compute = begin + (forward ? 1000 : 2000) * made.slow(rank) *
                               made.longer.at(static_cast<std::size_t>(rank / 2));
      kernel(rank, forward ? "gemm" : "gemm_backward", 7, begin, of.compute, launched);
    }

    std::string collective(const char* name, int first, int second) const {
      return fmt::format(R"(, "Collective name": "{}", "In msg nelems": 1000000, )"
                         R"("Out msg nelems": 1000000, "Group size": 2, "dtype": "Float", )"
                         R"("Process Group Name": "{}-{}", "Process Group Ranks": "[{}, {}]")",
                         name, first, second, first, second);
    }

    /// Begins of both kernels are when their ranks have computed what was launched before.
    double message(int from, int to, double sent, double posted, std::size_t stream) {
      const double begin = std::max(sent, at(from).network.at(stream));
      const double ready = std::max(posted, at(to).network.at(stream));
      const double end = std::max(begin, ready) + kMessage * made.slow_link(from % 2);
      for (const bool sends : {true, false}) {
        const int rank = sends ? from : to;
        const int launched = launch(rank, sends ? "c10d::send" : "c10d::recv_");
        kernel(rank, "ncclDevKernel_SendRecv(ncclDevComm*)", 20 + static_cast<int>(stream),
               sends ? begin : ready, end, launched,
               collective(sends ? "send" : "recv", std::min(from, to), std::max(from, to)));
        at(rank).network.at(stream) = end;
      }
      return end;
    }

    void pipeline(int first) {
      const int last = first + 2;
      std::vector<double> arrived;
      std::vector<double> sent;
      for (int batch = 0; batch < made.micro_batches; ++batch) {
        pass(first, true, 0);
        const double here =
            message(first, last, at(first).compute, std::max(at(last).compute, at(last).host), 1);
        wait(last);
        pass(last, true, here);
      }
      for (int batch = 0; batch < made.micro_batches; ++batch)
        wait(first);
      for (int batch = 0; batch < made.micro_batches; ++batch) {
        pass(last, false, 0);
        const double here =
            message(last, first, at(last).compute, std::max(at(first).compute, at(first).host), 2);
        wait(first);
        pass(first, false, here);
      }
    }

    void finish(int stage, int number, double begin) {
      double met = 0;
      for (const int rank : {2 * stage, 2 * stage + 1})
        met = std::max(met, at(rank).compute);
      for (const int rank : {2 * stage, 2 * stage + 1}) {
        Rank& of = at(rank);
        const int launched = launch(rank, "c10d::allreduce_");
        kernel(rank, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 20, of.compute,
               met + kReduction, launched, collective("allreduce", 2 * stage, 2 * stage + 1));
        of.compute = met + kReduction;
        for (int i = 0; i <= made.micro_batches; ++i)
          wait(rank);
        const int update = launch(rank, "aten::add_");
        kernel(rank, "update", 7, of.compute, of.compute + 500, update);
        of.compute += 500;
        add(rank, "cuda_runtime", "cudaDeviceSynchronize", of.host, of.compute - of.host + 3,
            R"("correlation": 99998)");
        of.host = of.compute + 5;
        add(rank, "user_annotation", fmt::format("ProfilerStep#{}", number), begin,
            of.host - begin - 1, "");
      }
    }

    std::vector<std::string> run() {
      for (int number = 0; number < made.steps; ++number) {
        double begin = 0;  // All ranks begin together: a barrier of the loop.
        for (const Rank& rank : ranks)
          begin = std::max(begin, rank.host);
        for (Rank& rank : ranks)
          rank.host = begin;
        pipeline(0);
        pipeline(1);
        finish(0, number, begin);
        finish(1, number, begin);
      }
      std::vector<std::string> texts;
      for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        texts.push_back(fmt::format(
            R"({{"schemaVersion": 1, "distributedInfo": {{"rank": {}, "world_size": 4}}, "traceEvents": [{}]}})",
            rank, ranks.at(rank).events.substr(1)));
      return texts;
    }
  };
};

}  // namespace stepcast
