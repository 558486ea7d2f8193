#include "sim/probe/cuda/gemm.hpp"

#include "sim/probe/cuda/kernels.hpp"
#include "sim/probe/cuda/probes.hpp"
#include "sim/probe/reference.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kElementsChecked = 24;
constexpr KernelShape kProduct{.family = KernelFamily::GemmFp32, .m = 2048, .n = 2048, .k = 2048};
constexpr std::uint32_t kAtOnce = 8;

bool is_bf16(const KernelShape& shape) {
  return shape.family == KernelFamily::GemmBf16;
}

std::size_t input_bytes(const KernelShape& shape, std::uint64_t elements) {
  return elements * (is_bf16(shape) ? sizeof(__nv_bfloat16) : sizeof(float));
}

void fill(const KernelShape& shape, const Memory& input, std::uint64_t elements, std::uint64_t seed,
          const CudaStream& stream) {
  if (is_bf16(shape))
    fill_random(input.as<__nv_bfloat16>(), elements, seed, stream.get());
  else
    fill_random(input.as<float>(), elements, seed, stream.get());
}

cublasComputeType_t compute_type(KernelFamily family) {
  return family == KernelFamily::GemmTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

}  // namespace

GemmOperands::GemmOperands(const KernelShape& shape, const CudaStream& stream)
    : shape_(shape),
      a_(input_bytes(shape, shape.m * shape.k)),
      b_(input_bytes(shape, shape.k * shape.n)),
      c_(shape.m * shape.n * sizeof(float)) {
  fill(shape, a_, shape.m * shape.k, kSeedA, stream);
  fill(shape, b_, shape.k * shape.n, kSeedB, stream);
}

void GemmOperands::multiply(const Cublas& cublas) const {
  const auto m = static_cast<int>(shape_.m);
  const auto n = static_cast<int>(shape_.n);
  const auto k = static_cast<int>(shape_.k);
  const cudaDataType_t input = is_bf16(shape_) ? CUDA_R_16BF : CUDA_R_32F;
  const float one = 1;
  const float zero = 0;
  check(cublasGemmEx(cublas.get(), CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a_.get(), input, m,
                     b_.get(), input, k, &zero, c_.get(), CUDA_R_32F, m,
                     compute_type(shape_.family), CUBLAS_GEMM_DEFAULT),
        "a matrix product");
}

ClockRaiser::ClockRaiser() : cublas_(stream_), operands_(kProduct, stream_) {}

void ClockRaiser::run(Seconds time) const {
  const TimedRun products = timed_on(
      stream_, [this] { operands_.multiply(cublas_); }, Pace::Host);
  for (Seconds spent{}; spent < time;)
    spent += products(kAtOnce);
}

KernelPoint measure_gemm(const KernelShape& shape, const Effort& effort) {
  const CudaStream stream;
  const Cublas cublas(stream);
  const GemmOperands operands(shape, stream);
  const Sample sample = measure(timed_on(stream, [&] { operands.multiply(cublas); }), effort);
  const auto places = spread_places(shape.m * shape.n, kElementsChecked);
  return checked_point(shape, sample,
                       gemm_error(shape, places, fetch(stream, operands.result(), places)));
}

}  // namespace stepcast
