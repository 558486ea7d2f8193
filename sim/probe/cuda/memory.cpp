#include "sim/probe/cuda/kernels.hpp"
#include "sim/probe/cuda/probes.hpp"
#include "sim/probe/cuda/support.hpp"
#include "sim/probe/random_values.hpp"
#include "sim/probe/reference.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kElementsChecked = 256;

/// Lets the current device write into the peer's memory.
void reach(int peer) {
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(peer, 0);
  if (enabled == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();
  else
    check(enabled, "access to the peer");
}

Memory target_of(const KernelShape& shape, int peer) {
  if (shape.family == KernelFamily::CopyPeer) {
    reach(peer);
    const OnDevice current(peer);
    return Memory(shape.size);
  }
  return Memory(shape.size, shape.family == KernelFamily::CopyFromDevice ? Memory::Place::PinnedHost
                                                                         : Memory::Place::Device);
}

}  // namespace

KernelPoint measure_copy(const KernelShape& shape, const Effort& effort, int peer) {
  const CudaStream stream;
  const std::uint64_t elements = shape.size / sizeof(float);
  const Memory random(shape.size);
  const Memory source(shape.size, shape.family == KernelFamily::CopyToDevice
                                      ? Memory::Place::PinnedHost
                                      : Memory::Place::Device);
  const Memory target = target_of(shape, peer);
  fill_random(random.as<float>(), elements, kSeedA, stream.get());
  int here = 0;
  check(cudaGetDevice(&here), "the current device");
  const auto copy = [&](const Memory& to, int to_device, const Memory& from, int from_device) {
    check(to_device == from_device
              ? cudaMemcpyAsync(to.get(), from.get(), shape.size, cudaMemcpyDefault, stream.get())
              : cudaMemcpyPeerAsync(to.get(), to_device, from.get(), from_device, shape.size,
                                    stream.get()),
          "a copy");
  };
  const int there = shape.family == KernelFamily::CopyPeer ? peer : here;
  copy(source, here, random, here);
  const Sample sample =
      measure(timed_on(stream, [&] { copy(target, there, source, here); }), effort);
  // Copied once more to the device, so that one way of looking at it suffices.
  check(cudaMemsetAsync(random.get(), 0, shape.size, stream.get()), "clearing a buffer");
  copy(random, here, target, there);
  return checked_point(
      shape, sample, stream, random, spread_places(elements, kElementsChecked),
      [](std::uint64_t place) { return static_cast<double>(random_value(kSeedA, place)); });
}

}  // namespace stepcast
