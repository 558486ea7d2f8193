#include "models/collective/nccl/tuner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace stepcast::nccl {
namespace {

template <class Value>
using ByProtocol = std::array<Value, 3>;  // LL, LL128, Simple
template <class Value>
using ByShape = std::array<ByProtocol<Value>, 2>;  // tree, ring

constexpr std::array kProtocols = {Protocol::LL, Protocol::LL128, Protocol::Simple};

// Microseconds: once, and for each hop by what it crosses.
constexpr ByShape<double> kBase = {{{4.4, 4.4, 0}, {3.6, 10.0, 8.4}}};
constexpr ByShape<double> kNvLink = {{{.52, 1.25, 28}, {.47, 1.9, 3.4}}};
constexpr ByShape<double> kPcie = {{{1.0, 1.9, 28}, {1.0, 2.5, 5.7}}};
constexpr ByShape<double> kNetwork = {{{5.0, 8.5, 28}, {2.7, 4.0, 9.6}}};
constexpr double kSlowerLL = 1.8;      // Inside the nodes of a communicator of several.
constexpr double kPlateau = 1.9;       // Rings of Simple, between nodes,
constexpr double kPlateauFrom = 4096;  // from as many bytes a rank.

// What trees reach of their bandwidth, by powers of two from 64 bytes.
constexpr ByProtocol<std::array<double, 23>> kTreeReaches = {{
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, .92, .92},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
}};

template <class Enum>
constexpr std::size_t index(Enum value) {
  return static_cast<std::size_t>(value);
}

double reached(Protocol protocol, Bytes size) {
  const auto& reaches = kTreeReaches[index(protocol)];
  const auto power = static_cast<std::size_t>(std::log2(std::max(1.0, size.value / 64)));
  return power < reaches.size() ? reaches[power] : 1;
}

/// Algorithm bandwidth over bus bandwidth.
double tree_share(const Communicator& communicator, Protocol protocol, Bytes size) {
  constexpr double kOfRings = .92;
  const ByProtocol<double> shares = {1 / 3.8, communicator.nodes == 1 ? 7.0 / 9 : .915, 1};
  return kOfRings * shares[index(protocol)] * reached(protocol, size) / 2;
}

double ring_share(const Communicator& communicator, Protocol protocol) {
  const bool alone = communicator.ranks < 2 * communicator.nodes;  // One GPU a node.
  const ByProtocol<double> shares = {1.0 / 4, alone ? .7 : .92, 1};
  return shares[index(protocol)] * communicator.ranks / (2.0 * (communicator.ranks - 1));
}

Seconds time_of(const Communicator& communicator, Shape shape, Protocol protocol, Bytes size) {
  const BytesPerSecond bandwidth =
      communicator.bandwidth * (shape == Shape::Ring ? ring_share(communicator, protocol)
                                                     : tree_share(communicator, protocol, size));
  return startup(communicator, shape, protocol, size) + size / bandwidth;
}

bool is_allowed(const Communicator& communicator, Protocol protocol) {
  return protocol != Protocol::LL128 || communicator.inside == NodePath::NvLink;
}

}  // namespace

Seconds startup(const Communicator& communicator, Shape shape, Protocol protocol, Bytes size) {
  const auto at = [&](const ByShape<double>& table) {
    return table[index(shape)][index(protocol)];
  };
  const auto [ranks, nodes] = std::pair{communicator.ranks, communicator.nodes};
  double inside = at(communicator.inside == NodePath::NvLink ? kNvLink : kPcie);
  if (nodes > 1 && protocol == Protocol::LL)
    inside *= kSlowerLL;
  double hops = 0;
  if (shape == Shape::Ring)
    hops = 2.0 * (ranks - nodes) * inside + 2.0 * (nodes - 1) * at(kNetwork);
  else
    hops = 2.0 * (ranks / nodes - 1) * inside + 2.0 * (std::bit_width(nodes) - 1) * at(kNetwork);
  const bool plateau = shape == Shape::Ring && protocol == Protocol::Simple && nodes > 1 &&
                       size.value >= kPlateauFrom * ranks;
  return Seconds{(at(kBase) + hops) * (plateau ? kPlateau : 1) * 1e-6};
}

Seconds longest_network_step() {
  return Seconds{std::ranges::max(kNetwork[index(Shape::Ring)]) * 1e-6};
}

Choice choose(const Communicator& communicator, Shape shape, Bytes size) {
  Choice best{.time = Seconds{std::numeric_limits<double>::infinity()}};
  for (const Protocol protocol : kProtocols) {
    if (!is_allowed(communicator, protocol))
      continue;
    const Seconds time = time_of(communicator, shape, protocol, size);
    if (time < best.time)
      best = {shape, protocol, time};
  }
  return best;
}

Choice choose(const Communicator& communicator, Bytes size) {
  const Choice tree = choose(communicator, Shape::Tree, size);
  const Choice ring = choose(communicator, Shape::Ring, size);
  return tree.time < ring.time ? tree : ring;
}

Bytes tree_below(const Communicator& communicator) {
  constexpr double kRounding = 1 + 1e-9;
  constexpr Bytes kLeast{64};
  constexpr Bytes kMost{1e12};
  for (Bytes size = kLeast; size < kMost; size = size * 2)
    if (choose(communicator, Shape::Ring, size).time <=
        choose(communicator, Shape::Tree, size).time * kRounding)
      return size == kLeast ? Bytes{} : size;
  return kMost;
}

// Start-ups speak for trees on many ranks, bytes for rings.
BytesPerSecond bandwidth_by_switch(Communicator communicator, Bytes below) {
  constexpr double kLeast = 1e6;
  constexpr double kMost = 1e13;
  const auto takes_tree = [&](double bandwidth) {
    communicator.bandwidth = {bandwidth};
    return choose(communicator, below).shape == Shape::Tree;
  };
  if (!takes_tree(kMost))
    return {};
  double least = kLeast;
  double most = kMost;
  while (most / least > 1 + 1e-9) {
    const double middle = std::sqrt(least * most);
    (takes_tree(middle) ? most : least) = middle;
  }
  return {least};
}

double overhead(Protocol protocol) {
  constexpr ByProtocol<double> kSent = {2, 128.0 / 120, 1};
  return kSent[index(protocol)];
}

}  // namespace stepcast::nccl
