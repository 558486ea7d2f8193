#pragma once
// Tables of operations of jobs whose truth is known: what each pass takes is given, and who waits
// for whom follows.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace stepcast {

/// Rows of a table of operations, times in seconds.
class OperationRows {
 public:
  void add(int data, int stage, int rank, int step, const char* type, double begin, double duration,
           int sequence = 0, int micro_batch = -1) {
    text_ += fmt::format("{},{},{},{},{},{:.9f},{:.9f},{},0,{},{}\n", data, stage, rank, step, type,
                         begin, duration, sequence, micro_batch, micro_batch < 0 ? -1 : stage);
  }
  std::string text() const {
    return "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n" + text_;
  }

 private:
  std::string text_;
};

/// Data-parallel ranks: micro-batches forward and backward, a reduce-scatter and a barrier.
struct MadeJob {
  int ranks = 8;
  int steps = 12;
  int micro_batches = 4;
  /// Seconds of a pass (rank, step, micro-batch, whether forward).
  std::function<double(int, int, int, bool)> pass = [](int, int, int, bool forward) {
    return forward ? 0.010 : 0.020;
  };
  std::function<double(int)> reduce_scatter = [](int /*step*/) { return 0.004; };
  double launch = 0;  ///< Before each pass the host takes so long.
  /// And before the forward pass so much longer (rank, step, micro-batch).
  std::function<double(int, int, int)> pause = [](int, int, int) { return 0.0; };
  /// Of a rank: its clock is local = t + offset + drift t, where t counts from the first step on.
  std::function<double(int)> offset = [](int) { return 0.0; };
  std::function<double(int)> drift = [](int) { return 0.0; };

  std::string text() const {
    OperationRows rows;
    double before = 0;  // Seconds since the first step began.
    for (int step = 0; step < steps; ++step)
      before += add_step(step, before, rows);
    return rows.text();
  }

 private:
  double add_step(int step, double before, OperationRows& rows) const {
    const auto add = [&](int rank, const char* type, double begin, double end, int sequence,
                         int micro_batch) {
      rows.add(rank, 0, rank, step, type, begin + offset(rank) + (before + begin) * drift(rank),
               (end - begin) * (1 + drift(rank)), sequence, micro_batch);
    };
    std::vector<double> arrival;
    for (int rank = 0; rank < ranks; ++rank) {
      double now = 0;
      for (int batch = 0; batch < micro_batches; ++batch)
        for (const bool forward : {true, false}) {
          now += launch + (forward ? pause(rank, step, batch) : 0.0);
          const double end = now + pass(rank, step, batch, forward);
          add(rank, forward ? "forward-compute" : "backward-compute", now, end, batch, batch);
          now = end;
        }
      arrival.push_back(now);
    }
    const double reduced = *std::ranges::max_element(arrival) + reduce_scatter(step);
    for (int rank = 0; rank < ranks; ++rank) {
      add(rank, "grads-reduce-scatter", arrival[static_cast<std::size_t>(rank)], reduced, 0, -1);
      add(rank, "optimizer-clip-main-grad", reduced, reduced + 0.001, 0, -1);
      add(rank, "optimizer", reduced + 0.001, reduced + 0.003, 0, -1);
    }
    return reduced + 0.003;
  }
};

/// A number from 0 to 1 for each argument, the same in every run.
inline double scatter(int a, int b = 0, int c = 0) {
  const auto spread = [](int value, std::uint32_t by) {
    return static_cast<std::uint32_t>(value) * by;
  };
  std::uint32_t state = spread(a, 73856093) ^ spread(b, 19349663) ^ spread(c, 83492791);
  state = (state ^ 61U) ^ (state >> 16U);
  state *= 9;
  state ^= state >> 4U;
  state *= 0x27d4eb2dU;
  state ^= state >> 15U;
  return static_cast<double>(state) / 4294967295.0;
}

}  // namespace stepcast
