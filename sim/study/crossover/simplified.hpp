#pragma once
// The job of a crossover with one thing after another left out, down to what counting bytes says.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/crossover/crossover.hpp"

namespace stepcast {

/// What is simulated; each leaves out one thing more than the one before.
enum class CrossoverModel : std::uint8_t { Whole, FreeSelection, NoStartups, NoOverlap, OwnNics };
inline constexpr std::array kCrossoverModels{CrossoverModel::Whole, CrossoverModel::FreeSelection,
                                             CrossoverModel::NoStartups, CrossoverModel::NoOverlap,
                                             CrossoverModel::OwnNics};

/// "simulated", "free selection"
const char* name_of(CrossoverModel model);

/// One network of the grid.
struct CrossoverNetwork {
  std::uint32_t nodes = 1;
  std::uint32_t gpus_per_node = 1;
  BytesPerSecond bandwidth{};

  std::uint32_t ranks() const { return nodes * gpus_per_node; }
};

/// Step times on one network with one model. Refers to the grid.
class CrossoverSimulator {
 public:
  CrossoverSimulator(const CrossoverGrid& grid, const CrossoverNetwork& network,
                     CrossoverModel model);

  Seconds time_of(const std::string& schedule, double density) const;
  Notes notes_on(const std::string& schedule, double density) const;
  LikelyRange range_of(const std::string& schedule) const;

 private:
  /// The schedule that stands for it in this model.
  std::string simplified(const std::string& schedule) const;
  Workload workload_of(const std::string& schedule, double density) const;
  /// Refers to the workload.
  ScheduledJob job_of(const Workload& workload, const std::string& schedule, double density) const;
  ScheduleOptions options_of(const std::string& schedule, double density) const;

  const CrossoverGrid& grid_;
  CrossoverModel model_;
  Cluster cluster_;
};

}  // namespace stepcast
