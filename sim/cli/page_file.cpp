#include "sim/cli/page_file.hpp"

#include "models/base/error.hpp"
#include "sim/cli/tell.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

CommandOption PageFile::option() {
  return output_option("--page", &path_,
                       "also write a page of pictures and tables (one HTML file)");
}

void PageFile::check() const {
  if (!is_wanted())
    return;
  if (!path_.ends_with(".html") && !path_.ends_with(".htm"))
    throw InputError(path_ + ": pages are HTML; expected a name that ends in .html");
  require_page_assets();
}

void PageFile::write(const PageSource& result, const PageSource& trace,
                     const std::string& figure) const {
  if (!is_wanted())
    return;
  write_text_file(path_, page_of(result, trace, figure));
  tell("page written to {}; open it in a browser\n", path_);
}

}  // namespace stepcast
