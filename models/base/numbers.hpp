#pragma once
// How all sentences and reports write numbers.

#include <cstdint>
#include <string>

#include "models/base/units.hpp"

namespace stepcast {

/// "283.21", for a column that says ms.
std::string milliseconds(Seconds time, int decimals = 2);

/// 0.8095 as "81.0 %".
std::string percent(double share);

std::string gbps(BytesPerSecond bandwidth);  ///< "2.5 Gb/s"

/// "64 GPUs", "1 GPU"
std::string gpus_in_words(std::uint32_t count);

}  // namespace stepcast
