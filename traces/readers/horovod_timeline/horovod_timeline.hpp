#pragma once

#include <map>
#include <string>
#include <vector>

#include "traces/readers/reader.hpp"

namespace stepcast {

/// One tensor of a Horovod timeline.
struct HorovodTensor {
  std::string name;
  std::uint64_t elements = 0;  ///< 0: the timeline has no shapes.
  std::vector<Seconds> ready;  ///< Once a step.
};

struct HorovodTimeline {
  std::vector<HorovodTensor> tensors;  ///< In order of their first appearance.
  std::map<std::string, std::pair<Seconds, std::uint64_t>> activities;  ///< Time and count by name.
};

/// Throws InputError that begins with the file's origin. What does not fit together is counted.
HorovodTimeline read_horovod_timeline(const TraceStream& file, ImportReport& report);

}  // namespace stepcast
