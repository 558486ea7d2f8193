#include <algorithm>

#include <cusolverDn.h>
#include <fmt/format.h>

#include "sim/probe/cuda/kernels.hpp"
#include "sim/probe/cuda/probes.hpp"
#include "sim/probe/cuda/support.hpp"
#include "sim/probe/hardware_error.hpp"
#include "sim/probe/reference.hpp"

namespace stepcast {
namespace {

constexpr cublasFillMode_t kLower = CUBLAS_FILL_MODE_LOWER;

void check_solver(cusolverStatus_t status) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw HardwareError(fmt::format("cuSOLVER: error {}", static_cast<int>(status)));
}

/// A handle of cuSOLVER whose calls go to one stream.
class Solver {
 public:
  explicit Solver(const CudaStream& stream) {
    check_solver(cusolverDnCreate(&handle_));
    check_solver(cusolverDnSetStream(handle_, stream.get()));
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  ~Solver() {
    if (handle_ != nullptr)
      cusolverDnDestroy(handle_);
  }

  cusolverDnHandle_t get() const { return handle_; }

 private:
  cusolverDnHandle_t handle_ = nullptr;
};

/// A symmetric positive definite matrix that is inverted in place, again and again.
class Inversion {
 public:
  Inversion(std::uint64_t side, const CudaStream& stream)
      : side_(static_cast<int>(side)),
        stream_(stream),
        solver_(stream),
        bytes_(side * side * sizeof(float)),
        original_(bytes_),
        matrix_(bytes_),
        info_(2 * sizeof(int)),
        work_(work_bytes()) {
    fill_symmetric(original_.as<float>(), side, kSeedA, stream.get());
  }

  /// Restores the matrix, which takes no part in the time, and inverts it once the host has handed
  /// all kernels of the inversion over.
  Seconds run(std::uint32_t repeats) {
    Seconds sum{};
    for (std::uint32_t i = 0; i < repeats; ++i) {
      check(cudaMemcpyAsync(matrix_.get(), original_.get(), bytes_, cudaMemcpyDeviceToDevice,
                            stream_.get()),
            "restoring a matrix");
      const CudaEvent begin;
      const CudaEvent end;
      close_gate(gate_.time_for(1), stream_);
      begin.record(stream_);
      const auto started = std::chrono::steady_clock::now();
      invert();
      gate_.note(since(started));
      end.record(stream_);
      end.synchronise();
      sum += elapsed(begin, end);
    }
    return sum;
  }

  /// The lower triangle, and whatever is above it.
  std::vector<float> result() const {
    stream_.synchronise();
    int info[2] = {0, 0};
    check(cudaMemcpy(info, info_.get(), sizeof(info), cudaMemcpyDeviceToHost), "a result");
    if (info[0] != 0 || info[1] != 0)
      throw HardwareError(fmt::format("cuSOLVER: factorisation {}, inverse {}", info[0], info[1]));
    std::vector<float> inverse(bytes_ / sizeof(float));
    check(cudaMemcpy(inverse.data(), matrix_.get(), bytes_, cudaMemcpyDeviceToHost), "a result");
    return inverse;
  }

 private:
  std::size_t work_bytes() {
    int factor = 0;
    int inverse = 0;
    check_solver(cusolverDnSpotrf_bufferSize(solver_.get(), kLower, side_, matrix_.as<float>(),
                                             side_, &factor));
    check_solver(cusolverDnSpotri_bufferSize(solver_.get(), kLower, side_, matrix_.as<float>(),
                                             side_, &inverse));
    elements_ = std::max({factor, inverse, 1});
    return static_cast<std::size_t>(elements_) * sizeof(float);
  }

  void invert() {
    check_solver(cusolverDnSpotrf(solver_.get(), kLower, side_, matrix_.as<float>(), side_,
                                  work_.as<float>(), elements_, info_.as<int>()));
    check_solver(cusolverDnSpotri(solver_.get(), kLower, side_, matrix_.as<float>(), side_,
                                  work_.as<float>(), elements_, info_.as<int>() + 1));
  }

  int side_;
  const CudaStream& stream_;
  Solver solver_;
  std::size_t bytes_;
  Memory original_;
  Memory matrix_;
  Memory info_;
  int elements_ = 1;  // of the workspace
  Memory work_;
  HostGate gate_;
};

}  // namespace

KernelPoint measure_inverse(const KernelShape& shape, const Effort& effort) {
  const CudaStream stream;
  Inversion inversion(shape.size, stream);
  const Sample sample =
      measure([&](std::uint32_t repeats) { return inversion.run(repeats); }, effort);
  return checked_point(shape, sample, inverse_error(shape.size, inversion.result()));
}

}  // namespace stepcast
