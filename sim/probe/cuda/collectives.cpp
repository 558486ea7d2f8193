#include "sim/probe/cuda/collectives.hpp"

#include <algorithm>
#include <numeric>

#include "sim/probe/cuda/kernels.hpp"
#include "sim/probe/cuda/probes.hpp"
#include "sim/probe/random_values.hpp"
#include "sim/probe/reference.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kElementsChecked = 64;
constexpr std::uint64_t kFirstRankSeed = 16;

CollectiveKind collective_kind_of(KernelFamily family) {
  switch (family) {
    case KernelFamily::ReduceScatter:
      return CollectiveKind::ReduceScatter;
    case KernelFamily::AllGather:
      return CollectiveKind::AllGather;
    case KernelFamily::Broadcast:
      return CollectiveKind::Broadcast;
    case KernelFamily::Reduce:
      return CollectiveKind::Reduce;
    case KernelFamily::AllToAll:
      return CollectiveKind::AllToAll;
    default:
      return CollectiveKind::AllReduce;
  }
}

double value_of_rank(std::uint64_t rank, std::uint64_t index) {
  return static_cast<double>(random_value(kFirstRankSeed + rank, index));
}

double sum_over_ranks(std::uint32_t ranks, std::uint64_t index) {
  double sum = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    sum += value_of_rank(rank, index);
  return sum;
}

/// What rank `place` of `ranks` must hold at `index` of its output.
double expected_at(CollectiveKind kind, std::uint64_t elements, std::uint32_t ranks,
                   std::uint32_t place, std::uint64_t index) {
  const std::uint64_t share = elements / ranks;
  switch (kind) {
    case CollectiveKind::AllReduce:
    case CollectiveKind::Reduce:
      return sum_over_ranks(ranks, index);
    case CollectiveKind::ReduceScatter:
      return sum_over_ranks(ranks, place * share + index);
    case CollectiveKind::AllGather:
      return value_of_rank(index / share, index % share);
    case CollectiveKind::Broadcast:
      return value_of_rank(0, index);
    case CollectiveKind::AllToAll:
      return value_of_rank(index / share, place * share + index % share);
    case CollectiveKind::Send:
      break;  // not measured
  }
  return 0;
}

/// One member of one communicator with its stream and buffers.
struct Endpoint {
  std::size_t member = 0;
  int device = 0;
  const Communicator* communicator = nullptr;
  CudaStream stream;
  Memory send;
  Memory receive;
  CudaEvent begin;
  CudaEvent end;
};

class CollectiveRun {
 public:
  CollectiveRun(const KernelShape& shape, CommunicatorCache& communicators)
      : kind_(collective_kind_of(shape.family)),
        elements_(shape.size / sizeof(float)),
        communicators_(communicators) {
    for (std::uint32_t i = 0; i < shape.communicators; ++i)
      add(communicators.of(shape.gpus, i));
  }

  /// Time of the slowest GPU of all processes.
  Seconds run(std::uint32_t repeats) {
    for (const Endpoint& each : endpoints_)
      each.stream.synchronise();
    communicators_.team().barrier();
    mark(&Endpoint::begin);
    for (std::uint32_t i = 0; i < repeats; ++i)
      enqueue();
    mark(&Endpoint::end);
    Seconds longest{};
    for (const Endpoint& each : endpoints_) {
      const OnDevice current(each.device);
      each.communicator->wait(each.stream);
      longest = std::max(longest, elapsed(each.begin, each.end));
    }
    return {communicators_.team().largest(longest.value)};
  }

  /// Largest error of all outputs.
  double error() {
    double worst = 0;
    for (const Endpoint& each : endpoints_)
      worst = worse(worst, error_of(each));
    return communicators_.team().largest(worst);
  }

 private:
  void add(const Communicator& communicator) {
    const std::vector<Member>& members = communicators_.members();
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!communicator.has(i))
        continue;
      const OnDevice current(members[i].device);
      const std::size_t bytes = elements_ * sizeof(float);
      endpoints_.push_back({.member = i,
                            .device = members[i].device,
                            .communicator = &communicator,
                            .stream = CudaStream(),
                            .send = Memory(bytes),
                            .receive = Memory(bytes),
                            .begin = CudaEvent(),
                            .end = CudaEvent()});
      const Endpoint& made = endpoints_.back();
      fill_random(made.send.as<float>(), elements_, kFirstRankSeed + communicator.place(i),
                  made.stream.get());
      check(cudaMemsetAsync(made.receive.get(), 0, bytes, made.stream.get()), "a buffer");
    }
  }

  void mark(CudaEvent Endpoint::*event) {
    for (const Endpoint& each : endpoints_) {
      const OnDevice current(each.device);
      (each.*event).record(each.stream);
    }
  }

  /// All members of a communicator in one NCCL group, the communicators one after the other.
  void enqueue() {
    for (std::size_t i = 0; i < endpoints_.size();) {
      const Communicator* communicator = endpoints_[i].communicator;
      Communicator::begin();
      for (; i < endpoints_.size() && endpoints_[i].communicator == communicator; ++i) {
        const Endpoint& each = endpoints_[i];
        communicator->enqueue(each.member, kind_, elements_, 0, each.send.as<float>(),
                              each.receive.as<float>(), each.stream);
      }
      Communicator::end();
    }
  }

  double error_of(const Endpoint& each) const {
    const std::uint32_t ranks = each.communicator->size();
    const std::uint32_t place = each.communicator->place(each.member);
    if (kind_ == CollectiveKind::Reduce && place != 0)
      return 0;
    const std::uint64_t held =
        kind_ == CollectiveKind::ReduceScatter ? elements_ / ranks : elements_;
    const OnDevice current(each.device);
    const auto places = spread_places(held, kElementsChecked);
    std::vector<double> expected;
    for (const std::uint64_t index : places)
      expected.push_back(expected_at(kind_, elements_, ranks, place, index));
    return largest_error(expected, fetch(each.stream, each.receive.as<float>(), places));
  }

  CollectiveKind kind_;
  std::uint64_t elements_;
  CommunicatorCache& communicators_;
  std::vector<Endpoint> endpoints_;  // of one communicator after the other
};

}  // namespace

const Communicator& CommunicatorCache::of(std::uint32_t ranks, std::uint32_t index) {
  const std::pair key(ranks, index);
  const auto found = made_.find(key);
  if (found != made_.end())
    return found->second;
  Group group;
  group.ranks.resize(ranks);
  std::iota(group.ranks.begin(), group.ranks.end(), 0U);
  return made_.emplace(key, Communicator(group, members_, team_)).first->second;
}

KernelPoint measure_collective(const KernelShape& shape, const Effort& effort,
                               CommunicatorCache& communicators) {
  CollectiveRun run(shape, communicators);
  const Sample sample = measure([&run](std::uint32_t repeats) { return run.run(repeats); }, effort);
  return checked_point(shape, sample, run.error());
}

}  // namespace stepcast
