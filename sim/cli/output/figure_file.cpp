#include "sim/cli/output/figure_file.hpp"

#include "models/base/error.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/report/png/png.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

CommandOption FigureFile::option(const std::string& what, const std::string& names) {
  return output_option(names, &path_, "also draw " + what + ", as .svg or .png");
}

void FigureFile::check() const {
  if (!is_wanted())
    return;
  if (path_.ends_with(".png"))
    require_png(path_);
  else if (!path_.ends_with(".svg"))
    throw InputError(path_ + ": figures are SVG or PNG; expected a name that ends in .svg or .png");
  check_writable(path_);
}

void FigureFile::write(const std::string& svg) const {
  if (is_wanted())
    write_text_file(path_, path_.ends_with(".png") ? png_of(svg) : svg);
}

}  // namespace stepcast
