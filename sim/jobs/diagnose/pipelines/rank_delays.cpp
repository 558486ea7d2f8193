#include "sim/jobs/diagnose/pipelines/rank_delays.hpp"

#include <algorithm>

namespace stepcast {

double most_uneven(const std::vector<double>& delays, const Job& job) {
  std::vector<double> sums(job.stages), counts(job.stages), most(job.stages);
  for (std::size_t rank = 0; rank < delays.size(); ++rank) {
    const std::uint32_t stage = job.ranks[rank].stage;
    sums[stage] += delays[rank];
    counts[stage] += 1;
    most[stage] = std::max(most[stage], delays[rank]);
  }
  double uneven = 0;
  for (std::uint32_t stage = 0; stage < job.stages; ++stage)
    uneven = std::max(uneven, most[stage] - sums[stage] / counts[stage]);
  return uneven;
}

}  // namespace stepcast
