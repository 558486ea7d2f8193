#pragma once

#include <cstddef>
#include <string>

#include "models/base/units.hpp"

namespace stepcast {

/// JSON nested deeper than this is refused: no format that StepCast reads comes near it, and code
/// that walks a document calls itself once a level.
inline constexpr std::size_t kDeepestJson = 256;

/// How much of a file is read before it is refused. Files come from others: one that never ends, or
/// a few megabytes of gzip that unpack to terabytes, must cost seconds and not the machine.
struct FileLimits {
  /// Files that are read whole. STEPCAST_MAX_FILE (a size such as "2GiB") sets it.
  Bytes whole{64.0 * 1024 * 1024};
  /// Traces that are read as a stream, unpacked. STEPCAST_MAX_TRACE sets it.
  Bytes stream{64.0 * 1024 * 1024 * 1024};
  /// Unpacked bytes per packed byte; profiles have 10 to 40, gzip at most 1,032. STEPCAST_MAX_RATIO
  /// sets it.
  double ratio = 200;
  /// Below so many unpacked bytes the ratio does not matter.
  Bytes ratio_free{32.0 * 1024 * 1024};
};

/// The limits in force. Throws InputError naming the variable if one cannot be read.
FileLimits file_limits();

/// Throws InputError if a file that is read whole is larger than the limit.
void check_whole_size(const std::string& origin, double bytes, const FileLimits& limits);

/// Throws InputError if unpacking must stop: too much came out, or too much for what went in.
void check_unpacked(const std::string& origin, double unpacked, double packed,
                    const FileLimits& limits);

}  // namespace stepcast
