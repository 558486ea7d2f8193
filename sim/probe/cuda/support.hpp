#pragma once
// CUDA's handles as values that free themselves, and its errors as HardwareErrors.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "models/base/units.hpp"
#include "sim/probe/sampling.hpp"

namespace stepcast {

/// Throws HardwareError `<what>: <CUDA's explanation>`.
void check(cudaError_t status, std::string_view what);
void check(cublasStatus_t status, std::string_view what);

/// Makes a GPU the current one, and the one before it again at the end.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&before_), "the current device");
    check(cudaSetDevice(device), "a device");
  }
  ~OnDevice() { cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

/// A stream that does not wait for the default stream.
class CudaStream {
 public:
  enum class Priority : std::uint8_t { Usual, Greatest };

  explicit CudaStream(Priority priority = Priority::Usual);
  ~CudaStream();
  CudaStream(CudaStream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  CudaStream& operator=(CudaStream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }

  cudaStream_t get() const { return stream_; }
  void synchronise() const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in a stream, with its time unless it is only for ordering.
class CudaEvent {
 public:
  enum class Purpose : std::uint8_t { Timing, Ordering };

  explicit CudaEvent(Purpose purpose = Purpose::Timing);
  ~CudaEvent();
  CudaEvent(CudaEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  CudaEvent& operator=(CudaEvent&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  void record(const CudaStream& stream) const;
  /// What `stream` gets from here on waits for the event.
  void hold(const CudaStream& stream) const;
  void synchronise() const;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Time between two finished events of one device.
Seconds elapsed(const CudaEvent& begin, const CudaEvent& end);

/// Bytes that are freed with the object: in the device's memory, or in pinned host memory.
class Memory {
 public:
  enum class Place : std::uint8_t { Device, PinnedHost };

  /// Throws HardwareError naming the size if there is too little.
  explicit Memory(std::size_t bytes, Place place = Place::Device);
  ~Memory();
  Memory(Memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), place_(other.place_) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(place_, other.place_);
    return *this;
  }

  void* get() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  Place place_ = Place::Device;
};

/// A handle of cuBLAS whose calls go to one stream.
class Cublas {
 public:
  explicit Cublas(const CudaStream& stream);
  ~Cublas();
  Cublas(Cublas&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Cublas& operator=(Cublas&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

/// What a batch of executions waits for.
enum class Pace : std::uint8_t {
  Device,  ///< Nothing: the stream starts once the host has handed over the batch, as far as the
           ///< launch queue takes it, so that short kernels show their own time.
  Host,    ///< The host, which hands them over one by one while the stream runs.
};

/// Holds streams back until the host has handed over what they are to run.
class HostGate {
 public:
  /// What the host took for one execution. The least counts: a full launch queue makes it wait.
  void note(Seconds spent) { host_ = std::min(spent, host_.value_or(spent)); }
  /// How long it needs for so many; 0 before the first note.
  Seconds time_for(double executions) const;

 private:
  std::optional<Seconds> host_;
};

/// `stream` does nothing for the time, and for at most 100 ms. A timer, not a signal from the host:
/// what synchronises between the executions cannot wait for it for ever.
void close_gate(Seconds time, const CudaStream& stream);

/// The host's time.
Seconds since(std::chrono::steady_clock::time_point begin);

/// Times `enqueue`, which puts one execution into the stream. Operands are the same every time:
/// what fits into the GPU's caches stays there.
TimedRun timed_on(const CudaStream& stream, std::function<void()> enqueue,
                  Pace pace = Pace::Device);

/// Single elements, copied to the host after the stream has finished.
std::vector<float> fetch(const CudaStream& stream, const float* data,
                         std::span<const std::uint64_t> places);

}  // namespace stepcast
