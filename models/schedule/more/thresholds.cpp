// Dynamic communication thresholding (Gupta et al., "Training Recommender Systems at Scale:
// Communication-Efficient Model and Data Parallelism", KDD 2021).
//
// Data parallel: gradients of the copied layers go to parameter servers, sparse with error
// feedback, as a ring all-reduce cannot add messages with different masks. Model parallel: of each
// sample's pooled vectors, and of their gradients, only the largest entries pass the all-to-alls.
// Published are 100 times fewer bytes to the servers and 20 times fewer between the ranks; sizes of
// a message are derived here: density (value + 4) bytes with indices, density value + 1/8 with a
// mask. The number of steps between refreshes, the re-use of the forward mask and dense pulls are
// assumed.

#include "models/schedule/more/thresholds.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

constexpr double kIndex = 4;       // bytes
constexpr double kMask = 1.0 / 8;  // of each entry

std::vector<double> each_layer(const std::vector<double>& densities, const Workload& workload,
                               const OptionReader& read) {
  std::vector<double> all(workload.layers.size(), densities.front());
  if (densities.size() == 1)
    return all;
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!workload.layers[i].parameters.empty() && next++ < densities.size())
      all[i] = densities[next - 1];
  if (next != densities.size())
    read.fail("dp_density",
              fmt::format("expected one number or {}, one for each layer with parameters, found {}",
                          next, densities.size()));
  return all;
}

}  // namespace

std::vector<OptionInfo> Thresholds::options() {
  constexpr OptionRange kDensity{.least = 0, .most = 1, .above_least = true};
  return {series_option(
              "dp_density", "1",
              "share of the gradients of copied layers above their threshold, one or, with "
              "colons, one for each layer; below 1: servers add them up (Gupta et al., KDD 2021)",
              kDensity),
          series_option("mp_density", "1",
                        "share of the entries of pooled vectors above theirs, one or one for each "
                        "table (the same)",
                        kDensity),
          choice_option("mp_backward", "mask",
                        "gradients of the vectors: mask of the vectors, or an own one",
                        {"mask", "own"}),
          choice_option("index", "auto",
                        "where sent entries belong: int32 each, a bitmap, or the shorter (auto)",
                        {"auto", "int32", "bitmap"}),
          count_option("refresh", "1000", "steps from one search of the thresholds to the next",
                       {.least = 1, .most = 1e9}),
          choice_option("error_feedback", "yes",
                        "yes or no: gradients below their threshold are added to the next ones",
                        {"yes", "no"}),
          choice_option("pull", "dense",
                        "dp_density: parameters come back whole (dense), or where gradients went "
                        "(sparse)",
                        {"dense", "sparse"}),
          choice_option("selection_cost", "device",
                        "selecting takes its time on the device of the workload, or none (free)",
                        {"device", "free"})};
}

Thresholds::Thresholds(const Workload& workload, const OptionReader& read)
    : gradients_(each_layer(read.series("dp_density"), workload, read)),
      vectors_(read.series("mp_density")),
      tables_(read.count("tables")),
      index_(read.text("index")),
      own_mask_(read.is("mp_backward", "own")),
      feedback_(read.is("error_feedback", "yes")),
      sparse_pull_(read.is("pull", "sparse")),
      refresh_(read.count("refresh")),
      free_(read.is("selection_cost", "free")) {
  if (vectors_.size() != 1 && vectors_.size() != tables_)
    read.fail("mp_density", fmt::format("expected one number or {}, one for each table, found {}",
                                        tables_, vectors_.size()));
  for (const Gradient& gradient : gradients_in_ready_order(workload))
    if (density_of(gradient) < 1)
      dense_elements_ += static_cast<double>(gradient.elements);
  if (free_ || !(on_gradients() || on_vectors()))
    return;
  if (!workload.compression)
    throw InputError(fmt::format(
        "{}: what selecting costs on {} is not known: expected a file "
        "traces/hardware/{}-compression.json, or selection_cost=free to leave the cost out",
        read.schedule(), workload.device, workload.device));
  costs_ = *workload.compression;
}

bool Thresholds::filters(const std::vector<double>& densities) {
  return std::ranges::any_of(densities, [](double density) { return density < 1; });
}

double Thresholds::density_of(const Gradient& gradient) const {
  return gradients_[gradient.layer];
}

