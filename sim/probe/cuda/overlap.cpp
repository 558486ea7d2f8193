#include <algorithm>
#include <cmath>

#include "sim/probe/cuda/gemm.hpp"
#include "sim/probe/cuda/kernels.hpp"
#include "sim/probe/cuda/probes.hpp"

namespace stepcast {
namespace {

constexpr KernelShape kProduct{.family = KernelFamily::GemmFp32, .m = 2048, .n = 2048, .k = 2048};
constexpr Seconds kLeastWatched{3e-3};  // of the stream that is timed
// More kernels than this a stream does not take before the host has to wait for it.
constexpr double kMostQueued = 800;
constexpr double kCover = 2.5;  // the other stream's work alone lasts so much longer

/// One GPU with products on one stream and communication on the other.
class Side {
 public:
  Side(std::size_t member, int device, std::uint64_t bytes, const Communicator* communicator)
      : member_(member),
        device_(device),
        bytes_(bytes),
        communicator_(communicator),
        cublas_(compute_),
        operands_(kProduct, compute_),
        send_(bytes),
        receive_(bytes) {
    fill_random(send_.as<float>(), bytes / sizeof(float), 1, communication_.get());
  }

  int device() const { return device_; }
  const CudaStream& compute() const { return compute_; }
  const CudaStream& communication() const { return communication_; }

  void multiply() const { operands_.multiply(cublas_); }

  void communicate() const {
    if (communicator_ == nullptr)
      check(cudaMemcpyAsync(receive_.get(), send_.get(), bytes_, cudaMemcpyDeviceToDevice,
                            communication_.get()),
            "a copy");
    else
      communicator_->enqueue(member_, CollectiveKind::AllReduce, bytes_ / sizeof(float), 0,
                             send_.as<float>(), receive_.as<float>(), communication_);
  }

  /// Both streams wait until the host has handed over all work.
  void close_gate(Seconds time) const {
    stepcast::close_gate(time, compute_);
    gate_.record(compute_);
    gate_.hold(communication_);
  }

  void begin(const CudaStream& stream) const { begin_.record(stream); }
  void end(const CudaStream& stream) const { end_.record(stream); }
  Seconds time() const { return elapsed(begin_, end_); }

  void wait() const {
    if (communicator_ == nullptr)
      communication_.synchronise();
    else
      communicator_->wait(communication_);
    compute_.synchronise();
  }

 private:
  std::size_t member_;
  int device_;
  std::uint64_t bytes_;
  const Communicator* communicator_;
  CudaStream compute_;
  CudaStream communication_;
  Cublas cublas_;
  GemmOperands operands_;
  Memory send_;
  Memory receive_;
  CudaEvent gate_;
  CudaEvent begin_;
  CudaEvent end_;
};

/// All GPUs of this process.
class OverlapRun {
 public:
  OverlapRun(const KernelShape& shape, CommunicatorCache& communicators)
      : team_(communicators.team()) {
    const Communicator* communicator = shape.gpus > 1 ? &communicators.of(shape.gpus, 0) : nullptr;
    for (std::size_t i = 0; i < communicators.members().size(); ++i) {
      const Member& member = communicators.members()[i];
      if (communicator != nullptr ? !communicator->has(i) : i > 0)
        continue;
      const OnDevice current(member.device);
      sides_.push_back(std::make_unique<Side>(i, member.device, shape.size, communicator));
    }
    with_nccl_ = communicator != nullptr;
  }

  /// Time of so many products while so many communications run, or the other way round.
  Seconds run(double products, double communications, bool watch_products) {
    synchronise();
    const Seconds gate =
        product_gate_.time_for(products) + communication_gate_.time_for(communications);
    for_each([gate](const Side& side) { side.close_gate(gate); });
    const auto watched = [watch_products](const Side& side) -> const CudaStream& {
      return watch_products ? side.compute() : side.communication();
    };
    for_each([&](const Side& side) { side.begin(watched(side)); });
    if (watch_products) {
      communicate(communications);
      multiply(products);
    } else {
      multiply(products);
      communicate(communications);
    }
    for_each([&](const Side& side) { side.end(watched(side)); });
    synchronise();
    Seconds longest{};
    for_each([&longest](const Side& side) { longest = std::max(longest, side.time()); });
    return {team_.largest(longest.value)};
  }

 private:
  template <class Action>
  void for_each(Action action) const {
    for (const auto& side : sides_) {
      const OnDevice current(side->device());
      action(*side);
    }
  }

  void synchronise() const {
    for_each([](const Side& side) { side.wait(); });
    team_.barrier();
  }

  /// The host's time is that for all GPUs.
  void multiply(double times) {
    const auto started = std::chrono::steady_clock::now();
    for (double i = 0; i < times; ++i)
      for_each([](const Side& side) { side.multiply(); });
    if (times > 0)
      product_gate_.note(since(started) / times);
  }

  void communicate(double times) {
    const auto started = std::chrono::steady_clock::now();
    for (double i = 0; i < times; ++i)
      communicate_once();
    if (times > 0)
      communication_gate_.note(since(started) / times);
  }

  void communicate_once() const {
    if (!with_nccl_) {
      for_each([](const Side& side) { side.communicate(); });
      return;
    }
    Communicator::begin();
    for (const auto& side : sides_)
      side->communicate();
    Communicator::end();
  }

  ProcessTeam& team_;
  std::vector<std::unique_ptr<Side>> sides_;
  bool with_nccl_ = false;
  HostGate product_gate_;
  HostGate communication_gate_;
};

double executions(Seconds time, Seconds one) {
  return std::clamp(std::ceil(time / one), 1.0, kMostQueued);
}

/// So many that they are watched for a while, and that what covers them fits into a queue.
double executions_to_watch(Seconds one, Seconds other) {
  const double covered = std::floor(kMostQueued * (other / one) / kCover);
  return std::clamp(covered, 1.0, executions(kLeastWatched, one));
}

}  // namespace

KernelPoint measure_overlap(const KernelShape& shape, const Effort& effort,
                            CommunicatorCache& communicators) {
  OverlapRun overlap(shape, communicators);
  const bool compute = shape.family == KernelFamily::OverlapCompute;
  const auto alone = [&](bool products) {
    return measure(
        [&, products](std::uint32_t repeats) {
          const double times = repeats;
          return products ? overlap.run(times, 0, true) : overlap.run(0, times, false);
        },
        effort);
  };
  const Seconds product = alone(true).time;
  const Seconds communication = alone(false).time;
  const Seconds one = compute ? product : communication;
  const Seconds other = compute ? communication : product;
  const double watched = executions_to_watch(one, other);
  const double beside = executions(one * watched * kCover, other);
  std::vector<Seconds> times;
  for (std::uint32_t i = 0; i < std::max(3U, effort.batches / 3); ++i)
    times.push_back(
        (compute ? overlap.run(watched, beside, true) : overlap.run(beside, watched, false)) /
        watched);
  KernelPoint point = checked_point(shape, summary_of(std::move(times)), std::nullopt);
  point.alone = one;
  return point;
}

}  // namespace stepcast
