#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

class PartReader;

/// A study put together of its parts (see part_file.hpp), combination by combination: no more of
/// it is held than a piece of each file.
class MergedStudy {
 public:
  /// Throws InputError that names parts which are missing (unless `partial`) or there twice, are of
  /// another study or of another version.
  MergedStudy(const std::vector<std::string>& files, bool partial);
  ~MergedStudy();

  bool has_lists() const { return has_lists_; }
  bool keep_going() const { return keep_going_; }

  /// Hands over every combination that is there, in order. Once. Throws InputError for a part that
  /// is not whole or holds what compare --shard never writes.
  void for_each(const std::function<void(std::uint32_t place, Combination, SweepResult)>& take);

  /// All of it: what reports need of the sweep, and its results in order.
  struct Held {
    Sweep sweep;
    std::vector<SweepResult> results;
  };
  Held held();

 private:
  void add(const std::string& file);
  void require_all() const;

  std::string study_;
  std::uint32_t shards_ = 1;
  std::uint32_t combinations_ = 0;
  bool has_lists_ = false;
  bool keep_going_ = false;
  std::map<std::uint32_t, std::unique_ptr<PartReader>> parts_;  ///< By shard.
};

}  // namespace stepcast
