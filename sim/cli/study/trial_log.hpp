#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/cli/study/study_log.hpp"
#include "sim/forecast/tuning/tune.hpp"

namespace stepcast {

/// Writes down the trials of a search as they come, and knows those of an earlier one.
class TrialLog {
 public:
  /// `inputs`: what every trial depends on beside the value, as text. Throws InputError if a file
  /// cannot be read or written.
  TrialLog(const StudyFiles& files, std::string option, OptionKind kind, const std::string& inputs);

  /// What the file of --resume knows of a value.
  std::optional<Measurement> known(const std::string& text) const;
  void add(const Trial& trial);
  /// Throws InputError if a file could not take all.
  void finish() const;

 private:
  void read_known(const std::string& path);
  std::string key_of(const std::string& text) const;

  std::string option_;
  std::string inputs_;
  std::map<std::string, Measurement> known_;  ///< By key.
  std::optional<Trial> best_;
  std::size_t count_ = 0;
  GrowingFile csv_;
  GrowingFile lines_;
};

}  // namespace stepcast
