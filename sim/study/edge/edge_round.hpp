#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// A device that trains a part of a model, its block, and sends it by radio.
struct EdgeDevice {
  std::string name;
  Seconds compute{};      ///< Time of its block in a round: work over speed.
  Bytes size{};           ///< The block, which it sends in a round.
  BytesPerSecond rate{};  ///< Of its channel if it had the whole band.
  Seconds start{};        ///< Fixed time of a round in which it has a block.

  bool takes_part() const { return size > Bytes{} || compute > Seconds{}; }
  Seconds before_upload() const { return takes_part() ? start + compute : Seconds{}; }
};

/// What a device trains and gets of the band, and how long its round takes with it.
struct EdgeShare {
  Bytes block{};
  double share = 0;
  Seconds compute{};
  Seconds upload{};
  Seconds round{};  ///< 0 of a device that is left out.
};

/// A round of all devices, which waits for the slowest.
struct EdgeRound {
  std::vector<EdgeShare> devices;  ///< In the order of the devices.
  Seconds time{};
};

/// Returns the round with the blocks as given and the band cut in equal parts.
EdgeRound equal_round(const std::vector<EdgeDevice>& devices);

/// Returns the round with the blocks as given and the shares w, of sum 1, that make max over i of
/// before_upload_i + size_i / (w_i rate_i) least: all devices that send end together (partitioned
/// edge learning: Wen, Bennis, Huang, IEEE TWC 2020), at the T for which the sum of size_i /
/// (rate_i (T - before_upload_i)) is 1, unless one that sends nothing computes longer. Newton's
/// method on a falling, convex sum: linear in devices, tens of steps.
EdgeRound best_round(const std::vector<EdgeDevice>& devices);

/// Returns the same devices with blocks of one size. The compute of a block follows its size. A
/// device that sends nothing keeps its work.
std::vector<EdgeDevice> with_equal_blocks(std::vector<EdgeDevice> devices);

/// Returns the round with equal shares and the blocks x, of the sum of all sizes, with which all
/// devices that have one end together: x_i = (T - start_i) g_i, g_i = 1 / (a_i + 1 / (w_i rate_i)),
/// a_i = compute_i / size_i, T = (sum of sizes + sum g start) / sum g over those with T > start.
EdgeRound best_blocks_round(const std::vector<EdgeDevice>& devices);

/// Returns the round with blocks and shares chosen together (joint parameter-and-bandwidth
/// allocation of the same authors). For a given T the shares that let most bytes through give equal
/// (T - start_i) rate_i / (1 + a_i rate_i w_i)^2 to all devices that take part, and T follows from
/// them as in best_blocks_round(): Newton's method on a rising, convex function of T, exact in one
/// step where no device has a start. A device is left out, with neither block nor share, for its
/// rate (and start) alone, never for slow computing. O(devices log devices) a step.
EdgeRound joint_round(const std::vector<EdgeDevice>& devices);

/// A CSV table with the columns device, work_flops, speed_flops_per_s, size_bytes,
/// rate_bytes_per_s and, if there is one, start_s. Throws InputError naming file, line and column.
std::vector<EdgeDevice> read_edge_devices(const std::filesystem::path& path);
std::vector<EdgeDevice> parse_edge_devices(std::string_view text, const std::string& origin);

}  // namespace stepcast
