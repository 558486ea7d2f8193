#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace stepcast {

/// Where the bytes of a trace come from, piece by piece, so that a trace of hundreds of megabytes
/// is never in memory as a whole.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills the front of `buffer`; returns how much it filled, 0 at the end. Throws InputError if
  /// the source is damaged or ends too early.
  virtual std::size_t read(std::span<char> buffer) = 0;
};

/// The content of a file, unpacked if it is gzip-compressed. Throws InputError `<path>: <why>` if
/// it cannot be opened.
std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path);

/// A text in memory that outlives the source.
std::unique_ptr<ByteSource> open_text(std::string_view text);

/// The first `size` bytes of a file, unpacked.
std::string head_of(const std::filesystem::path& path, std::size_t size);

}  // namespace stepcast
