#pragma once
// Jobs of a few data-parallel ranks whose truth is known, as profilers write them that note neither
// launches nor dependencies. Times in microseconds.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace stepcast {

/// Layers (three) forward (1 ms each) and backward (2 ms each), an all-reduce of 1 ms on a stream
/// of its own behind all of them, and an update of .5 ms behind that. One rank may be slower.
struct MadeStreams {
  int ranks = 4;
  int steps = 5;
  int layers = 3;
  int slow_rank = 2;
  double slower = 1.5;
  double apart = 250'000;  ///< The clock of each rank is so much ahead of the one before.

  struct Piece {
    int step = 0;
    int stream = 1;
    std::string pass;  ///< "forward", "backward", "all-reduce", "update".
    int layer = 0;
    double begin = 0;
    double end = 0;
  };

  /// By rank, in order.
  std::vector<std::vector<Piece>> pieces() const {
    std::vector<std::vector<Piece>> all(static_cast<std::size_t>(ranks));
    double begin = 1000;
    for (int step = 0; step < steps; ++step) {
      const double met = begin + 3000 * layers * std::max(1.0, slower);
      for (int rank = 0; rank < ranks; ++rank)
        add_step(rank, step, begin, met, all[static_cast<std::size_t>(rank)]);
      begin = met + 1500;
    }
    return all;
  }

