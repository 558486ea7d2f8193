// Which algorithms a collective library can run, so that a search recommends nothing that nobody
// can switch on.
//
// NCCL: the values of NCCL_ALGO in NVIDIA's documentation of its environment variables (Tree, Ring,
// CollnetDirect, CollnetChain, NVLS, NVLSTree, PAT), of which rings and double binary trees are
// simulated; trees are for all-reduces alone, broadcasts and reduces go along a ring, which is a
// chain, and all-to-alls are sends and receives. It has no halving and doubling, and hierarchical
// rings are what frameworks put together of several of its collectives.
// MPI: the algorithms of Open MPI's components tuned and han (docs.open-mpi.org, tuning
// collectives): rings, Rabenseifner's halving and doubling, binomial trees, chains, pairwise
// exchange, and levels by node. Gloo (docs/algorithms.md of pytorch/gloo) has a part of them:
// rings, halving and doubling, and pairwise exchange; broadcasts are binomial trees. Neither has
// double binary trees, nor NCCL's tuner.

#include "models/collective/libraries/collective_library.hpp"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <string>
#include <string_view>

namespace stepcast {
namespace {

bool nccl_has(Algorithm algorithm, CollectiveKind kind) {
  switch (algorithm) {
    case Algorithm::Ring:
    case Algorithm::Pairwise:
    case Algorithm::Chain:
    case Algorithm::Direct:
    case Algorithm::Nccl:
      return true;
    case Algorithm::DoubleBinaryTree:
      return kind == CollectiveKind::AllReduce;
    case Algorithm::HierarchicalRing:
    case Algorithm::HalvingDoubling:
    case Algorithm::Star:
    case Algorithm::BinomialTree:
      return false;
  }
  assert(false);
  return false;
}

bool mpi_has(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::Ring:
    case Algorithm::HierarchicalRing:
    case Algorithm::HalvingDoubling:
    case Algorithm::Pairwise:
    case Algorithm::Chain:
    case Algorithm::BinomialTree:
    case Algorithm::Direct:
      return true;
    case Algorithm::DoubleBinaryTree:
    case Algorithm::Star:
    case Algorithm::Nccl:
      return false;
  }
  assert(false);
  return false;
}

bool gloo_has(Algorithm algorithm) {
  return mpi_has(algorithm) && algorithm != Algorithm::HierarchicalRing &&
         algorithm != Algorithm::Chain;
}

/// Whether the provenance names a word, in whatever case.
bool names(const Provenance& provenance, std::string_view word) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  for (const std::string* text : {&provenance.source, &provenance.method})
    if (std::search(text->begin(), text->end(), word.begin(), word.end(), same) != text->end())
      return true;
  return false;
}

}  // namespace

const char* name_of(CollectiveLibrary library) {
  switch (library) {
    case CollectiveLibrary::Nccl:
      return "NCCL";
    case CollectiveLibrary::Mpi:
      return "MPI";
    case CollectiveLibrary::Gloo:
      return "Gloo";
  }
  assert(false);
  return "";
}

CollectiveLibrary library_of(const Cluster& cluster) {
  using enum CollectiveLibrary;
  if (!cluster.measured || cluster.measured->nccl)
    return Nccl;
  const Provenance& measured = cluster.measured->provenance;
  if (names(measured, "nccl"))
    return Nccl;
  if (names(measured, "gloo"))
    return Gloo;
  return names(measured, "mpi") || names(measured, "osu") ? Mpi : Nccl;
}

bool has_algorithm(CollectiveLibrary library, Algorithm algorithm, CollectiveKind kind) {
  if (!supports(algorithm, kind))
    return false;
  switch (library) {
    case CollectiveLibrary::Nccl:
      return nccl_has(algorithm, kind);
    case CollectiveLibrary::Mpi:
      return mpi_has(algorithm);
    case CollectiveLibrary::Gloo:
      return gloo_has(algorithm);
  }
  assert(false);
  return false;
}

}  // namespace stepcast
