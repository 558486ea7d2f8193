#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "models/network/cluster.hpp"

namespace stepcast {

/// How much slower ranks compute, from iteration to iteration: a value with a seed, not a generator
/// with a state. Every draw belongs to (seed, law, rank, iteration), so that all schedules meet the
/// same chances in whatever order they ask, and a rank more leaves those of the others alone.
struct SlowDown {
  /// Who shares a draw, and for how long. Node, rank and iteration factors together are a
  /// correlated slow-down.
  struct Sharing {
    enum class Unit : std::uint8_t { Each, Node, All };
    Unit unit = Unit::Each;
    bool once = false;  ///< The draw of iteration 0 holds for all: hardware that differs.
  };
  /// One rank, always.
  struct Fixed {
    Rank rank = 0;
    double factor = 1;
  };
  /// `factor` with a probability, else 1 (Luo et al., Hop, ASPLOS 2019: factor 6, p = 1/n).
  struct Bernoulli {
    double factor = 1;
    double probability = 0;
    Sharing sharing{};
  };
  /// exp(sigma * z), z normal; the median is 1.
  struct LogNormal {
    double sigma = 0;
    Sharing sharing{};
  };
  /// 1 + mean * e, e exponential with mean 1: a delay as a share of the compute.
  struct Exponential {
    double mean = 0;
    Sharing sharing{};
  };
  /// u^(-1/alpha), at least 1, u uniform; no mean for alpha <= 1.
  struct Pareto {
    double alpha = 2;
    Sharing sharing{};
  };
  /// Fail-slow: episodes start as a Poisson process, one in `every` iterations on average, and last
  /// between `least` and `most` iterations, log-uniformly; within one the factor holds.
  struct Episodes {
    double factor = 1;
    double every = 1000;
    double least = 1;
    double most = 100;
    Sharing sharing{};
  };
  /// Whole recorded steps, drawn with replacement: steps[s][r] is the factor of rank r; ranks
  /// beyond those recorded begin again. Precondition: neither is empty.
  struct Recorded {
    std::vector<std::vector<double>> steps;
    std::string origin{};                 ///< Where they were measured; may be empty.
    std::vector<std::uint32_t> stages{};  ///< Of each recorded rank; empty: of one.
  };
  using Law = std::variant<Fixed, Bernoulli, LogNormal, Exponential, Pareto, Episodes, Recorded>;

  std::vector<Law> laws;  ///< Their factors multiply.
  std::uint64_t seed = 0;
  std::uint32_t ranks_per_node = 1;  ///< For what nodes share.
  std::vector<Law> transfers{};      ///< The same on transfers: jitter of the network, slow links.

  bool empty() const { return laws.empty() && transfers.empty(); }
  /// Whether anything is drawn.
  bool is_chance() const;

  /// Time of a compute task over its usual time. Throws InputError above 1e9 (laws multiply).
  double factor(Rank rank, std::uint32_t iteration) const;

  /// The same of a transfer among these ranks, the n-th that the first of them starts in an
  /// iteration. Draws of each rank are the transfer's own; those of a node, and episodes, are of
  /// the links: the slowest link of a member counts. Throws as factor().
  double transfer_factor(std::span<const Rank> members, std::uint32_t iteration,
                         std::uint32_t number) const;

  /// Ranks with the same number have the same factors in all iterations.
  std::uint64_t kind_of(Rank rank) const;
};

}  // namespace stepcast
