#include "models/collective/libraries/collective_library.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

using enum Algorithm;
using enum CollectiveKind;

// NCCL_ALGO knows Ring and Tree (beside CollNet, NVLS and PAT, which are not simulated).
TEST(CollectiveLibrary, NcclHasNoHalvingAndDoubling) {
  const auto has = [](Algorithm algorithm, CollectiveKind kind) {
    return has_algorithm(CollectiveLibrary::Nccl, algorithm, kind);
  };
  EXPECT_TRUE(has(Ring, AllReduce));
  EXPECT_TRUE(has(DoubleBinaryTree, AllReduce));
  EXPECT_TRUE(has(Nccl, AllReduce));
  EXPECT_FALSE(has(HalvingDoubling, AllReduce));
  EXPECT_FALSE(has(HierarchicalRing, AllReduce));
  EXPECT_FALSE(has(HalvingDoubling, ReduceScatter));
  EXPECT_TRUE(has(Chain, Broadcast));
  EXPECT_FALSE(has(DoubleBinaryTree, Broadcast));
  EXPECT_FALSE(has(BinomialTree, Broadcast));
  EXPECT_FALSE(has(Nccl, AllToAll));
}

TEST(CollectiveLibrary, MpiAndGlooHaveHalvingAndDoublingAndNoTreesOfNccl) {
  for (const auto library : {CollectiveLibrary::Mpi, CollectiveLibrary::Gloo}) {
    EXPECT_TRUE(has_algorithm(library, HalvingDoubling, AllReduce)) << name_of(library);
    EXPECT_TRUE(has_algorithm(library, BinomialTree, Broadcast)) << name_of(library);
    EXPECT_FALSE(has_algorithm(library, DoubleBinaryTree, AllReduce)) << name_of(library);
    EXPECT_FALSE(has_algorithm(library, Nccl, AllReduce)) << name_of(library);
  }
  EXPECT_TRUE(has_algorithm(CollectiveLibrary::Mpi, HierarchicalRing, AllReduce));
  EXPECT_FALSE(has_algorithm(CollectiveLibrary::Gloo, HierarchicalRing, AllReduce));
}

TEST(CollectiveLibrary, MeasuredCurvesSayWhichItIs) {
  Cluster cluster;
  EXPECT_EQ(library_of(cluster), CollectiveLibrary::Nccl);
  const auto measured_by = [&](const char* source) {
    cluster.measured = {.name = "made", .provenance = {.source = source}};
    return library_of(cluster);
  };
  EXPECT_EQ(measured_by("OSU micro-benchmarks 5.7 (MPI-CUDA all-reduce)"), CollectiveLibrary::Mpi);
  EXPECT_EQ(measured_by("Gloo's benchmark over TCP"), CollectiveLibrary::Gloo);
  EXPECT_EQ(measured_by("sample logs of nccl-tests, by mpirun"), CollectiveLibrary::Nccl);
  EXPECT_EQ(measured_by("somebody's"), CollectiveLibrary::Nccl);
  cluster.measured->nccl = NodePath::NvLink;
  EXPECT_EQ(library_of(cluster), CollectiveLibrary::Nccl);
}

}  // namespace
}  // namespace stepcast
