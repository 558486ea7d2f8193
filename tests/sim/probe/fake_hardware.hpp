#pragma once

#include <algorithm>

#include <fmt/format.h>

#include "sim/probe/hardware.hpp"
#include "sim/probe/hardware_error.hpp"
#include "sim/probe/sampling.hpp"

namespace stepcast {

/// GPUs whose kernels take times by simple laws, at about the rates of the H200's data sheet, and
/// whose clock is a variable: what measuring would take, allocations and checks included.
class FakeHardware : public Hardware {
 public:
  /// `spent`: where the clock goes on; null: nowhere.
  explicit FakeHardware(Seconds* spent = nullptr, std::uint32_t gpus = 1)
      : spent_(spent), gpus_(gpus) {
    advance(Seconds{3});  // context, libraries, clocks
  }

  Machine machine() const override {
    return {.gpu = "NVIDIA Fake 100", .capability = "9.0", .driver = "1.0", .libraries = {}};
  }
  MachineLimits limits() const override { return {.gpus = gpus_}; }
  bool reports() const override { return true; }
  std::string missing_for(ProbeKind kind) const override {
    return kind == ProbeKind::Collectives ? "built without NCCL" : "";
  }
  void give_up(const std::string& /*why*/, int /*exit_code*/) noexcept override {}

  KernelPoint measure(const KernelShape& shape, const Effort& effort) override {
    advance(overhead(shape));
    const Seconds one = time_of(shape);
    const TimedRun run = [&](std::uint32_t repeats) {
      advance(one * repeats + kGate * repeats);
      return one * repeats;
    };
    const Sample sample = stepcast::measure(run, effort);
    if (is_overlap(shape.family))  // alone, and beside the other
      stepcast::measure(run, effort);
    return {.shape = shape,
            .time = sample.time,
            .spread = sample.spread,
            .samples = sample.samples,
            .check = 0.0,
            .alone = one};
  }

  std::vector<Rank> local_ranks() const override { return {0}; }
  ReplayCalibration calibrate() override {
    return {.products = {Seconds{1e-4}}, .copies = {CopyRate{{}, {1e10}}, CopyRate{{}, {1e10}}}};
  }
  ReplayMeasurement replay(const ExportedPlan& /*plan*/, const std::vector<ReplayProgram>& programs,
                           std::uint32_t iterations) override {
    ReplayMeasurement measured{.iterations = std::vector<Seconds>(iterations, Seconds{5e-3}),
                               .intervals = {},
                               .second_begin = Seconds{5e-3}};
    for (int k = 0; k < 2; ++k)
      for (const ReplayStep& step : programs.front().steps)
        measured.intervals.push_back({.task = step.task,
                                      .iteration = k,
                                      .start = Seconds{5e-3 * k},
                                      .end = Seconds{5e-3 * k + 1e-3}});
    return measured;
  }

 private:
  static constexpr Seconds kGate{8e-6};

  void advance(Seconds time) {
    if (spent_ != nullptr)
      *spent_ += time;
  }

  static Seconds time_of(const KernelShape& shape) {
    constexpr double kHbm = 4e12;
    const auto size = static_cast<double>(shape.size);
    switch (shape.family) {
      case KernelFamily::GemmFp32:
        return product(shape, 45e12, kHbm);
      case KernelFamily::GemmTf32:
        return product(shape, 380e12, kHbm);
      case KernelFamily::GemmBf16:
        return product(shape, 700e12, kHbm);
      case KernelFamily::Inverse:
        return {1e-4 + 1e-6 * size + size * size * size / 1e13};
      case KernelFamily::TopK:
      case KernelFamily::ThresholdTopK:
        return {3e-5 + 5 * 4 * size / 2e12};
      case KernelFamily::CopyToDevice:
      case KernelFamily::CopyFromDevice:
        return {5e-6 + size / 50e9};
      default:
        return {3e-6 + 3 * 4 * size / kHbm};
    }
  }

  static Seconds product(const KernelShape& shape, double peak, double bandwidth) {
    return {5e-6 + std::max(flops_of(shape).value / peak, traffic_of(shape).value / bandwidth)};
  }

  /// Handles, allocations (a third of a second for a GiB of pinned memory) and the check on the
  /// host, at 10 ns for a random value.
  static Seconds overhead(const KernelShape& shape) {
    const auto size = static_cast<double>(shape.size);
    const Seconds common{20e-3 + memory_of(shape).value / 200e9};
    switch (shape.family) {
      case KernelFamily::CopyToDevice:
      case KernelFamily::CopyFromDevice:
        return common + Seconds{size / 3e9};
      case KernelFamily::TopK:
      case KernelFamily::ThresholdTopK:
        return common + Seconds{1e-8 * size};
      case KernelFamily::Inverse:
        return common + Seconds{1e-8 * 3 * size * size};
      default:
        return common;
    }
  }

  Seconds* spent_;
  std::uint32_t gpus_;
};

/// Little of the GPU's memory is free.
class CrowdedHardware final : public FakeHardware {
 public:
  explicit CrowdedHardware(Bytes free) : free_(free) {}
  MachineLimits limits() const override { return {.memory = free_}; }

 private:
  Bytes free_;
};

/// Inverses fail.
class PartlyFailingHardware final : public FakeHardware {
 public:
  KernelPoint measure(const KernelShape& shape, const Effort& effort) override {
    if (shape.family == KernelFamily::Inverse)
      throw HardwareError("the output is wrong");
    return FakeHardware::measure(shape, effort);
  }
};

/// One of several processes. The first kernel computes something wrong.
class FailingHardware final : public FakeHardware {
 public:
  explicit FailingHardware(std::string& told) : told_(told) {}

  void give_up(const std::string& why, int exit_code) noexcept override {
    told_ = fmt::format("{} (exit code {})", why, exit_code);
  }
  MachineLimits limits() const override { return {.gpus = 2, .fixed_ranks = true}; }
  KernelPoint measure(const KernelShape& /*shape*/, const Effort& /*effort*/) override {
    throw HardwareError("the output is wrong");
  }

 private:
  std::string& told_;
};

}  // namespace stepcast
