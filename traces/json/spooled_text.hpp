#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace stepcast {

/// A text that may be longer than one wants to hold: what is more than some MiB goes to a file
/// without a name in the folder for temporary files, which is gone with the object.
class SpooledText {
 public:
  SpooledText() = default;
  ~SpooledText();
  SpooledText(SpooledText&& other) noexcept;
  SpooledText& operator=(SpooledText&& other) noexcept;

  /// Throws InputError that names the folder where the file cannot be written.
  void append(std::string_view text);
  void append(const SpooledText& other);

  std::uint64_t size() const { return in_file_ + text_.size(); }
  bool is_in_file() const { return file_ >= 0; }

  /// Hands over the whole, piece by piece.
  void read(const std::function<void(std::string_view)>& take) const;

  /// The file's descriptor, which is the caller's from here on, at its begin; the text must be in a
  /// file. The object is empty afterwards.
  int release();

 private:
  void write_out();

  std::string text_;  ///< What is not in the file yet.
  int file_ = -1;
  std::uint64_t in_file_ = 0;
};

/// As of strict_json.hpp.
void write_text_file(const std::filesystem::path& path, const SpooledText& text);

}  // namespace stepcast
