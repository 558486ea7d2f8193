#include "traces/formats/gzip.hpp"

#include <algorithm>
#include <fstream>
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

namespace {

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
