#include "models/network/slow_down.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/mix.hpp"

// A counter-based stream: the counter (seed, law, rank, iteration, draw) is hashed into 64 bits, of
// which the upper 53 become a number in [0, 1). O(1) for any draw, without those before it; of an
// episode those that may last until now are drawn, `most` / `every` on average and twice.

namespace stepcast {
namespace {

using Unit = SlowDown::Sharing::Unit;

struct Counter {
  std::uint64_t seed = 0;
  std::uint64_t law = 0;
  Rank rank = 0;
  std::uint32_t iteration = 0;

  double uniform(std::uint64_t draw) const {
    const std::uint64_t bits = mixed(mixed(mixed(mixed(seed, law), rank), iteration), draw);
    return static_cast<double>(bits >> 11U) * 0x1p-53;
  }

  double normal() const {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - uniform(0)));
    return radius * std::cos(2 * std::numbers::pi * uniform(1));
  }
};

double factor_of(const SlowDown::Fixed& law, const Counter& counter) {
  return law.rank == counter.rank ? law.factor : 1;
}

double factor_of(const SlowDown::Bernoulli& law, const Counter& counter) {
  return counter.uniform(0) < law.probability ? law.factor : 1;
}

double factor_of(const SlowDown::LogNormal& law, const Counter& counter) {
  return std::exp(law.sigma * counter.normal());
}

double factor_of(const SlowDown::Exponential& law, const Counter& counter) {
  return 1 - law.mean * std::log(1 - counter.uniform(0));
}

double factor_of(const SlowDown::Pareto& law, const Counter& counter) {
  return std::pow(1 - counter.uniform(0), -1 / law.alpha);
}

// Time is cut into slots of `most` iterations: what is still on began in this one or the last.
bool in_episode_of(const SlowDown::Episodes& law, const Counter& slot, double now) {
  std::uint64_t draw = 0;
  const double begin = slot.iteration * law.most;
  for (double start = 0;;) {
    start -= law.every * std::log(1 - slot.uniform(draw++));
    if (start >= law.most)
      return false;
    const double length = law.least * std::pow(law.most / law.least, slot.uniform(draw++));
    if (now >= begin + start && now < begin + start + length)
      return true;
  }
}

double factor_of(const SlowDown::Episodes& law, const Counter& counter) {
  Counter slot = counter;
  slot.iteration = static_cast<std::uint32_t>(counter.iteration / law.most);
  if (in_episode_of(law, slot, counter.iteration))
    return law.factor;
  if (slot.iteration == 0)
    return 1;
  --slot.iteration;
  return in_episode_of(law, slot, counter.iteration) ? law.factor : 1;
}

double factor_of(const SlowDown::Recorded& law, const Counter& counter) {
  Counter common = counter;
  common.rank = 0;
  const auto step =
      static_cast<std::size_t>(common.uniform(0) * static_cast<double>(law.steps.size()));
  return law.steps[step][counter.rank % law.steps[step].size()];
}

template <class Law>
constexpr bool kIsShared = requires(const Law& law) {
  law.sharing;
};

Rank unit_of(const SlowDown::Sharing& sharing, Rank rank, std::uint32_t ranks_per_node) {
  switch (sharing.unit) {
    case Unit::Each:
      return rank;
    case Unit::Node:
      return rank / ranks_per_node;
    case Unit::All:
      return 0;
  }
  return rank;
}

constexpr std::uint64_t kTransfers = std::uint64_t{1} << 32U;  // behind all laws of compute

// Else a draw is that of one transfer.
template <class Law>
bool is_of_links(const Law& law) {
  return std::is_same_v<Law, SlowDown::Episodes> || law.sharing.unit != Unit::Each;
}

template <class Law>
double slowest_link(const Law& law, Counter counter, std::span<const Rank> members,
                    std::uint32_t ranks_per_node) {
  double slowest = 0;
  for (const Rank member : members) {
    Rank unit = member;
    if constexpr (kIsShared<Law>)
      unit = unit_of(law.sharing, member, ranks_per_node);
    if (slowest > 0 && unit == counter.rank)
      continue;
    counter.rank = unit;
    slowest = std::max(slowest, factor_of(law, counter));
  }
  return slowest;
}

double plausible(double factor, const char* what, Rank rank, std::uint32_t iteration) {
  constexpr double kMost = 1e9;
  if (!(factor <= kMost))
    throw InputError(fmt::format(
        "`slow`: {} of rank {} in iteration {} would take {:.3g} times as long: expected laws that "
        "multiply to at most {:.0e}",
        what, rank, iteration, factor, kMost));
  return factor;
}

/// Of its factors in all recorded steps: they are all that it can draw.
std::uint64_t kind_of_recorded(const SlowDown::Recorded& law, Rank rank, std::uint64_t kind) {
  for (const std::vector<double>& step : law.steps)
    kind = mixed(kind, std::bit_cast<std::uint64_t>(step[rank % step.size()]));
  return kind;
}

}  // namespace

bool SlowDown::is_chance() const {
  const auto draws = [](const Law& law) { return !std::holds_alternative<Fixed>(law); };
  return std::ranges::any_of(laws, draws) || std::ranges::any_of(transfers, draws);
}

double SlowDown::factor(Rank rank, std::uint32_t iteration) const {
  double product = 1;
  for (std::size_t i = 0; i < laws.size(); ++i)
    product *= std::visit(
        [&]<class L>(const L& law) {
          Counter counter{seed, i, rank, iteration};
          if constexpr (kIsShared<L>) {
            counter.rank = unit_of(law.sharing, rank, ranks_per_node);
            counter.iteration = law.sharing.once ? 0 : iteration;
          }
          return factor_of(law, counter);
        },
        laws[i]);
  return plausible(product, "the compute", rank, iteration);
}

double SlowDown::transfer_factor(std::span<const Rank> members, std::uint32_t iteration,
                                 std::uint32_t number) const {
  double product = 1;
  for (std::size_t i = 0; i < transfers.size(); ++i)
    product *= std::visit(
        [&]<class L>(const L& law) {
          Counter counter{seed, kTransfers + i, members.front(), iteration};
          if constexpr (kIsShared<L>) {
            counter.iteration = law.sharing.once ? 0 : iteration;
            if (!is_of_links(law)) {
              counter.seed = mixed(seed, number);
              return factor_of(law, counter);
            }
          }
          return slowest_link(law, counter, members, ranks_per_node);
        },
        transfers[i]);
  return plausible(product, "a transfer", members.front(), iteration);
}

std::uint64_t SlowDown::kind_of(Rank rank) const {
  std::uint64_t kind = transfers.empty() ? 0 : mixed(1, rank);
  for (const Law& law : laws)
    kind = std::visit(
        [&]<class L>(const L& each) {
          if constexpr (std::is_same_v<L, Fixed>)
            return each.rank == rank ? mixed(kind, std::bit_cast<std::uint64_t>(each.factor))
                                     : kind;
          else if constexpr (kIsShared<L>)
            return mixed(kind, unit_of(each.sharing, rank, ranks_per_node));
          else
            return kind_of_recorded(each, rank, kind);
        },
        law);
  return kind;
}

}  // namespace stepcast
