#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// A device that trains a part of a model and sends it by radio.
struct EdgeDevice {
  std::string name;
  Seconds compute{};      ///< Of its part in a round: work over speed.
  Bytes size{};           ///< That it sends in a round.
  BytesPerSecond rate{};  ///< Of its channel if it had the whole band.
};

/// What a device gets of the band, and how long its round takes with it.
struct EdgeShare {
  double share = 0;
  Seconds upload{};
  Seconds round{};
};

/// A round of all devices, which waits for the slowest.
struct EdgeRound {
  std::vector<EdgeShare> devices;  ///< In the order of the devices.
  Seconds time{};
};

/// The band cut in equal parts.
EdgeRound equal_round(const std::vector<EdgeDevice>& devices);

/// The shares w, of sum 1, that make max over i of compute_i + size_i / (w_i rate_i) least: all
/// devices that send end together (partitioned edge learning: Wen, Bennis, Huang, IEEE TWC 2020),
/// at the T for which the sum of size_i / (rate_i (T - compute_i)) is 1, unless one that sends
/// nothing computes longer. Newton's method on a falling, convex sum: linear in devices, tens of
/// steps.
EdgeRound best_round(const std::vector<EdgeDevice>& devices);

/// A CSV table with the columns device, work_flops, speed_flops_per_s, size_bytes,
/// rate_bytes_per_s. Throws InputError naming file, line and column.
std::vector<EdgeDevice> read_edge_devices(const std::filesystem::path& path);
std::vector<EdgeDevice> parse_edge_devices(std::string_view text, const std::string& origin);

}  // namespace stepcast
