#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stepcast {

/// What `validate --cases` takes.
struct CaseRequest {
  std::vector<std::string> files;
  std::vector<std::string> blocks;
  std::string cluster;
  std::vector<std::string> settings;
  std::optional<double> max_error;  ///< Per cent, of every set's mean.
  bool json = false;
};

/// Forecasts the rows, prints tables or JSON and returns the exit code. Throws InputError.
int run_case_validation(const CaseRequest& request);

}  // namespace stepcast
