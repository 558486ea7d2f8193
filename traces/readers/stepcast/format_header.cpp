#include "traces/readers/stepcast/format_header.hpp"

#include <fmt/format.h>

#include "models/base/text.hpp"

namespace stepcast {

void read_format_header(ObjectReader& root, std::string_view format) {
  const std::string found = root.text("format");
  if (found != format)
    root.fail("format", fmt::format("expected \"{}\", found {}", format, in_quotes(found)));
  const std::uint64_t version = root.count("version", 1);
  if (version != 1)
    root.fail("version", fmt::format("expected 1, found {}", version));
}

}  // namespace stepcast
