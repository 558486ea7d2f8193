#include "traces/readers/gzip.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "models/base/error.hpp"
#include "traces/byte_order_mark.hpp"
#include "traces/json/file_limits.hpp"

namespace stepcast {

namespace {

constexpr int kGzipWindow = 16 + MAX_WBITS;  // 16: expect a gzip header.
constexpr std::size_t kChunk = std::size_t{1} << 18;

/// Decompresses the gzip members of a text, one after the other.
class Inflater {
 public:
  Inflater(std::string_view input, const std::string& origin)
      : origin_(origin), rest_(input), packed_(input.size()) {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK)
      throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::string run() {
    std::string output;
    std::vector<char> chunk(kChunk);
    bool ended = false;
    while (!ended || stream_.avail_in > 0 || !rest_.empty()) {
      if (ended)
        inflateReset(&stream_);
      ended = step(chunk, output);
    }
    return output;
  }

 private:
  /// Decompresses one chunk; true at the end of a member.
  bool step(std::vector<char>& chunk, std::string& output) {
    refill();
    stream_.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream_.avail_out = static_cast<uInt>(chunk.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_BUF_ERROR)
      throw InputError(origin_ + ": the gzip data ends too early");
    if (result != Z_OK && result != Z_STREAM_END) {
      throw InputError(origin_ + ": the gzip data is damaged");
    }
    output.append(chunk.data(), chunk.size() - stream_.avail_out);
    check_whole_size(origin_, static_cast<double>(output.size()), limits_);
    check_unpacked(origin_, static_cast<double>(output.size()), consumed(), limits_);
    return result == Z_STREAM_END;
  }

  double consumed() const { return static_cast<double>(packed_ - rest_.size() - stream_.avail_in); }

  void refill() {
    if (stream_.avail_in > 0)
      return;
    const std::size_t size = std::min<std::size_t>(rest_.size(), std::numeric_limits<uInt>::max());
    // zlib does not write through next_in; its type is older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = static_cast<uInt>(size);
    rest_.remove_prefix(size);
  }

  const std::string& origin_;
  std::string_view rest_;
  std::size_t packed_;
  FileLimits limits_ = file_limits();
  z_stream stream_{};
};

}  // namespace

std::string gunzip_if_compressed(std::string text, const std::string& origin) {
  if (!text.starts_with("\x1f\x8b"))
    return text;
  return without_byte_order_mark(Inflater(text, origin).run());
}

}  // namespace stepcast
