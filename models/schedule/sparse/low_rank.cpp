#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "models/schedule/period.hpp"
#include "models/schedule/schedule_info.hpp"
#include "models/schedule/sparse/step.hpp"

namespace stepcast {
namespace {

using sparse::Settings;
using sparse::Step;
using sparse::Tensor;

/// A tensor as its matrices' factors P (rows x rank) and Q (columns x rank), and what is too small
/// to be worth it.
struct Factors {
  double p = 0;
  double q = 0;
  double compressed = 0;  ///< Elements of the matrices.
  double matrices = 0;
  double dense = 0;
};

// Rows and columns of a weight: outputs and inputs x kernel where the trace tells, else square.
double rows_of(const Layer& layer, const Gradient& gradient) {
  if (layer.kronecker)
    return layer.kronecker->g;
  return std::sqrt(static_cast<double>(gradient.elements));
}

Factors factors_of(const Workload& workload, const Tensor& tensor, std::uint32_t rank) {
  Factors factors;
  for (const Gradient& gradient : tensor.gradients) {
    const Layer& layer = workload.layers[gradient.layer];
    const auto elements = static_cast<double>(gradient.elements);
    const double rows = rows_of(layer, gradient);
    const double columns = elements / rows;
    if (!gradient.matrix || (rows + columns) * rank >= elements) {
      factors.dense += elements;
      continue;
    }
    factors.p += rows * rank;
    factors.q += columns * rank;
    factors.compressed += elements;
    ++factors.matrices;
  }
  return factors;
}

// Parts of the passes over a matrix: feedback and M Q before P is sent, M^T P between, P Q^T and
// the residual after.
constexpr double kBefore = 4.0 / 9;
constexpr double kBetween = 1.0 / 9;
constexpr double kAfter = 4.0 / 9;
// Kernels for each matrix: sum and product before P, reconstruction and residual at the end, a
// product between; and two for each column of the factor to orthogonalise it (Gram-Schmidt).
constexpr double kKernelsAround = 2;

/// Which factors a step sends. PowerSGD: P, then Q; ACP-SGD: P and Q in turn.
struct Sent {
  bool p = true;
  bool q = true;
};

class LowRank {
 public:
  LowRank(const Workload& workload, const Cluster& cluster, const OptionReader& read,
          const Settings& settings, Sent sent)
      : step_(workload, cluster, read, settings), rank_(read.count("rank")), sent_(sent) {}

  Plan plan(const std::vector<Tensor>& tensors) && {
    step_.pass(
        tensors, [&](const Tensor& tensor) { return around(of(tensor), kBefore); },
        [&](const Tensor& tensor, TaskId ready) { return exchange(tensor, ready); });
    return std::move(step_).finish();
  }

 private:
  Factors of(const Tensor& tensor) { return factors_of(step_.builder().workload(), tensor, rank_); }

  Seconds around(const Factors& factors, double part) const {
    return low_rank_time(step_.costs(), factors.compressed, kKernelsAround * factors.matrices,
                         part);
  }

  Seconds product(const Factors& factors) const {
    return low_rank_time(step_.costs(), factors.compressed, factors.matrices, kBetween);
  }

  Seconds orthogonalisation(const Factors& factors) const {
    return low_rank_time(step_.costs(), 0, 2.0 * rank_ * factors.matrices, 0);
  }

  TaskId exchange(const Tensor& tensor, TaskId ready) {
    const Factors factors = of(tensor);
    if (factors.dense > 0)
      ready = step_.all_reduce(fmt::format("vectors of {}", tensor.label),
                               sparse::dense_size(factors.dense), ready);
    if (factors.compressed == 0)
      return ready;
    if (sent_.p)
      ready = step_.all_reduce(fmt::format("P of {}", tensor.label), sparse::dense_size(factors.p),
                               ready);
    ready = step_.work("orthogonalisation", tensor, orthogonalisation(factors), ready);
    if (sent_.p && sent_.q)
      ready = step_.work("product", tensor, product(factors), ready);
    if (sent_.q)
      ready = step_.all_reduce(fmt::format("Q of {}", tensor.label), sparse::dense_size(factors.q),
                               ready);
    return step_.work("reconstruction", tensor, around(factors, kAfter), ready);
  }

  Step step_;
  std::uint32_t rank_;
  Sent sent_;
};

Settings low_rank_settings(const OptionReader& read) {
  return {.density = 1,
          .selection = read.is("compression", "free") ? Selection::Free : Selection::Exact,
          .on_own_stream = read.is("selection_stream", "own"),
          .cost_option = "compression"};
}

Plan build_step(const Workload& workload, const Cluster& cluster, const OptionReader& read,
                Sent sent) {
  return LowRank(workload, cluster, read, low_rank_settings(read), sent)
      .plan(sparse::fused_tensors(workload, read));
}

// Of a matrix M both factors of one power iteration are all-reduced: P = M Q, then Q = M^T P.
// Time on a ring: 4(n-1) a + 4(n-1) Nc/n b for factors of Nc elements each.
Plan build_powersgd(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  return build_step(workload, cluster, read, {});
}

// Half the products and all-reduces: P in even steps, Q in odd ones.
Plan build_acp(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  const auto step = [&](Sent sent) { return build_step(workload, cluster, read, sent); };
  constexpr std::array<std::uint32_t, 2> kInTurn{0, 1};
  return period_of(std::array{step({.q = false}), step({.p = false})}, kInTurn);
}

std::vector<OptionInfo> low_rank_options() {
  return {
      count_option("rank", "4", "columns of the factors", {.least = 1}),
      choice_option("compression", "device",
                    "cost of the products: as known of the device, or free", {"device", "free"}),
      choice_option("selection_stream", "compute",
                    "compute: compression delays the backward pass; own: it runs beside it",
                    {"compute", "own"}),
      choice_option("fusion", "buffer",
                    "whose factors travel together: layer, buffer, model or binary (a buffer "
                    "found by binary search)",
                    sparse::fusion_words(), sparse::fusion_search()),
      size_option("fusion_buffer", "25MiB",
                  "fusion=buffer: a group of gradients closes at this size")};
}

}  // namespace

ScheduleInfo powersgd_schedule() {
  return sparse::system_of(
      "powersgd", "low-rank factors of each gradient matrix, all-reduced one after the other",
      "Vogels et al., PowerSGD, NeurIPS 2019", low_rank_options(), build_powersgd);
}

ScheduleInfo acp_sgd_schedule() {
  ScheduleInfo info =
      sparse::system_of("acp-sgd", "as powersgd, with one of the two factors in turn",
                        "Zhang et al., ACP-SGD, ICDCS 2023", low_rank_options(), build_acp);
  info.steps_differ = true;
  return info;
}

}  // namespace stepcast
