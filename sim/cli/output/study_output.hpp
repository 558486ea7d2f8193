#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cli/output/figure_file.hpp"
#include "sim/cli/page_file.hpp"

namespace stepcast {

/// What the command of a study ends with: 0, or that of the signal that stopped it, of which it
/// tells, with what is there all the same.
int end_of_study(std::string_view what_is_there);

/// Where the result of a search goes: text or JSON on stdout, and where the user asks for them a
/// picture and a page. Comparisons have StudyView.
class StudyOutput {
 public:
  /// `drawn`: what the picture shows.
  std::vector<CommandOption> options(const std::string& drawn);

  /// Throws InputError if a picture or page could not be written. To be called before long work.
  void check() const;

  /// How the result is written; each is called only where it is wanted.
  struct Writers {
    std::function<std::string()> text;
    std::function<std::string()> json;
    std::function<std::string()> figure{};
    std::function<void()> finish{};  ///< Completes files that grew; throws where that failed.
  };
  /// Writes it; returns what the command ends with: that of the signal that stopped the study, or
  /// 0.
  int write(const Writers& writers) const;

 private:
  FigureFile figure_;
  PageFile page_;
  bool json_ = false;
};

}  // namespace stepcast
