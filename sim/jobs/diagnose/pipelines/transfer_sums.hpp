#pragma once

#include "sim/jobs/diagnose/pipelines/pipeline_record.hpp"

namespace stepcast {

/// Sums of delays leave rounding behind.
inline Seconds tidy(double time) {
  constexpr double kNone = 1e-12;
  return Seconds{time > kNone ? time : 0};
}

/// Transfers as they are added up.
struct TransferSum {
  double count = 0;
  double time = 0;
  double bytes = 0;
  bool sized = true;
  bool scatters = false;

  RecordedTransfers mean(double over) const {
    RecordedTransfers of{.count = count / over, .scatters = scatters};
    if (count > 0)
      of.time = Seconds{time / count};
    if (count > 0 && sized)
      of.bytes = Bytes{bytes / over};
    return of;
  }
};

struct StageSum {
  double update = 0;
  double before_sums = 0;
  double once = 0;
  TransferSum sums, parameters, message;
};

}  // namespace stepcast
