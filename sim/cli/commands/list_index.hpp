#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

/// What `list` says of the files that were there when the program was built, so that it need not
/// read them: the cells of a row, by all that the file holds. A file that is new or has changed is
/// not in it.
class ListIndex {
 public:
  using Cells = std::vector<std::string>;

  /// Reads the index beside the program, share/stepcast/list.index; empty if there is none.
  ListIndex();

  /// The cells for a file in the table `kind`; `read` makes those that are not known.
  const Cells& cells_of(std::string_view kind, const std::filesystem::path& file,
                        const std::function<Cells()>& read);

  /// All that was asked for, as the build writes it.
  std::string text() const;

 private:
  std::map<std::string, Cells> known_;  // by kind and hash of the file
  std::map<std::string, Cells> asked_;
};

}  // namespace stepcast
