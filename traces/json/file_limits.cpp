#include "traces/json/file_limits.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

/// `parse(value)` of an environment variable, or the default where it is not set.
template <class Value, class Parse>
Value from_environment(const char* name, Value otherwise, Parse parse) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0')
    return otherwise;
  try {
    return parse(text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", name, error.what()));
  }
}

double parse_ratio(std::string_view text) {
  const double ratio = parse_number(text);
  if (!(ratio > 0))
    throw InputError(fmt::format("expected a number above 0 such as 1000, found {}", ratio));
  return ratio;
}

}  // namespace

FileLimits file_limits() {
  FileLimits limits;
  limits.whole = from_environment("STEPCAST_MAX_FILE", limits.whole, parse_bytes);
  limits.stream = from_environment("STEPCAST_MAX_TRACE", limits.stream, parse_bytes);
  limits.ratio = from_environment("STEPCAST_MAX_RATIO", limits.ratio, parse_ratio);
  return limits;
}

void check_whole_size(const std::string& origin, double bytes, const FileLimits& limits) {
  if (bytes > limits.whole.value)
    throw InputError(
        fmt::format("{}: is larger than {}, the most that is read of such a file; "
                    "STEPCAST_MAX_FILE=SIZE allows more",
                    origin, format_bytes(limits.whole)));
}

void check_unpacked(const std::string& origin, double unpacked, double packed,
                    const FileLimits& limits) {
  if (unpacked > limits.stream.value)
    throw InputError(
        fmt::format("{}: holds more than {}, the most that is read of a trace; "
                    "STEPCAST_MAX_TRACE=SIZE allows more",
                    origin, format_bytes(limits.stream)));
  if (unpacked > limits.ratio_free.value && unpacked > limits.ratio * packed)
    throw InputError(
        fmt::format("{}: unpacks to more than {} times its size, which no profile does; "
                    "STEPCAST_MAX_RATIO=NUMBER allows more",
                    origin, limits.ratio));
}

}  // namespace stepcast
