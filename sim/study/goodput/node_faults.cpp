#include "sim/study/goodput/node_faults.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "models/base/mix.hpp"
#include "models/base/statistics.hpp"

// Draws are counter-based: (seed, node, purpose, number). Costs O(outages log outages).

namespace stepcast {
namespace {

enum Purpose : std::uint64_t { kFrailty = 1, kUp, kRepair, kServer, kLevel };

/// A stream of draws of one purpose.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t node, Purpose purpose)
      : key_(mixed(mixed(seed, node), purpose)) {}

  double uniform() { return (static_cast<double>(mixed(key_, next_++) >> 11U) + 0.5) * 0x1p-53; }
  double exponential() { return -std::log(uniform()); }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  // Marsaglia and Tsang 2000; below 1 by the power of a uniform.
  double gamma(double shape) {
    if (shape < 1)
      return gamma(shape + 1) * std::pow(uniform(), 1 / shape);
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal(), v = std::pow(1 + c * x, 3);
      if (v > 0 && std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
        return d * v;
    }
  }

 private:
  std::uint64_t key_;
  std::uint64_t next_ = 0;
};

void sort_by_begin(std::vector<Outage>& outages) {
  std::ranges::stable_sort(outages, {}, &Outage::begin);
}

double variance_of(const std::vector<double>& values, double mean) {
  double sum = 0;
  for (const double value : values)
    sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

constexpr std::size_t kParts = 6;
constexpr std::uint64_t kOutlooks = 4000;

std::vector<double> faults_by_part(const RecordedFleet& fleet) {
  std::vector<double> counts(kParts);
  for (const Outage& outage : fleet.outages) {
    const auto part = static_cast<std::size_t>(outage.begin / fleet.length * kParts);
    ++counts[std::min(part, kParts - 1)];
  }
  return counts;
}

// Poisson by exponential gaps; beyond a few hundred by the normal that it then is.
double poisson(Draws& draws, double mean) {
  if (mean > 400)
    return std::max(0.0, std::round(mean + std::sqrt(mean) * draws.normal()));
  double count = 0;
  for (double time = draws.exponential(); time < mean; time += draws.exponential())
    ++count;
  return count;
}

// The level of a part is gamma with variance (dispersion - 1) x mean; the mean itself is known from
// as many parts as are to come.
FaultBand band_of(double faults, double dispersion) {
  std::vector<double> totals;
  const double mean = faults / kParts;
  const auto level = [&](Draws& draws, double around, double variance) {
    return variance > 0 ? draws.gamma(around * around / variance) * variance / around : around;
  };
  for (std::uint64_t i = 0; i < kOutlooks; ++i) {
    Draws draws(1, i, kLevel);
    const double known = level(draws, mean, dispersion * mean / kParts);
    double total = 0;
    for (std::size_t part = 0; part < kParts; ++part)
      total += poisson(draws, level(draws, known, (dispersion - 1) * known));
    totals.push_back(total);
  }
  std::ranges::sort(totals);
  return {quantile_of_sorted(totals, 0.05), quantile_of_sorted(totals, 0.95)};
}

}  // namespace

std::vector<Outage> draw_outages(const NodeFaults& faults, std::uint32_t nodes, Seconds length,
                                 std::uint64_t seed) {
  std::vector<Outage> outages;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    Draws frailty(seed, node, kFrailty), up(seed, node, kUp), repair(seed, node, kRepair);
    const double rate =
        faults.frailty_shape > 0 ? frailty.gamma(faults.frailty_shape) / faults.frailty_shape : 1;
    if (rate <= 0)
      continue;
    for (Seconds time = faults.mtbf * (up.exponential() / rate); time < length;) {
      const Seconds end =
          time +
          faults.median_repair *
              (faults.repair_sigma > 0 ? std::exp(faults.repair_sigma * repair.normal()) : 1);
      outages.push_back({node, time, end});
      time = end + faults.mtbf * (up.exponential() / rate);
    }
  }
  sort_by_begin(outages);
  return outages;
}

Seconds mean_repair(const NodeFaults& faults) {
  return faults.median_repair * std::exp(faults.repair_sigma * faults.repair_sigma / 2);
}

std::vector<Outage> sample_outages(const RecordedFleet& fleet, std::uint32_t nodes,
                                   std::uint64_t seed) {
  constexpr std::uint32_t kLeftOut = 0xffffffff;
  std::vector<std::uint32_t> servers(fleet.servers), number(fleet.servers, kLeftOut);
  std::iota(servers.begin(), servers.end(), 0U);
  Draws draws(seed, 0, kServer);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const auto left = static_cast<double>(fleet.servers - i);
    const auto other = i + static_cast<std::uint32_t>(draws.uniform() * left);
    std::swap(servers[i], servers[other]);
    number[servers[i]] = i;
  }
  std::vector<Outage> outages;
  for (const Outage& outage : fleet.outages)
    if (number[outage.node] != kLeftOut)
      outages.push_back({number[outage.node], outage.begin, outage.end});
  return outages;
}

NodeFaults fitted_to(const RecordedFleet& fleet) {
  std::vector<double> by_server(fleet.servers), repairs;
  for (const Outage& outage : fleet.outages) {
    ++by_server[outage.node];
    if (outage.end > outage.begin)
      repairs.push_back(std::log((outage.end - outage.begin).value));
  }
  const double mean = mean_of(by_server);
  const double excess = variance_of(by_server, mean) / mean - 1;
  const double location = repairs.empty() ? 0 : mean_of(repairs);
  return {.mtbf = fleet.length / mean,
          .frailty_shape = excess > 0 ? mean / excess : 0,
          .median_repair = {repairs.empty() ? 0 : std::exp(location)},
          .repair_sigma = repairs.size() < 2 ? 0 : std::sqrt(variance_of(repairs, location))};
}

FaultOutlook outlook_of(const RecordedFleet& fleet) {
  const std::vector<double> counts = faults_by_part(fleet);
  const double mean = mean_of(counts);
  FaultOutlook outlook{.faults = mean * kParts,
                       .dispersion = std::max(1.0, variance_of(counts, mean) / mean)};
  outlook.poisson = band_of(outlook.faults, 1);
  outlook.bursts = band_of(outlook.faults, outlook.dispersion);
  constexpr double kChiSquared = 11.07;  // 95 % of five degrees of freedom
  outlook.trust_bursts = outlook.dispersion * (kParts - 1) > kChiSquared;
  return outlook;
}

}  // namespace stepcast
