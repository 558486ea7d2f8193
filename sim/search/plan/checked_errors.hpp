#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stepcast {

/// Measured over forecast step times of checked cases, as quantiles.
struct CheckedErrors {
  std::string family;  ///< "layouts", "data-parallel"
  std::size_t cases = 0;
  std::vector<double> shares;  ///< From 0 to 1, ascending.
  std::vector<double> ratios;  ///< At each, ascending.
};

/// configs/errors.json. Throws InputError naming file and field.
std::vector<CheckedErrors> load_checked_errors();
std::vector<CheckedErrors> read_checked_errors(const std::filesystem::path& path);

/// Share of the checked cases that took at most `ratio` times their forecast, between quantiles in
/// proportion: the chance that this forecast, times the ratio, is enough.
double chance_within(const CheckedErrors& errors, double ratio);

}  // namespace stepcast
