#include "sim/forecast/tuning/plan_hash.hpp"

#include <cstring>
#include <span>

#include "models/base/fields.hpp"

namespace stepcast {
namespace {

/// FNV-1a over the bytes of leaves.
class Hasher {
 public:
  template <class Leaf>
  void operator()(const Leaf& leaf) {
    if constexpr (Text<Leaf>) {
      (*this)(leaf.size());
      mix({leaf.data(), leaf.size()});
    } else {
      char bytes[sizeof leaf];
      std::memcpy(bytes, &leaf, sizeof leaf);
      mix(bytes);
    }
  }

  std::uint64_t result() const { return hash_; }

 private:
  void mix(std::span<const char> bytes) {
    constexpr std::uint64_t kPrime = 0x100000001b3;
    for (const char byte : bytes)
      hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * kPrime;
  }

  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace

// Names every field: one that is added must be told apart here. Names, notes, what memory holds and
// what is recomputed say nothing of the time; samples count, as tuning looks for the shortest time
// of a sample.
std::uint64_t hash_of(const Plan& plan) {
  const auto& [schedule, summary, graph, next, later, quorums, announcements, streams, host,
               collectives, teams, labels, phases, recomputed, later_steps, memory, notes] = plan;
  Hasher hasher;
  const auto add = [&](const auto&... fields) { (for_each_leaf(fields, hasher), ...); };
  add(summary, graph, next, later, quorums, announcements, streams, collectives, teams,
      later_steps);
  return hasher.result();
}

}  // namespace stepcast
