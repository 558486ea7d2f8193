#pragma once

#include <string>
#include <string_view>

#include "models/schedule/option_info.hpp"

namespace stepcast {

/// What the numbers of a kind of option are in: "bytes", "s", "count", "number".
const char* unit_of(OptionKind kind);

// Options of numbers can be tuned: those of the kinds Size, Time, Count and Number.

/// Bytes, seconds, or the number itself. Throws InputError if the text is not of the kind.
double parse_value(OptionKind kind, std::string_view text);

/// `value` as `--set` takes it, rounded to about five digits: sizes to 0.01 MiB (0.01 KiB below
/// 1 MiB), counts to whole numbers.
std::string write_value(OptionKind kind, double value);

/// The values that are searched, on a linear or a logarithmic scale.
struct SearchRange {
  OptionKind kind = OptionKind::Size;
  double low = 0;
  double high = 0;
  bool logarithmic = false;  ///< Precondition: low > 0.

  /// The value at a share of the scale: 0 is low, 1 is high.
  double at(double share) const;
  double share_of(double value) const;
};

}  // namespace stepcast
