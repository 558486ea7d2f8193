#include "traces/readers/gzip_tail.hpp"

#include <fstream>
#include <vector>

#include <zlib.h>

namespace stepcast {
namespace {

constexpr int kGzipWindow = 16 + MAX_WBITS;  // 16: expect a gzip header.
constexpr std::size_t kChunk = std::size_t{1} << 17;
constexpr Bytef kFirstByte = 0x1f;

/// Walks through the members of a gzip file and throws away what they hold.
class Walker {
 public:
  explicit Walker(const std::filesystem::path& path)
      : file_(path, std::ios::binary), input_(kChunk), output_(kChunk) {
    sound_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
  }
  ~Walker() { inflateEnd(&stream_); }
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  std::uint64_t run() {
    while (sound_ && refill() && *stream_.next_in == kFirstByte)
      pass_member();
    std::uint64_t behind = 0;
    for (; sound_ && refill(); stream_.avail_in = 0)
      behind += stream_.avail_in;
    return behind;
  }

 private:
  void pass_member() {
    inflateReset(&stream_);
    int result = Z_OK;
    while (result == Z_OK && refill()) {
      stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream_.avail_out = static_cast<uInt>(output_.size());
      result = inflate(&stream_, Z_NO_FLUSH);
    }
    sound_ = result == Z_STREAM_END;
  }

  /// False at the end of the file.
  bool refill() {
    if (stream_.avail_in > 0)
      return true;
    file_.read(input_.data(), static_cast<std::streamsize>(input_.size()));
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(file_.gcount());
    return stream_.avail_in > 0;
  }

  std::ifstream file_;
  std::vector<char> input_;
  std::vector<char> output_;
  z_stream stream_{};
  bool sound_ = false;
};

bool is_gzip(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return false;
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0x1f && file.get() == 0x8b;
}

}  // namespace

std::uint64_t bytes_behind_gzip(const std::filesystem::path& path) {
  return is_gzip(path) ? Walker(path).run() : 0;
}

}  // namespace stepcast
