#pragma once

#include <string>
#include <vector>

#include "models/device/compression.hpp"
#include "models/schedule/builder.hpp"
#include "models/schedule/passes.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {

/// Hard thresholds on what ranks send (dynamic communication thresholding): only entries above a
/// threshold travel. It is found exactly, as that of the k largest, once in `refresh` steps, which
/// share that time; in between selecting is one comparison for each entry.
class Thresholds {
 public:
  static std::vector<OptionInfo> options();

  /// Throws InputError where densities are not one or one for each layer with parameters, or each
  /// table; or where the costs of selecting on the workload's device are unknown.
  Thresholds(const Workload& workload, const OptionReader& read);

  bool on_gradients() const { return filters(gradients_); }
  bool on_vectors() const { return filters(vectors_); }

  /// The share of the bytes of dense values of `value` bytes that a message with this share of
  /// the entries takes: values, and indices of 4 bytes or a bit for each entry. Not above 1 where
  /// the smaller of the two is chosen, as what is no shorter is sent whole.
  double of_bytes(double density, Bytes value) const;

  /// Bytes of a bucket that each rank pushes to the servers, which are the ranks themselves.
  Bytes pushed(const Bucket& bucket) const;
  /// Bytes that each rank pulls: parameters whole, or the union of what all ranks pushed.
  Bytes pulled(const Bucket& bucket, std::uint32_t ranks) const;
  /// Bytes of gradients that wait to be added to the next ones.
  Bytes residuals() const;

  /// The share of the bytes of pooled vectors that is sent, by the rank whose tables send most.
  double of_vectors(Bytes value, std::uint32_t ranks) const;
  /// The same of their gradients: values alone where they use the mask of the vectors.
  double of_vector_gradients(Bytes value, std::uint32_t ranks) const;

  /// Selecting among a tensor's entries, a step's part of finding the threshold included.
  Seconds selecting(double elements) const;
  /// Selecting gradients, with error feedback.
  Seconds selecting(const Bucket& bucket) const;
  /// Picking the entries of a mask that is known, or selecting anew.
  Seconds selecting_vector_gradients(double elements) const;
  /// Adding what came to zeros.
  Seconds unpacking(double entries, double elements) const;
  double entries(const Bucket& bucket) const;
  /// Mean density of vectors.
  double vector_density() const;

  Note note(const std::vector<Bucket>& buckets, Bytes value, std::uint32_t ranks) const;

 private:
  static bool filters(const std::vector<double>& densities);
  double density_of(const Gradient& gradient) const;
  double heaviest(std::uint32_t ranks, const auto& share_of) const;

  std::vector<double> gradients_;  // of each layer of the workload
  std::vector<double> vectors_;    // of each table, or one
  std::uint32_t tables_;
  std::string index_;
  bool own_mask_;
  bool feedback_;
  bool sparse_pull_;
  double refresh_;
  bool free_;
  double dense_elements_ = 0;
  CompressionCosts costs_{};
};

}  // namespace stepcast
