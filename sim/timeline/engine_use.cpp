#include "sim/timeline/engine_use.hpp"

#include <fmt/format.h>

namespace stepcast {

std::string version_in_words(SimGridVersion version) {
  const std::string text = fmt::format("{}.{}", version / 10000, version / 100 % 100);
  return version % 100 == 0 ? text : fmt::format("{}.{}", text, version % 100);
}

}  // namespace stepcast
