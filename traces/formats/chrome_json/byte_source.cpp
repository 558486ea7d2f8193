#include "traces/formats/chrome_json/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <zlib.h>

#include "models/base/error.hpp"
#include "traces/byte_order_mark.hpp"
#include "traces/json/file_limits.hpp"

namespace stepcast {
namespace {

constexpr unsigned kBuffer = 1U << 17;

/// zlib's file interface passes plain files through and unpacks gzip, by content. A byte-order mark
/// at the front is no content.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path) : origin_(path.string()) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
      throw InputError(origin_ + ": not found");
    if (std::filesystem::is_directory(path, ignored))
      throw InputError(origin_ + ": is a directory, expected a file");
    file_ = gzopen(origin_.c_str(), "rb");
    if (file_ == nullptr)
      throw InputError(origin_ + ": cannot be read: " + std::strerror(errno));
    gzbuffer(file_, kBuffer);
  }
  ~FileSource() override { gzclose(file_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = unpack(buffer);
    const std::string_view front(buffer.data(), count);
    if (std::exchange(at_front_, false) && front.starts_with(kByteOrderMark)) {
      std::ranges::copy(front.substr(kByteOrderMark.size()), buffer.begin());
      const std::size_t rest = count - kByteOrderMark.size();
      return rest > 0 ? rest : unpack(buffer);
    }
    return count;
  }

 private:
  std::size_t unpack(std::span<char> buffer) {
    const int count = gzread(file_, buffer.data(), static_cast<unsigned>(buffer.size()));
    int error = Z_OK;
    gzerror(file_, &error);
    if (error == Z_BUF_ERROR)
      throw InputError(origin_ + ": the gzip data ends too early");
    if (count < 0)
      throw InputError(origin_ + ": the gzip data is damaged");
    unpacked_ += count;
    const z_off_t packed = gzoffset(file_);
    check_unpacked(origin_, unpacked_, packed > 0 ? static_cast<double>(packed) : unpacked_,
                   limits_);
    return static_cast<std::size_t>(count);
  }

  std::string origin_;
  gzFile file_ = nullptr;
  bool at_front_ = true;
  double unpacked_ = 0;
  FileLimits limits_ = file_limits();
};

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : rest_(text) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = rest_.copy(buffer.data(), buffer.size());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path) {
  return std::make_unique<FileSource>(path);
}

std::unique_ptr<ByteSource> open_text(std::string_view text) {
  return std::make_unique<TextSource>(text);
}

std::string head_of(const std::filesystem::path& path, std::size_t size) {
  std::string head(size, '\0');
  head.resize(open_file(path)->read(std::span(head.data(), size)));
  return head;
}

}  // namespace stepcast
