#pragma once

#include <string>

#include "sim/cli/command_option.hpp"
#include "sim/report/page/page.hpp"

namespace stepcast {

/// `--page FILE`, which many commands take. "": not asked for, and nothing below does anything.
class PageFile {
 public:
  CommandOption option();

  /// Throws InputError if the page could not be written. To be called before long work.
  void check() const;

  bool is_wanted() const { return !path_.empty(); }

  /// Writes the page of a result (see page_of) and says so on stderr.
  void write(const PageSource& result, const PageSource& trace = {},
             const std::string& figure = "") const;
  void write(const std::string& json) const { write({"result", json}); }

 private:
  std::string path_;
};

}  // namespace stepcast
