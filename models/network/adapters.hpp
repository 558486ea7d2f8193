#pragma once

#include <string>

#include "models/network/cluster.hpp"

namespace stepcast {

/// A bandwidth in bits, as adapters are sold: "25 Gb/s", "888.8 Mb/s".
std::string bits_per_second(BytesPerSecond bandwidth);

/// The adapters of a node: "8 x 25 Gb/s", "25 Gb/s".
std::string adapters_of(const Cluster& cluster);

/// With what they carry together, where they are several or its GPUs' processes fill less:
/// "8 x 25 Gb/s, 200 Gb/s in total".
std::string adapters_in_words(const Cluster& cluster);

}  // namespace stepcast
