#pragma once

#include <string>

#include "sim/cli/command_option.hpp"

namespace stepcast {

/// `--figure FILE`: a picture, as SVG or as PNG by the end of its name. "": not asked for, and
/// nothing below does anything.
class FigureFile {
 public:
  /// "also draw WHAT, as .svg or .png"
  CommandOption option(const std::string& what, const std::string& names = "--figure");

  /// Throws InputError if the picture could not be written. To be called before long work.
  void check() const;

  bool is_wanted() const { return !path_.empty(); }
  const std::string& path() const { return path_; }

  /// Writes a picture that was drawn as SVG.
  void write(const std::string& svg) const;

 private:
  std::string path_;
};

}  // namespace stepcast
