#include "sim/validate/probe/cuda/team.hpp"

#include <cstdlib>
#include <exception>
#include <initializer_list>

#include "sim/validate/probe/cuda/solo_team.hpp"

#ifdef STEPCAST_HAS_MPI
#include <mpi.h>
#endif

namespace stepcast {

#ifdef STEPCAST_HAS_MPI
namespace {

constexpr int kMissingHardware = 3;

/// The ranks of MPI_COMM_WORLD.
class MpiTeam final : public Team {
 public:
  MpiTeam() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank_on_node_);
    MPI_Comm_free(&node);
    const int first_of_node = rank_on_node_ == 0 ? 1 : 0;
    MPI_Allreduce(&first_of_node, &nodes_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;
  ~MpiTeam() override {
    // An error that the others do not know of would leave them waiting for ever.
    if (std::uncaught_exceptions() > 0 && !together_)
      MPI_Abort(MPI_COMM_WORLD, kMissingHardware);
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

  void stop_together() override { together_ = true; }

 private:
  int rank_ = 0;
  int size_ = 1;
  int rank_on_node_ = 0;
  int nodes_ = 1;
  bool together_ = false;
};

/// Set by the launchers of Open MPI, MPICH (and Intel MPI) and by PMIx.
bool started_by_mpi() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    if (std::getenv(variable) != nullptr)
      return true;
  return false;
}

}  // namespace
#endif

std::unique_ptr<Team> make_team() {
#ifdef STEPCAST_HAS_MPI
  if (started_by_mpi())
    return std::make_unique<MpiTeam>();
#endif
  return std::make_unique<SoloTeam>();
}

}  // namespace stepcast
