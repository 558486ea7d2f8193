#include "models/device/training_law.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

// Whether a row of so many elements is made of whole sectors of 128 bytes.
bool is_whole(double elements, double element_bytes) {
  return std::fmod(elements * element_bytes, 128) == 0;
}

AttentionLaw scaled_attention(AttentionLaw law, double rates, double bandwidth) {
  law.forward.peak = law.forward.peak * rates;
  law.backward.peak = law.backward.peak * rates;
  law.bandwidth = law.bandwidth * bandwidth;
  return law;
}

// Of the peak rate alone: start-ups stay.
AttentionLaw at_rate(const AttentionLaw& law, double rate) {
  return scaled_attention(law, rate, 1);
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

TrainingLaw by_data_sheet(const TrainingLaw& law, const std::map<std::string, FlopsPerSecond>& peak,
                          double bandwidth_ratio) {
  const auto ratio_of = [&](const std::string& precision) {
    const auto here = peak.find(precision);
    const auto there = law.peak.find(precision);
    return here == peak.end() || there == law.peak.end() ? 0 : here->second / there->second;
  };
  TrainingLaw scaled = law;
  scaled.peak = peak;
  std::erase_if(scaled.products, [&](const auto& each) { return ratio_of(each.first) == 0; });
  for (auto& [precision, products] : scaled.products) {
    products.peak = products.peak * ratio_of(precision);
    products.bandwidth = products.bandwidth * bandwidth_ratio;
  }
  double attention = std::max(ratio_of("bf16"), ratio_of("fp16"));
  if (attention == 0)  // the sheet gives none of 16 bits
    for (const auto& [precision, rate] : peak)
      attention = std::max(attention, ratio_of(precision));
  scaled.flash_forward = scaled.flash_forward * attention;
  scaled.flash_backward = scaled.flash_backward * attention;
  if (scaled.attention)
    scaled.attention = scaled_attention(*scaled.attention, attention, bandwidth_ratio);
  scaled.cast = scaled.cast * bandwidth_ratio;
  scaled.elementwise = scaled.elementwise * bandwidth_ratio;
  return scaled;
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

Seconds flash_forward_time(const TrainingLaw& law, const AttentionShape& shape, double rate) {
  return law.attention ? attention_forward_time(at_rate(*law.attention, rate), shape)
                       : law.kernel + attention_flops(shape) / law.flash_forward / rate;
}

Seconds flash_backward_time(const TrainingLaw& law, const AttentionShape& shape, double rate) {
  return law.attention ? attention_backward_time(at_rate(*law.attention, rate), shape)
                       : law.kernel + attention_flops(shape) * 2.5 / law.flash_backward / rate;
}

Seconds cast_time(const TrainingLaw& law, const std::string& precision, double elements) {
  constexpr double kBytes = 5;
  return precision == "fp8" && law.cast > BytesPerSecond{}
             ? law.cast_launch + Bytes{kBytes * elements} / law.cast
             : Seconds{};
}

Seconds elementwise_time(const TrainingLaw& law, Bytes traffic) {
  return traffic > Bytes{} ? law.kernel + traffic / law.elementwise : Seconds{};
}

}  // namespace stepcast