  /// TensorFlow's trace viewer: streams are threads of the device, steps a thread of their own.
  std::string tensorflow(int rank) const {
    std::string text =
        R"({"displayTimeUnit": "ns", "traceEvents": [)"
        R"({"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}})";
    for (const auto& [thread, name] : {std::pair(1, "Steps"),
                                       {11, "Stream #11(Compute)"},
                                       {12, "Stream #12(Nccl)"},
                                       {20, "TensorFlow Ops"}})
      text += fmt::format(
          R"(,{{"ph": "M", "pid": 1, "tid": {}, "name": "thread_name", "args": {{"name": "{}"}}}})",
          thread, name);
    double begin = 0;
    for (const Piece& piece : of_rank(rank)) {
      text += fmt::format(
          ",\n"
          R"({{"ph": "X", "pid": 1, "tid": {}, "ts": {}, "dur": {}, "name": "{}", "args": {{"tf_op": "{}"}}}})",
          10 + piece.stream, at(rank, piece.begin), piece.end - piece.begin,
          piece.stream == 2 ? "ncclAllReduceRingLLKernel_sum_f32" : "volta_sgemm_128x64_nn",
          tensorflow_operation(piece));
      begin = piece.pass == "forward" && piece.layer == 0 ? piece.begin : begin;
      if (piece.pass == "update")
        text +=
            fmt::format(R"(,{{"ph": "X", "pid": 1, "tid": 1, "ts": {}, "dur": {}, "name": "{}"}})",
                        at(rank, begin), piece.end - begin, piece.step);
    }
    return text + "]}";
  }

  /// MXNet: pairs of begin and end on the device, no steps.
  std::string mxnet(int rank) const {
    std::string text =
        R"({"traceEvents": [)"
        R"({"ph": "M", "pid": 2, "name": "process_name", "args": {"name": "gpu/0"}})";
    for (const Piece& piece : of_rank(rank)) {
      const std::string name =
          piece.pass == "forward"    ? fmt::format("FullyConnected{}", piece.layer)
          : piece.pass == "backward" ? fmt::format("_backward_FullyConnected{}", piece.layer)
          : piece.pass == "update"   ? "adam_update"
                                     : "KVStorePushPull";
      for (const auto& [phase, time] : {std::pair("B", piece.begin), {"E", piece.end}})
        text += fmt::format(
            ",\n"
            R"({{"ph": "{}", "pid": 2, "tid": {}, "ts": {}, "cat": "operator", "name": "{}"}})",
            phase, piece.stream, at(rank, time), name);
    }
    return text + "]}";
  }

  /// The converter's JSON of Chakra: the first step, without times.
  std::string chakra(int rank) const {
    std::string text;
    int id = 0;
    for (const Piece& piece : of_rank(rank)) {
      if (piece.step > 0)
        break;
      const bool communicates = piece.stream == 2;
      text += fmt::format(
          R"({}{{"Id": {}, "Name": "{}", "NodeType": 4, "runtime": 5, "data_deps": [{}], "is_cpu_op": true}},)"
          "\n"
          R"({{"Id": {}, "Name": "{}", "NodeType": {}, "runtime": {}, "data_deps": [{}], "is_cpu_op": false}})",
          id == 0 ? "" : ",\n", id + 1, chakra_operator(piece), id == 0 ? "" : std::to_string(id),
          id + 2, communicates ? "ncclKernel_AllReduce_RING_LL_Sum_float" : "sgemm",
          communicates ? 7 : 4, piece.end - piece.begin, id + 1);
      id += 2;
    }
    return fmt::format("{{\"workload_graph\": [{}]}}", text);
  }

  /// Statements that make an export of Nsight Systems, in nanoseconds.
  std::string nsight(int rank) const {
    std::string text =
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "INSERT INTO StringIds VALUES (1, 'sgemm'), (2, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, streamId INT, "
        "correlationId INT, globalPid INT, shortName INT);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, globalTid INT, correlationId "
        "INT);"
        "CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, textId INT, "
        "globalTid INT);"
        "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INT);";
    text += fmt::format("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ({});",
                        1'700'000'000'000'000'000 + static_cast<std::int64_t>(1000 * apart * rank));
    constexpr std::int64_t kProcess = std::int64_t{77} << 24;
    int correlation = 0;
    double begin = 0;
    const auto range = [&](double from, double to, const std::string& name) {
      text += fmt::format("INSERT INTO NVTX_EVENTS VALUES ({:.0f}, {:.0f}, 59, '{}', NULL, {});",
                          1000 * from, 1000 * to, name, kProcess + 5);
    };
    for (const Piece& piece : of_rank(rank)) {
      ++correlation;
      text += fmt::format(
          "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({:.0f}, {:.0f}, {}, {});",
          1000 * piece.begin - 5000, 1000 * piece.begin - 3000, kProcess + 5, correlation);
      text += fmt::format(
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({:.0f}, {:.0f}, 0, {}, {}, {}, {});",
          1000 * piece.begin, 1000 * piece.end, piece.stream, correlation, kProcess, piece.stream);
      range(piece.begin - 6, piece.begin - 2,
            piece.pass == "update" ? "Optimizer.step" : piece.pass + " pass");
      begin = piece.pass == "forward" && piece.layer == 0 ? piece.begin : begin;
      if (piece.pass == "update")
        range(begin - 10, piece.end - 20, fmt::format("iteration {}", piece.step));
    }
    return text;
  }

 private:
  std::vector<Piece> of_rank(int rank) const { return pieces()[static_cast<std::size_t>(rank)]; }
  double at(int rank, double time) const { return 1e6 + time + apart * rank; }

  void add_step(int rank, int step, double begin, double met, std::vector<Piece>& into) const {
    const double factor = rank == slow_rank ? slower : 1;
    double now = begin;
    const auto add = [&](int stream, const char* pass, int layer, double end) {
      into.push_back({step, stream, pass, layer, now, end});
      now = end;
    };
    for (int layer = 0; layer < layers; ++layer)
      add(1, "forward", layer, now + 1000 * factor);
    for (int layer = layers; layer-- > 0;)
      add(1, "backward", layer, now + 2000 * factor);
    add(2, "all-reduce", 0, met + 1000);
    add(1, "update", 0, met + 1500);
  }

  static std::string tensorflow_operation(const Piece& piece) {
    if (piece.pass == "forward")
      return fmt::format("model/dense_{0}/MatMul:MatMul", piece.layer);
    if (piece.pass == "backward")
      return fmt::format("gradient_tape/model/dense_{0}/MatMul:MatMul", piece.layer);
    return piece.pass == "update" ? "Adam/Adam/update/ResourceApplyAdam:ResourceApplyAdam"
                                  : "CollectiveReduceV2:CollectiveReduceV2";
  }

  static std::string chakra_operator(const Piece& piece) {
    if (piece.pass == "forward")
      return fmt::format("aten::linear({})", piece.layer);
    if (piece.pass == "backward")
      return "autograd::engine::evaluate_function: AddmmBackward0(0)";
    return piece.pass == "update" ? "Optimizer.step#Adam.step(0)" : "c10d::allreduce_(0)";
  }
};

}  // namespace stepcast
