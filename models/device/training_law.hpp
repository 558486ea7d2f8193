#pragma once

#include <map>
#include <optional>
#include <string>

#include "models/base/provenance.hpp"
#include "models/device/attention_law.hpp"
#include "models/device/device_spec.hpp"
#include "models/device/gemm_law.hpp"

namespace stepcast {

/// The shapes that a law was fitted to.
struct MeasuredRange {
  double low = 0;
  double high = 0;

  bool holds(double value) const { return low <= value && value <= high; }
};

/// What one type of GPU takes for the operators of a transformer.
struct TrainingLaw {
  std::map<std::string, GemmLaw> products;     ///< By precision: fp32, fp16, bf16, fp8.
  std::map<std::string, FlopsPerSecond> peak;  ///< Of the data sheet, dense: for utilisations.
  FlopsPerSecond flash_forward{};              ///< Of 16-bit attention that stores no scores, where
  FlopsPerSecond flash_backward{};             ///< only rates are known: no `attention`.
  std::optional<AttentionLaw> attention;       ///< The same by its shape.
  /// What finding the scale of a tensor and casting it from 16 bits to fp8 reaches, five bytes an
  /// element: read twice, written once. 0: casts are in the times of fp8 products.
  BytesPerSecond cast{};
  Seconds cast_launch{};         ///< Of both kernels.
  BytesPerSecond elementwise{};  ///< What operators bound by memory reach, read and write.
  Seconds kernel{};              ///< Of any of them, however small.
  /// Part of a product's rate that is left where a row is no multiple of 128 bytes, the sector that
  /// tensor cores' loads are made of (NVIDIA's guide to matrix multiplication); 1: no matter.
  double off_sector = 1;
  std::map<std::string, MeasuredRange> measured;  ///< "seq", "head_size", "side" of a product.
  Provenance provenance;
};

/// The law of a precision. Throws InputError "device a100: no products of fp8" without one.
const GemmLaw& products_of(const TrainingLaw& law, const std::string& precision);

/// The law of a device as of another one that differs by its data sheet: rates of products and of
/// attention by their peaks, where both sheets give them; what memory bounds by its bandwidth;
/// start-ups, tiles and waves as they are.
TrainingLaw by_data_sheet(const TrainingLaw& law, const std::map<std::string, FlopsPerSecond>& peak,
                          double bandwidth_ratio);

/// A product of matrices as a GPU's part of a layer has it: `count` times m x k by k x n.
struct ProductShape {
  double m = 1, k = 1, n = 1;
  double count = 1;
};

/// Time of a product. bf16 and fp16 run alike.
Seconds product_time(const TrainingLaw& law, const std::string& precision,
                     const ProductShape& product);

/// Attention that stores no scores, at `rate` times the law's. Without a law by shape: operations
/// over the device's rate, 2.5 times as many backward.
Seconds flash_forward_time(const TrainingLaw& law, const AttentionShape& shape, double rate);
Seconds flash_backward_time(const TrainingLaw& law, const AttentionShape& shape, double rate);

/// Casting so many 16-bit elements to fp8, if `precision` is fp8.
Seconds cast_time(const TrainingLaw& law, const std::string& precision, double elements);

/// An operator that reads and writes so much and computes next to nothing.
Seconds elementwise_time(const TrainingLaw& law, Bytes traffic);

}  // namespace stepcast
