#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

/// Where the build leaves the index: share/stepcast/list.index beside the program's folder.
std::filesystem::path list_index_file();

/// What `list` says of the files that were there when the program was built, so that it need not
/// read them: the cells of a row, by all that the file holds. A file that is new or has changed is
/// not in it.
class ListIndex {
 public:
  using Cells = std::vector<std::string>;

  ListIndex() = default;
  /// As text() wrote it; empty if there is no such file.
  explicit ListIndex(const std::filesystem::path& file);

  /// The cells for a file in the table `kind`; `read` makes those that are not known.
  const Cells& cells_of(std::string_view kind, const std::filesystem::path& file,
                        const std::function<Cells()>& read);

  /// All that was asked for, as the build writes it.
  std::string text() const;

 private:
  std::map<std::string, Cells> known_;  // by kind and hash of the file
  std::map<std::string, Cells> asked_;
  std::string room_;  // for the bytes of a file
};

}  // namespace stepcast
