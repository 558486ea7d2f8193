#pragma once
// Profiler traces of a training job put together from what it does. Times in microseconds.

#include <string>

#include <fmt/format.h>

namespace stepcast {

/// A rank of a job that trains some equal layers: 400 a forward pass of a layer, 800 a backward
/// pass. The host runs ahead of its device, which idles 5 before what waits for a message.
struct TracedTraining {
  int layers = 3;
  int micro_batches = 1;
  int tensor = 1;  ///< Ranks that share every layer; more than one reduce after each pass of one.
  int world = 8;
  double message = 200;  ///< A reduction of such a group.
  double sum = 500;      ///< Of the gradients, which the update of 300 waits for.
  int steps = 3;
  int different = 0;          ///< Layers that the second micro-batch lacks.
  double longer = 1;          ///< The passes of the last micro-batch take so many times as long.
  bool reduces_each = false;  ///< Gradients are reduced behind every micro-batch.
};

class TrainingTrace {
 public:
  explicit TrainingTrace(const TracedTraining& of) : of_(of) {}

  std::string text() {
    for (int step = 0; step < of_.steps; ++step)
      add_step(step);
    return fmt::format(
        R"({{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": 0, "world_size": {}}}, "deviceProperties": [{{"id": 0, "name": "NVIDIA H100 80GB HBM3"}}], "traceEvents": [{}]}})",
        of_.world, events_);
  }

 private:
  void event(const char* category, const std::string& name, int thread, double begin,
             double duration, const std::string& arguments) {
    events_ += fmt::format(
        R"({}{{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
        events_.empty() ? "" : ",\n", category, name, thread, begin, duration, arguments);
  }

  void launch(const std::string& kernel, int stream, int thread, double duration,
              const std::string& arguments = "") {
    ++correlation_;
    event("cuda_runtime", "cudaLaunchKernel", thread, host_, 1,
          fmt::format(R"("correlation": {})", correlation_));
    event("kernel", kernel, stream, device_, duration,
          fmt::format(R"("device": 0, "stream": {}, "correlation": {}{}{})", stream, correlation_,
                      arguments.empty() ? "" : ", ", arguments));
    device_ += duration;
  }

  void pass(bool forward, int layer, double longer) {
    const int sequence = first_sequence_ + layer;
    if (forward) {
      event("cpu_op", "aten::addmm", 1, host_, 8,
            fmt::format(R"("Input Dims": [[4], [8, 4], [4, 4]], "Sequence number": {})", sequence));
    } else {
      event("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 2, host_ - 1, 10,
            fmt::format(R"("Sequence number": {})", sequence));
      event("cpu_op", "aten::mm", 2, host_, 8, R"("Input Dims": [[8, 4], [4, 4]])");
    }
    launch("gemm", 7, forward ? 1 : 2, (forward ? 400 : 800) * longer);
    host_ += 12;
    if (of_.tensor > 1)
      reduce(forward ? 1 : 2, of_.tensor, 1, of_.message, 1 << 20, "BFloat16");
  }

  void reduce(int thread, int ranks, int stride, double duration, int elements,
              const std::string& type) {
    std::string group;
    for (int i = 0; i < ranks; ++i)
      group += fmt::format("{}{}", i == 0 ? "" : ", ", i * stride);
    const std::string arguments = fmt::format(
        R"("Collective name": "allreduce", "In msg nelems": {}, "Out msg nelems": {}, "Group size": {}, "dtype": "{}", "Process Group Ranks": "[{}]")",
        elements, elements, ranks, type, group);
    event("cpu_op", "c10d::allreduce_", thread, host_, 8, "");
    event("cpu_op", "record_param_comms", thread, host_ + 1, 6, arguments);
    launch("ncclDevKernel_AllReduce_Sum", 20, thread, duration, arguments);
    device_ += 5;
    host_ += 12;
  }

  void reduce_gradients() {
    event("cpu_op", "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 2,
          host_ - 1, 10, "");
    event("cpu_op", "torch::autograd::AccumulateGrad", 2, host_, 3, "");
    host_ += 4;
    reduce(2, of_.world / of_.tensor, of_.tensor, of_.sum, 1000, "Float");
  }

  void add_step(int number) {
    const double begin = 100'000.0 * number;
    host_ = begin + 10;
    device_ = begin + 20;
    for (int micro_batch = 0; micro_batch < of_.micro_batches; ++micro_batch) {
      const bool is_last = micro_batch + 1 == of_.micro_batches;
      const double longer = is_last ? of_.longer : 1;
      const int count = of_.layers - (micro_batch == 1 ? of_.different : 0);
      for (int layer = 0; layer < count; ++layer)
        pass(true, layer, longer);
      host_ += 2;
      for (int layer = count; layer-- > 0;)
        pass(false, layer, longer);
      first_sequence_ += of_.layers;
      if (of_.reduces_each && !is_last)
        reduce_gradients();
    }
    reduce_gradients();
    event("cpu_op", "aten::_fused_adamw_", 1, host_, 8, "");
    launch("multi_tensor_apply_kernel<FusedAdam>", 7, 1, 300);
    event("cuda_runtime", "cudaDeviceSynchronize", 1, host_ + 10, device_ - host_ - 10, "");
    event("user_annotation", fmt::format("ProfilerStep#{}", number), 1, begin, device_ + 30 - begin,
          "");
  }

  TracedTraining of_;
  std::string events_;
  double host_ = 0;
  double device_ = 0;
  int correlation_ = 0;
  int first_sequence_ = 0;
};

}  // namespace stepcast
