#pragma once

#include <string>
#include <string_view>

namespace stepcast {

/// What an option counts, and so how its values are written.
enum class OptionUnit {
  Size,    ///< "25MiB"
  Time,    ///< "1.5ms"
  Count,   ///< "4"
  Number,  ///< "0.25"
};

/// "bytes", "s", "count", "number".
const char* name_of(OptionUnit unit);

/// The unit in which `text` is written. Throws InputError if it is no number of any unit.
OptionUnit unit_of_text(std::string_view text);

/// Bytes, seconds, or the number itself. Throws InputError if the text is not of the unit.
double parse_value(OptionUnit unit, std::string_view text);

/// `value` as `--set` takes it, rounded to about five digits: sizes to 0.01 MiB (0.01 KiB below
/// 1 MiB), counts to whole numbers.
std::string write_value(OptionUnit unit, double value);

/// The values that are searched, on a linear or a logarithmic scale.
struct SearchRange {
  OptionUnit unit = OptionUnit::Size;
  double low = 0;
  double high = 0;
  bool logarithmic = false;  ///< Precondition: low > 0.

  /// The value at a share of the scale: 0 is low, 1 is high.
  double at(double share) const;
  double share_of(double value) const;
};

}  // namespace stepcast
