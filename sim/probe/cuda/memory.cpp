#include "sim/probe/cuda/kernels.hpp"
#include "sim/probe/cuda/on_device.hpp"
#include "sim/probe/cuda/probes.hpp"
#include "sim/probe/cuda/support.hpp"
#include "sim/probe/random_values.hpp"
#include "sim/probe/reference.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kElementsChecked = 256;

Memory memory_on(int device, std::size_t bytes) {
  const OnDevice current(device);
  return Memory(bytes);
}

/// The element that a copy must have brought along.
double copied_error(const CudaStream& stream, const float* copy, std::uint64_t elements) {
  const auto places = spread_places(elements, kElementsChecked);
  std::vector<double> expected;
  for (const std::uint64_t place : places)
    expected.push_back(static_cast<double>(random_value(kSeedA, place)));
  return largest_error(expected, fetch(stream, copy, places));
}

/// Between two places of this device or the host.
KernelPoint measure_local(const KernelShape& shape, const Effort& effort) {
  const CudaStream stream;
  const auto place_if = [](bool host) {
    return host ? Memory::Place::PinnedHost : Memory::Place::Device;
  };
  const std::uint64_t elements = shape.size / sizeof(float);
  const Memory random(shape.size);
  const Memory source(shape.size, place_if(shape.family == KernelFamily::CopyToDevice));
  const Memory target(shape.size, place_if(shape.family == KernelFamily::CopyFromDevice));
  fill_random(random.as<float>(), elements, kSeedA, stream.get());
  const auto copy = [&](const Memory& to, const Memory& from) {
    check(cudaMemcpyAsync(to.get(), from.get(), shape.size, cudaMemcpyDefault, stream.get()),
          "a copy");
  };
  copy(source, random);
  const Sample sample = measure(timed_on(stream, [&] { copy(target, source); }), effort);
  // Copied once more to the device, so that one way of looking at it suffices.
  check(cudaMemsetAsync(random.get(), 0, shape.size, stream.get()), "clearing a buffer");
  copy(random, target);
  return checked_point(shape, sample, copied_error(stream, random.as<float>(), elements));
}

KernelPoint measure_peer(const KernelShape& shape, const Effort& effort, int peer) {
  const CudaStream stream;
  int here = 0;
  check(cudaGetDevice(&here), "the current device");
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(peer, 0);
  if (enabled == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();
  else
    check(enabled, "access to the peer");
  const std::uint64_t elements = shape.size / sizeof(float);
  const Memory source(shape.size);
  const Memory target = memory_on(peer, shape.size);
  fill_random(source.as<float>(), elements, kSeedA, stream.get());
  const Sample sample =
      measure(timed_on(stream,
                       [&] {
                         check(cudaMemcpyPeerAsync(target.get(), peer, source.get(), here,
                                                   shape.size, stream.get()),
                               "a copy to the peer");
                       }),
              effort);
  check(cudaMemsetAsync(source.get(), 0, shape.size, stream.get()), "clearing a buffer");
  check(cudaMemcpyPeerAsync(source.get(), here, target.get(), peer, shape.size, stream.get()),
        "a copy from the peer");
  return checked_point(shape, sample, copied_error(stream, source.as<float>(), elements));
}

}  // namespace

KernelPoint measure_copy(const KernelShape& shape, const Effort& effort, int peer) {
  return shape.family == KernelFamily::CopyPeer ? measure_peer(shape, effort, peer)
                                                : measure_local(shape, effort);
}

}  // namespace stepcast
