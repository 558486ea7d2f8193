#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "sim/cli/command_option.hpp"

namespace stepcast {

/// `stepcast derive cluster`: an own cluster from another one and what is known of it.
class ClusterDerivation {
 public:
  std::vector<CommandOption> options();

  /// The first of its options that was given; empty if none was.
  std::string first_given() const;

  /// The file, under `name` unless that is empty; `device` empty: that of --from. Throws
  /// InputError.
  std::string file_text(const std::string& name, const std::string& device) const;

 private:
  std::string from_;
  std::optional<std::uint32_t> nodes_;
  std::optional<std::uint32_t> gpus_per_node_;
  std::string adapters_;
  std::optional<Seconds> nic_startup_;
  std::optional<BytesPerSecond> intra_node_;
  std::optional<Bytes> device_memory_;
};

}  // namespace stepcast
