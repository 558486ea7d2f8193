#include "models/device/training_law.hpp"

#include <cmath>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

// Whether a row of so many elements is made of whole sectors of 128 bytes.
bool is_whole(double elements, double element_bytes) {
  return std::fmod(elements * element_bytes, 128) == 0;
}

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(value)));
}

}  // namespace

const GemmLaw& products_of(const TrainingLaw& law, const std::string& precision) {
  const auto found = law.products.find(precision);
  if (found == law.products.end())
    throw InputError(fmt::format("precision: the device has no times of {} products", precision));
  return found->second;
}

Seconds product_time(const TrainingLaw& law, const std::string& precision,
                     const ProductShape& product) {
  const GemmLaw& gemm = products_of(law, precision);
  const bool tensor_cores = precision != "fp32";
  // Rows of the operands: k of both, n of the result.
  const double element = precision == "fp8" ? 1 : 2;
  const bool in_sectors = is_whole(product.k, element) && is_whole(product.n, element);
  const KernelShape shape{.family = tensor_cores ? KernelFamily::GemmBf16 : KernelFamily::GemmFp32,
                          .m = whole(product.n),
                          .n = whole(product.m * product.count),
                          .k = whole(product.k)};
  const Seconds time = gemm_time(gemm, shape);
  if (!tensor_cores || in_sectors || !is_aligned(shape))
    return time;
  return gemm.launch + (time - gemm.launch) / law.off_sector;
}

Seconds elementwise_time(const TrainingLaw& law, Bytes traffic) {
  return traffic > Bytes{} ? law.kernel + traffic / law.elementwise : Seconds{};
}

}  // namespace stepcast
