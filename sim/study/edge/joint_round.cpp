// Blocks of a model and shares of a radio band, chosen together.
//
// Device i with the share w of the band passes g_i(w) = 1 / (a_i + 1 / (w R_i)) bytes in a second
// of its round behind its fixed start c_i: each byte takes a_i to compute and 1 / (w R_i) to send.
// In a round of length T all devices together pass sum (T - c_i) g_i(w_i) bytes, which must be the
// model. g is concave, so the best shares for a T fill the band until the gain of a further share,
// (T - c_i) g_i'(w) = v_i / (1 + a_i R_i w)^2 with v_i = (T - c_i) R_i, is the same for all that
// have one and no larger for the others: w_i = (mu sqrt(v_i) - 1) / (a_i R_i), where 1 / mu^2 is
// that gain. Source: Wen, Bennis, Huang, "Joint Parameter-and-Bandwidth Allocation for Improving
// the Efficiency of Partitioned Edge Learning", IEEE TWC 2020. The closed form of the shares is
// derived here.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/study/edge/edge_round.hpp"

namespace stepcast {
namespace {

/// A device whose block may have any size.
struct Trainer {
  double start = 0;    // s
  double work = 0;     // s for each byte of its block
  double rate = 0;     // bytes/s with the whole band
  std::size_t at = 0;  // among the devices

  /// Compute of a byte over its upload with the whole band.
  double weight() const { return work * rate; }
  double bytes_per_second(double share) const {
    return share > 0 ? 1 / (work + 1 / (share * rate)) : 0;
  }
};

std::vector<Trainer> trainers_of(const std::vector<EdgeDevice>& devices) {
  std::vector<Trainer> trainers;
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (const EdgeDevice& device = devices[i]; device.size > Bytes{})
      trainers.push_back({.start = device.start.value,
                          .work = device.compute.value / device.size.value,
                          .rate = device.rate.value,
                          .at = i});
  return trainers;
}

Bytes size_of(const std::vector<EdgeDevice>& devices) {
  Bytes size{};
  for (const EdgeDevice& device : devices)
    size += device.size;
  return size;
}

std::vector<std::size_t> sorted_by(std::size_t count, const auto& less) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, less);
  return order;
}

// Returns the T at which devices with these shares have passed all bytes.
double time_of(const std::vector<Trainer>& trainers, const std::vector<double>& shares,
               Bytes bytes) {
  const auto order = sorted_by(trainers.size(), [&](std::size_t a, std::size_t b) {
    return trainers[a].start < trainers[b].start;
  });
  double rates = 0, ahead = bytes.value;
  for (const std::size_t i : order) {
    const double rate = trainers[i].bytes_per_second(shares[i]);
    if (rate == 0)
      continue;
    if (rates > 0 && ahead / rates <= trainers[i].start)
      break;
    rates += rate;
    ahead += rate * trainers[i].start;
  }
  return ahead / rates;
}

// Below this weight the compute of a device is lost beside its upload, and of such devices only the
// one with the best channel sends.
constexpr double kNoCompute = 1e-9;

// Returns the shares with which most bytes pass in a round of this length.
std::vector<double> shares_at(const std::vector<Trainer>& trainers, double time) {
  std::vector<double> values;  // v_i, the gain of the first share
  for (const Trainer& each : trainers)
    values.push_back(std::max(0.0, time - each.start) * each.rate);
  const auto order = sorted_by(trainers.size(),
                               [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  double sum = 1, slope = 0, mu = 0;
  std::vector<double> shares(trainers.size());
  std::vector<std::size_t> filled;
  std::size_t rest = trainers.size();  // the one without compute, which takes what is left
  for (const std::size_t i : order) {
    const double root = std::sqrt(values[i]), weight = trainers[i].weight();
    if (root == 0 || (!filled.empty() && mu * root <= 1))
      break;
    if (weight <= kNoCompute) {
      rest = i;
      mu = 1 / root;
      break;
    }
    sum += 1 / weight;
    slope += root / weight;
    mu = sum / slope;
    filled.push_back(i);
  }
  double given = 0;
  for (const std::size_t i : filled) {
    shares[i] = std::max(0.0, (mu * std::sqrt(values[i]) - 1) / trainers[i].weight());
    given += shares[i];
  }
  if (rest < trainers.size())
    shares[rest] = std::max(0.0, 1 - given);
  else
    for (double& share : shares)
      share /= given;  // small weights cost digits
  return shares;
}

EdgeRound round_of(const std::vector<EdgeDevice>& devices, const std::vector<Trainer>& trainers,
                   const std::vector<double>& shares) {
  EdgeRound round{.devices = std::vector<EdgeShare>(devices.size())};
  const double time = time_of(trainers, shares, size_of(devices));
  for (std::size_t k = 0; k < trainers.size(); ++k) {
    const Trainer& each = trainers[k];
    const double block = each.bytes_per_second(shares[k]) * std::max(0.0, time - each.start);
    if (block > 0)
      round.devices[each.at] = {.block = Bytes{block},
                                .share = shares[k],
                                .compute = Seconds{each.work * block},
                                .upload = Seconds{block / (shares[k] * each.rate)},
                                .round = Seconds{time}};
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    EdgeShare& each = round.devices[i];
    if (devices[i].size == Bytes{})
      each = {.compute = devices[i].compute, .round = devices[i].before_upload()};
    round.time = std::max(round.time, each.round);
  }
  return round;
}

}  // namespace

std::vector<EdgeDevice> with_equal_blocks(std::vector<EdgeDevice> devices) {
  const auto parts = std::ranges::count_if(
      devices, [](const EdgeDevice& device) { return device.size > Bytes{}; });
  const Bytes all = size_of(devices);
  for (EdgeDevice& device : devices)
    if (device.size > Bytes{}) {
      const Bytes block = all / static_cast<double>(parts);
      device.compute = device.compute * (block / device.size);
      device.size = block;
    }
  return devices;
}

EdgeRound best_blocks_round(const std::vector<EdgeDevice>& devices) {
  const std::vector<Trainer> trainers = trainers_of(devices);
  if (trainers.empty())
    return equal_round(devices);
  return round_of(devices, trainers,
                  std::vector<double>(trainers.size(), 1 / static_cast<double>(devices.size())));
}

EdgeRound joint_round(const std::vector<EdgeDevice>& devices) {
  const std::vector<Trainer> trainers = trainers_of(devices);
  if (trainers.empty())
    return best_round(devices);
  const Bytes bytes = size_of(devices);
  std::vector<double> shares(trainers.size(), 1 / static_cast<double>(trainers.size()));
  double time = time_of(trainers, shares, bytes);
  constexpr int kMostSteps = 200;
  for (int step = 0; step < kMostSteps; ++step) {
    std::vector<double> better = shares_at(trainers, time);
    const double sooner = time_of(trainers, better, bytes);
    if (!(sooner < time))
      break;
    time = sooner;
    shares = std::move(better);
  }
  return round_of(devices, trainers, shares);
}

}  // namespace stepcast
