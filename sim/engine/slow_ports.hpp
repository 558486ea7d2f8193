#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/network/network_backend.hpp"
#include "sim/engine/program.hpp"

namespace stepcast {

/// The ports of ranks that compute, which carry 1/(1 + Overlap::communication_slowdown) of their
/// bandwidth. The network hears of a change only while something moves: between transfers a class
/// may begin and cease to compute many times.
class SlowPorts {
 public:
  SlowPorts(const Plan& plan, const Cluster& cluster, const Program& program,
            const Folding& folding);

  /// Whether it ever matters.
  bool exist() const { return !ranks_.empty(); }

  /// The device of a class computes from now on, or no longer. Precondition: exist().
  void set(ClassId rank_class, bool computes, NetworkBackend& network) {
    if (computes != static_cast<bool>(computing_[rank_class]))
      change(rank_class, computes, network);
  }

  void transfer_begins(NetworkBackend& network);
  void transfer_ends() { --moving_; }

 private:
  void change(ClassId rank_class, bool computes, NetworkBackend& network);
  void tell(ClassId rank_class, NetworkBackend& network);

  double share_;                          // of the bandwidth, while the rank computes
  std::vector<std::vector<Rank>> ranks_;  // by class; none: it never matters
  std::vector<char> computing_;           // by class
  std::vector<char> told_;                // by class: what the network knows
  std::vector<ClassId> untold_;           // changed since something moved last
  std::uint32_t moving_ = 0;              // transfers under way
};

}  // namespace stepcast
