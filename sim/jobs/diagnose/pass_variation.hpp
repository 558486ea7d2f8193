#pragma once

#include "sim/jobs/job_replay.hpp"

namespace stepcast {

/// How the passes of a rank differ from each other, micro-batch by micro-batch.
struct PassVariation {
  double correlation =
      0;            ///< Of a micro-batch's forward and backward time, each less its rank's mean.
  double step = 0;  ///< Seconds: the step if each pass took its rank's mean.
  double step_forward = 0;  ///< The same with the forward passes alone so.
  double uneven_stages =
      0;  ///< The step if each pass took its stage's mean and all else its ideal.
};

PassVariation pass_variation(const JobReplay& replay);

}  // namespace stepcast