double Thresholds::of_bytes(double density, Bytes value) const {
  if (density >= 1)
    return 1;
  const double indices = density * (value.value + kIndex) / value.value;
  const double mask = density + kMask / value.value;
  if (index_ == "int32")
    return indices;
  return index_ == "bitmap" ? mask : std::min({indices, mask, 1.0});
}

Bytes Thresholds::pushed(const Bucket& bucket) const {
  Bytes sum{};
  for (const Gradient& gradient : bucket.gradients) {
    const auto elements = static_cast<double>(gradient.elements);
    sum += gradient.size * of_bytes(density_of(gradient), gradient.size / elements);
  }
  return sum;
}

Bytes Thresholds::pulled(const Bucket& bucket, std::uint32_t ranks) const {
  if (!sparse_pull_)
    return bucket.size;
  Bytes sum{};
  for (const Gradient& gradient : bucket.gradients) {
    const double density = union_density(density_of(gradient), ranks, 0);
    const auto elements = static_cast<double>(gradient.elements);
    sum += gradient.size * std::min(1.0, of_bytes(density, gradient.size / elements));
  }
  return sum;
}

Bytes Thresholds::residuals() const {
  constexpr Bytes kValue{4};
  return feedback_ ? kValue * dense_elements_ : Bytes{};
}

double Thresholds::heaviest(std::uint32_t ranks, const auto& share_of) const {
  // Tables go to the ranks in turn; where there are more ranks, each holds a part of one.
  const std::size_t holders = std::min<std::size_t>(ranks, vectors_.size());
  double most = 0;
  for (std::size_t rank = 0; rank < holders; ++rank) {
    double sum = 0, held = 0;
    for (std::size_t table = rank; table < vectors_.size(); table += holders, ++held)
      sum += share_of(vectors_[table]);
    most = std::max(most, sum / held);
  }
  return most;
}

double Thresholds::of_vectors(Bytes value, std::uint32_t ranks) const {
  return heaviest(ranks, [&](double density) { return of_bytes(density, value); });
}

double Thresholds::of_vector_gradients(Bytes value, std::uint32_t ranks) const {
  if (own_mask_)
    return of_vectors(value, ranks);
  return heaviest(ranks, [](double density) { return density; });
}

Seconds Thresholds::selecting(double elements) const {
  if (free_ || elements <= 0)
    return {};
  return selection_time(costs_, Selection::Reused, elements) +
         selection_time(costs_, Selection::Exact, elements) / refresh_;
}

Seconds Thresholds::selecting(const Bucket& bucket) const {
  Seconds time{};
  for (const Gradient& gradient : bucket.gradients)
    if (const auto elements = static_cast<double>(gradient.elements);
        !free_ && density_of(gradient) < 1)
      time += selecting(elements) + (feedback_ ? feedback_time(costs_, elements) : Seconds{});
  return time;
}

Seconds Thresholds::selecting_vector_gradients(double elements) const {
  if (own_mask_ || free_)
    return selecting(elements);
  return selection_time(costs_, Selection::Reused, elements);
}

Seconds Thresholds::unpacking(double entries, double elements) const {
  return free_ ? Seconds{} : scatter_add_time(costs_, entries, elements);
}

double Thresholds::entries(const Bucket& bucket) const {
  double sum = 0;
  for (const Gradient& gradient : bucket.gradients)
    sum += density_of(gradient) * static_cast<double>(gradient.elements);
  return sum;
}

double Thresholds::vector_density() const {
  return std::accumulate(vectors_.begin(), vectors_.end(), 0.0) /
         static_cast<double>(vectors_.size());
}

Note Thresholds::note(const std::vector<Bucket>& buckets, Bytes value, std::uint32_t ranks) const {
  std::string text;
  if (on_gradients()) {
    Bytes whole{}, sent{};
    for (const Bucket& bucket : buckets) {
      whole += bucket.size;
      sent += pushed(bucket);
    }
    text = fmt::format("Gradients pushed to servers take {:.1f} times fewer bytes. ", whole / sent);
  }
  if (on_vectors()) {
    const double forward = of_vectors(value, ranks);
    const double backward = of_vector_gradients(value, ranks);
    text += fmt::format(
        "Pooled vectors and their gradients take {:.1f} times fewer bytes, indices or masks "
        "counted ({:.1f} forward, {:.1f} backward). ",
        2 / (forward + backward), 1 / forward, 1 / backward);
  }
  return {NoteKind::Option, "density",
          text +
              "Only time is forecast, not convergence: how many more steps thresholds take to "
              "the same accuracy is for the user to say."};
}

}  // namespace stepcast
