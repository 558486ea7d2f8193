#include "sim/probe/cuda/replay/stand_ins.hpp"

#include <array>
#include <cstring>

#include "sim/probe/replay_program.hpp"

namespace stepcast {
namespace {

constexpr std::array<std::uint64_t, 3> kSides{2048, 1024, 256};  // descending

KernelShape product_of(std::uint64_t side) {
  return {.family = KernelFamily::GemmFp32, .m = side, .n = side, .k = side};
}

}  // namespace

Products::Products(const CudaStream& stream) : cublas_(stream) {
  for (const std::uint64_t side : kSides)
    operands_.emplace_back(product_of(side), stream);
}

std::size_t Products::count() {
  return kSides.size();
}

HostLink::HostLink() : device_(kLargestCopy), host_(kLargestCopy, Memory::Place::PinnedHost) {
  check(cudaMemset(device_.get(), 0, kLargestCopy), "a buffer");
  check(cudaStreamSynchronize(nullptr), "a buffer");
  std::memset(host_.get(), 0, kLargestCopy);
}

void HostLink::copy(std::uint64_t bytes, std::size_t direction, const CudaStream& stream) const {
  const bool to_device = direction == 0;
  check(cudaMemcpyAsync(to_device ? device_.get() : host_.get(),
                        to_device ? host_.get() : device_.get(), bytes,
                        to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream.get()),
        "an emulated collective");
}

}  // namespace stepcast
