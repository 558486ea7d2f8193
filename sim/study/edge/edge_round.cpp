#include "sim/study/edge/edge_round.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stepcast {
namespace {

EdgeRound round_with(const std::vector<EdgeDevice>& devices, const std::vector<double>& shares) {
  EdgeRound round;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const EdgeDevice& device = devices[i];
    const Seconds upload =
        device.size > Bytes{} ? device.size / (device.rate * shares[i]) : Seconds{};
    const Seconds time = device.before_upload() + upload;
    round.devices.push_back({device.size, shares[i], device.compute, upload, time});
    round.time = std::max(round.time, time);
  }
  return round;
}

// What a device needs of the band to end at `time`.
double share_needed(const EdgeDevice& device, Seconds time) {
  if (device.size == Bytes{})
    return 0;
  return std::min(1.0, device.size / device.rate / (time - device.before_upload()));
}

// The soonest that a device can end, with the whole band; behind its compute even where the upload
// is lost in rounding.
Seconds alone(const EdgeDevice& device) {
  const Seconds before = device.before_upload();
  if (device.size == Bytes{})
    return before;
  const double infinity = std::numeric_limits<double>::infinity();
  return std::max(before + device.size / device.rate,
                  Seconds{std::nextafter(before.value, infinity)});
}

// The sum of shares falls with T and is convex, so Newton's steps from the left of its root rise to
// it and never pass it. Left of it is where the device that then needs most alone takes the band.
Seconds time_of_best(const std::vector<EdgeDevice>& devices) {
  Seconds time{};
  for (const EdgeDevice& device : devices)
    time = std::max(time, alone(device));
  constexpr int kMostSteps = 200;
  for (int step = 0; step < kMostSteps; ++step) {
    double sum = 0;
    double slope = 0;  // of the sum, negated
    for (const EdgeDevice& device : devices) {
      const double share = share_needed(device, time);
      sum += share;
      if (share > 0)
        slope += share / (time - device.before_upload()).value;
    }
    if (sum <= 1 || slope == 0)
      return time;
    const Seconds next = time + Seconds{(sum - 1) / slope};
    if (!(next > time))
      return time;
    time = next;
  }
  return time;
}

}  // namespace

EdgeRound equal_round(const std::vector<EdgeDevice>& devices) {
  return round_with(devices,
                    std::vector<double>(devices.size(), 1 / static_cast<double>(devices.size())));
}

EdgeRound best_round(const std::vector<EdgeDevice>& devices) {
  const Seconds time = time_of_best(devices);
  std::vector<double> shares;
  for (const EdgeDevice& device : devices)
    shares.push_back(share_needed(device, time));
  return round_with(devices, shares);
}

}  // namespace stepcast
