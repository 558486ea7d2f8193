#include "models/device/gemm_law.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <random>

namespace stepcast {
namespace {

struct Tile {
  double m = 0;
  double n = 0;
};

constexpr std::array kTiles{Tile{256, 128}, Tile{128, 256}, Tile{128, 128}, Tile{128, 64},
                            Tile{64, 128},  Tile{64, 64},   Tile{32, 32}};
constexpr double kNever = 1e9;  // terms, more than a sum has
constexpr std::array kSplits{1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};

Seconds time_of(const GemmLaw& law, const KernelShape& shape, Tile tile, double split) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const double efficiency = 1 / (1 + law.tile_overhead * (1 / tile.m + 1 / tile.n));
  const double reached = efficiency * (is_aligned(shape) ? 1 : law.misaligned);
  const FlopsPerSecond slot{law.peak.value * reached / law.slots};
  const double blocks = std::ceil(m / tile.m) * std::ceil(n / tile.n) * split;
  const Seconds block = law.block + Flops{2 * tile.m * tile.n * k / split} / slot;
  const double part = std::max(1.0, m / tile.m) * std::max(1.0, n / tile.n) * split / law.slots;
  const double waves = law.quantisation * std::ceil(blocks / law.slots) +
                       (1 - law.quantisation) * std::max(1.0, part);
  const Seconds compute = block * waves;
  const Seconds sums =
      split > 1 ? law.split + Bytes{2 * 4 * m * n * split} / law.bandwidth : Seconds{};
  return law.launch + std::max(compute, traffic_of(shape) / law.bandwidth) + sums;
}

/// Parts are long enough, and half as many would leave slots idle.
bool may_split(const GemmLaw& law, const KernelShape& shape, Tile tile, double split) {
  const double tiles = std::ceil(static_cast<double>(shape.m) / tile.m) *
                       std::ceil(static_cast<double>(shape.n) / tile.n);
  return static_cast<double>(shape.k) / split >= law.least_part && tiles * split / 2 < law.slots;
}

/// A law as the logarithms of its numbers, which the search moves; instead of the peak the rate of
/// one slot, which products of few tiles show by themselves.
constexpr std::size_t kNumbers = 10;
using Place = std::array<double, kNumbers>;

GemmLaw law_at(const Place& place) {
  return {.launch = {std::exp(place[0])},
          .peak = {std::exp(place[1] + place[3])},
          .bandwidth = {std::exp(place[2])},
          .slots = std::max(1.0, std::exp(place[3])),
          .tile_overhead = std::exp(place[4]),
          .block = {std::exp(place[5])},
          .split = {std::exp(place[6])},
          .least_part = std::exp(place[7]),
          .misaligned = std::exp(place[8]),
          .quantisation = std::exp(place[9])};
}

/// Where the numbers may lie, around the best rates that were reached.
struct Box {
  Place low{};
  Place high{};
};

Box box_of(std::span<const KernelPoint> points) {
  Seconds launch = points.front().time;
  double peak = 0;
  double bandwidth = 0;
  for (const KernelPoint& point : points) {
    launch = std::min(launch, point.time);
    peak = std::max(peak, flops_of(point.shape).value / point.time.value);
    bandwidth = std::max(bandwidth, (traffic_of(point.shape) / point.time).value);
  }
  const double shortest = launch.value;
  const Place low{0.1 * shortest, peak / 512, bandwidth / 4, 16,  1, 0.01 * shortest,
                  0.1 * shortest, 32,         0.05,          0.01};
  const Place high{shortest, peak / 2,      4 * bandwidth, 512, 512,
                   shortest, 10 * shortest, kNever,        1,   1};
  Box box;
  for (std::size_t i = 0; i < kNumbers; ++i) {
    box.low[i] = std::log(low[i]);
    box.high[i] = std::log(high[i]);
  }
  return box;
}

double misfit(std::span<const KernelPoint> points, const Place& place) {
  const GemmLaw law = law_at(place);
  double sum = 0;
  for (const KernelPoint& point : points)
    sum += std::abs(std::log(gemm_time(law, point.shape) / point.time));
  return sum / static_cast<double>(points.size());
}

/// Differential evolution (Storn and Price, 1997), the variant "current to best, one difference":
/// a place moves towards the best one and along the difference of two others, and stays there if
/// that fits better.
class Search {
 public:
  Search(std::span<const KernelPoint> points, std::uint64_t seed)
      : points_(points), box_(box_of(points)), random_(seed) {
    for (Candidate& each : candidates_) {
      for (std::size_t i = 0; i < kNumbers; ++i)
        each.place[i] = box_.low[i] + uniform() * (box_.high[i] - box_.low[i]);
      each.misfit = misfit(points_, each.place);
    }
  }

  Place run() {
    for (int generation = 0; generation < kGenerations; ++generation)
      for (Candidate& each : candidates_)
        improve(each);
    return best().place;
  }

 private:
  struct Candidate {
    Place place{};
    double misfit = 0;
  };

  static constexpr std::size_t kCandidates = 40;
  static constexpr int kGenerations = 200;

  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }

  const Candidate& any() {
    return candidates_[static_cast<std::size_t>(uniform() * static_cast<double>(kCandidates))];
  }

  const Candidate& best() const {
    return *std::ranges::min_element(candidates_, {}, &Candidate::misfit);
  }

  void improve(Candidate& candidate) {
    constexpr double kMoved = 0.8;  // of the numbers
    const Place& towards = best().place;
    const Place& from = any().place;
    const Place& to = any().place;
    const double reach = 0.4 + 0.5 * uniform();
    Candidate moved = candidate;
    for (std::size_t i = 0; i < kNumbers; ++i)
      if (uniform() < kMoved)
        moved.place[i] = std::clamp(candidate.place[i] + reach * (towards[i] - candidate.place[i]) +
                                        reach * (to[i] - from[i]),
                                    box_.low[i], box_.high[i]);
    moved.misfit = misfit(points_, moved.place);
    if (moved.misfit < candidate.misfit)
      candidate = moved;
  }

  std::span<const KernelPoint> points_;
  Box box_;
  std::mt19937_64 random_;
  std::array<Candidate, kCandidates> candidates_;
};

}  // namespace

bool is_aligned(const KernelShape& shape) {
  if (shape.family == KernelFamily::GemmFp32)
    return true;
  const std::uint64_t elements = shape.family == KernelFamily::GemmBf16 ? 8 : 4;
  return shape.m % elements == 0 && shape.k % elements == 0;  // the columns' lengths: m, k, m
}

Seconds gemm_time(const GemmLaw& law, const KernelShape& shape) {
  Seconds best{INFINITY};
  for (const Tile& tile : kTiles)
    for (const double split : kSplits) {
      if (split > 1 && !may_split(law, shape, tile, split))
        break;
      best = std::min(best, time_of(law, shape, tile, split));
    }
  return best;
}

std::vector<GemmLaw> fit_gemm_laws(std::span<const KernelPoint> points) {
  constexpr std::uint64_t kSearches = 5;
  assert(!points.empty());
  std::vector<GemmLaw> laws;
  for (std::uint64_t seed = 1; seed <= kSearches; ++seed)
    laws.push_back(law_at(Search(points, seed).run()));
  return laws;
}

}  // namespace stepcast
