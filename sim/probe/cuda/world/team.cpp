#include "sim/probe/cuda/world/team.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "sim/probe/hardware_error.hpp"
#include "sim/probe/launcher.hpp"

#ifdef STEPCAST_HAS_MPI
#include <mpi.h>
#endif

namespace stepcast {
namespace {

/// One process.
class SoloTeam final : public ProcessTeam {
 public:
  std::uint32_t rank() const override { return 0; }
  std::uint32_t size() const override { return 1; }
  std::uint32_t rank_on_node() const override { return 0; }
  std::uint32_t nodes() const override { return 1; }
  double largest(double value) override { return value; }
  void barrier() override {}
  void broadcast(void* /*data*/, std::size_t /*bytes*/) override {}
  bool all_differ_on_node(std::uint64_t /*key*/) override { return true; }
  void give_up(const std::string& /*why*/, int /*exit_code*/) noexcept override {}
};

#ifdef STEPCAST_HAS_MPI

// Rank 0 speaks first, and for all if they failed alike.
constexpr std::chrono::seconds kAfterRankZero{2};

/// The ranks of MPI_COMM_WORLD.
class MpiTeam final : public ProcessTeam {
 public:
  MpiTeam() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_);
    MPI_Comm_rank(node_, &rank_on_node_);
    const int first_of_node = rank_on_node_ == 0 ? 1 : 0;
    MPI_Allreduce(&first_of_node, &nodes_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;
  ~MpiTeam() override {
    MPI_Comm_free(&node_);
    MPI_Finalize();
  }

  std::uint32_t rank() const override { return static_cast<std::uint32_t>(rank_); }
  std::uint32_t size() const override { return static_cast<std::uint32_t>(size_); }
  std::uint32_t rank_on_node() const override { return static_cast<std::uint32_t>(rank_on_node_); }
  std::uint32_t nodes() const override { return static_cast<std::uint32_t>(nodes_); }

  double largest(double value) override {
    double result = 0;
    MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return result;
  }

  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }

  void broadcast(void* data, std::size_t bytes) override {
    MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
  }

  bool all_differ_on_node(std::uint64_t key) override {
    int ranks = 0;
    MPI_Comm_size(node_, &ranks);
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(ranks));
    MPI_Allgather(&key, 1, MPI_UINT64_T, keys.data(), 1, MPI_UINT64_T, node_);
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) == keys.end();
  }

  void give_up(const std::string& why, int exit_code) noexcept override {
    if (rank_ > 0)
      std::this_thread::sleep_for(kAfterRankZero);
    std::fprintf(stderr, rank_ == 0 ? "stepcast-probe: %s\n" : "stepcast-probe (a rank): %s\n",
                 why.c_str());
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  }

 private:
  int rank_ = 0;
  int size_ = 1;
  int rank_on_node_ = 0;
  int nodes_ = 1;
  MPI_Comm node_ = MPI_COMM_NULL;
};

#endif

}  // namespace

std::unique_ptr<ProcessTeam> make_team() {
  const Launcher launcher = launcher_of_environment();
  if (launcher.ranks == 1)
    return std::make_unique<SoloTeam>();
#ifdef STEPCAST_HAS_MPI
  return std::make_unique<MpiTeam>();
#else
  throw HardwareError(launcher.rank > 0
                          ? ""
                          : "started by an MPI launcher, but built without MPI (STEPCAST_MPI): "
                            "one process on one node works");
#endif
}

}  // namespace stepcast
