#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/device/device_spec.hpp"

namespace stepcast {

/// Kernels that are measured alike: points of one family lie on one curve or surface.
enum class KernelFamily : std::uint8_t {
  GemmFp32,  ///< C = A B of m x k and k x n, column-major.
  GemmTf32,
  GemmBf16,  ///< bf16 in, fp32 out.
  Inverse,   ///< Cholesky factorisation and inverse of a symmetric matrix, fp32.
  TopK,      ///< Exact: the one per cent of largest absolute values and their places.
  ThresholdTopK,
  ScatterAdd,
  Packing,      ///< Upper triangle of a square matrix into a row of elements.
  Elementwise,  ///< y += a x, fp32.
  Launch,       ///< Back-to-back launches of a kernel that does nothing.
  CopyDevice,
  CopyToDevice,
  CopyFromDevice,
  CopyPeer,
  AllReduce,
  ReduceScatter,
  AllGather,
  Broadcast,
  Reduce,
  AllToAll,
  OverlapCompute,        ///< Products beside communication of so many bytes.
  OverlapCommunication,  ///< Communication of so many bytes beside products.
};

/// What the size of a point counts; Volume: bytes.
enum class SizeUnit : std::uint8_t { Shape, Side, Elements, Launches, Volume };

/// One measurable case. Collective sizes follow nccl-tests: the full buffer.
struct KernelShape {
  KernelFamily family = KernelFamily::GemmFp32;
  std::uint64_t m = 0, n = 0, k = 0;  ///< Matrix products only; above 0.
  std::uint64_t size = 0;             ///< Others: in the family's unit; above 0.
  std::uint32_t gpus = 1;
  std::uint32_t nodes = 1;
  std::uint32_t communicators = 1;  ///< As many of the same collective at once.

  bool operator==(const KernelShape&) const = default;
};

/// What was measured of it.
struct KernelPoint {
  KernelShape shape;
  Seconds time{};               ///< Median of the samples; above 0.
  double spread = 0;            ///< Interquartile range over median.
  std::uint32_t samples = 1;    ///< Batches that were timed.
  std::optional<double> check;  ///< Largest relative error against the reference; none: no output.
  Seconds alone{};              ///< Overlap families: the time without the other stream.
};

/// "gemm-fp32", "top-k", "all-reduce", ... and back; every family in the order of the enum.
const char* name_of(KernelFamily family);
std::optional<KernelFamily> find_kernel_family(std::string_view name);
std::span<const KernelFamily> all_kernel_families();

SizeUnit unit_of(KernelFamily family);
bool is_collective(KernelFamily family);
bool is_overlap(KernelFamily family);

/// Operations of a matrix product: 2 m n k.
Flops flops_of(const KernelShape& gemm);
/// Inputs read and output written once.
Bytes traffic_of(const KernelShape& gemm);

/// "512 x 2048 x 64", "side 4608", "1e+06 elements", "25 MiB, 8 GPUs".
std::string describe(const KernelShape& shape);

}  // namespace stepcast
