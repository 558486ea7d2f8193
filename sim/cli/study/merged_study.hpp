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

  std::uint32_t combinations() const { return combinations_; }
  std::uint32_t place() const { return place_; }  ///< The next to be read.

  /// Passes over the places before `begin` and hands over every combination from there to `end`
  /// that is there, in order; `begin` may not be before place(). Throws InputError for a part that
  /// is not whole or holds what compare --shard never writes.
  using Take = std::function<void(std::uint32_t place, Combination, SweepResult)>;
  void read(std::uint32_t begin, std::uint32_t end, const Take& take);

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
  std::uint32_t place_ = 0;
  bool has_lists_ = false;
  bool keep_going_ = false;
  std::map<std::uint32_t, std::unique_ptr<PartReader>> parts_;  ///< By shard.
};

}  // namespace stepcast
