#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/command_option.hpp"

namespace stepcast {

/// `stepcast derive --hf`: a workload from the configuration of a model and the law of a device;
/// nothing of it was run.
class ModelDerivation {
 public:
  std::vector<CommandOption> options();

  bool is_given() const { return !file_.empty(); }
  /// The first of its other options that was given; empty if none was.
  std::string first_given() const;

  /// The workload's file, under `name` unless that is empty. Throws InputError.
  std::string file_text(const std::string& name, const std::string& device,
                        std::optional<std::uint32_t> batch) const;

 private:
  std::string file_;
  std::optional<std::uint32_t> seq_;
  std::string precision_;
};

}  // namespace stepcast
