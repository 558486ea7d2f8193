#pragma once
// What travels in a K-FAC step, from the verb that sends it to the one that waits for it.

#include <array>
#include <map>

#include "models/network/cluster.hpp"
#include "models/schedule/kfac/parts.hpp"
#include "models/schedule/pending.hpp"

namespace stepcast::kfac {

/// All-reduced factors: A, then G.
struct FactorsInFlight {
  std::array<Pending, 2> of{Pending{kInverse, "all factors"}, Pending{kInverse, "all factors"}};
};

/// Factors that are summed on the ranks that invert them.
struct ReducedFactors {
  struct OfOwner {
    Pending pending{"update", "factors"};
    Seconds unpacking{};
  };
  std::map<Rank, OfOwner> by_owner;
};

/// Inverses on their way from those that computed them.
struct InversesInFlight {
  struct Sent {
    TaskId task = kNone;
    Seconds unpacking{};  ///< On each rank of the group.
    TeamId group = 0;
  };
  std::vector<Sent> sent;
};

/// Preconditioned gradients.
struct ResultsInFlight {
  Pending pending{"update", "preconditioned gradients"};
};

}  // namespace stepcast::kfac
