#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/network/collective_kind.hpp"
#include "traces/readers/log_text.hpp"

namespace stepcast {

/// The programs of nccl-tests that a log names. What says that it starts is what ran; else the only
/// one that is named: the output of a build or of a script names several.
class Programs {
 public:
  void take(const std::vector<std::string_view>& words, const LogLine& line);

  /// The kind that ran; none if the log does not say. Throws InputError that begins with `origin`
  /// if a program ran that is no collective.
  std::optional<CollectiveKind> kind(const std::string& origin) const;

 private:
  struct Named {
    std::string program;
    std::string where;
  };
  std::optional<Named> started_;
  std::vector<Named> named_;  ///< Each once.
};

}  // namespace stepcast
