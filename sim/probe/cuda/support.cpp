#include "sim/probe/cuda/support.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/probe/cuda/kernels.hpp"
#include "sim/probe/hardware_error.hpp"

namespace stepcast {

void check(cudaError_t status, std::string_view what) {
  if (status != cudaSuccess)
    throw HardwareError(fmt::format("{}: {}", what, cudaGetErrorString(status)));
}

void check(cublasStatus_t status, std::string_view what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw HardwareError(fmt::format("{}: {}", what, cublasGetStatusString(status)));
}

CudaStream::CudaStream(Priority priority) {
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "the priorities of CUDA streams");
  check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                     priority == Priority::Greatest ? greatest : least),
        "a CUDA stream");
}

CudaStream::~CudaStream() {
  if (stream_ != nullptr)
    cudaStreamDestroy(stream_);
}

void CudaStream::synchronise() const {
  check(cudaStreamSynchronize(stream_), "a kernel");
}

CudaEvent::CudaEvent(Purpose purpose) {
  const unsigned flags = purpose == Purpose::Timing ? cudaEventDefault : cudaEventDisableTiming;
  check(cudaEventCreateWithFlags(&event_, flags), "a CUDA event");
}

CudaEvent::~CudaEvent() {
  if (event_ != nullptr)
    cudaEventDestroy(event_);
}

void CudaEvent::record(const CudaStream& stream) const {
  check(cudaEventRecord(event_, stream.get()), "a CUDA event");
}

void CudaEvent::hold(const CudaStream& stream) const {
  check(cudaStreamWaitEvent(stream.get(), event_, 0), "a CUDA event");
}

void CudaEvent::synchronise() const {
  check(cudaEventSynchronize(event_), "a kernel");
}

Seconds elapsed(const CudaEvent& begin, const CudaEvent& end) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "a CUDA event");
  return {static_cast<double>(milliseconds) * 1e-3};
}

Memory::Memory(std::size_t bytes, Place place) : place_(place) {
  const cudaError_t status = place == Place::Device
                                 ? cudaMalloc(&data_, bytes)
                                 : cudaHostAlloc(&data_, bytes, cudaHostAllocDefault);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // else the next kernel would report it
    throw HardwareError(fmt::format("too little {} memory: {} could not be allocated",
                                    place == Place::Device ? "GPU" : "pinned host",
                                    format_bytes({static_cast<double>(bytes)})));
  }
  check(status, "memory");
}

Memory::~Memory() {
  if (data_ == nullptr)
    return;
  if (place_ == Place::Device)
    cudaFree(data_);
  else
    cudaFreeHost(data_);
}

Cublas::Cublas(const CudaStream& stream) {
  check(cublasCreate(&handle_), "cuBLAS");
  check(cublasSetStream(handle_, stream.get()), "cuBLAS");
}

Cublas::~Cublas() {
  if (handle_ != nullptr)
    cublasDestroy(handle_);
}

namespace {

constexpr Seconds kLongestGate{100e-3};
constexpr Seconds kLongestBatchGate{20e-3};
constexpr double kGateMargin = 1.5;

}  // namespace

Seconds since(std::chrono::steady_clock::time_point begin) {
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

Seconds HostGate::time_for(double executions) const {
  return host_.value_or(Seconds{}) * executions * kGateMargin;
}

void close_gate(Seconds time, const CudaStream& stream) {
  if (time > Seconds{})
    launch_timer(std::min(kLongestGate, time), stream.get());
}

TimedRun timed_on(const CudaStream& stream, std::function<void()> enqueue, Pace pace) {
  return [&stream, enqueue = std::move(enqueue), pace,
          gate = HostGate()](std::uint32_t repeats) mutable {
    const CudaEvent begin;
    const CudaEvent end;
    if (pace == Pace::Device)
      close_gate(std::min(kLongestBatchGate, gate.time_for(repeats)), stream);
    begin.record(stream);
    const auto started = std::chrono::steady_clock::now();
    for (std::uint32_t i = 0; i < repeats; ++i)
      enqueue();
    gate.note(since(started) / repeats);
    end.record(stream);
    end.synchronise();
    return elapsed(begin, end);
  };
}

std::vector<float> fetch(const CudaStream& stream, const float* data,
                         std::span<const std::uint64_t> places) {
  std::vector<float> values(places.size());
  stream.synchronise();
  for (std::size_t i = 0; i < places.size(); ++i)
    check(cudaMemcpy(&values[i], data + places[i], sizeof(float), cudaMemcpyDeviceToHost),
          "a result");
  return values;
}

}  // namespace stepcast
