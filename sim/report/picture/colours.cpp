#include "sim/report/picture/colours.hpp"

#include <algorithm>

namespace stepcast {

const char* colour_of_work(std::string_view kind, std::size_t otherwise) {
  constexpr std::string_view kPartOf = ": ";
  const std::size_t end = std::min(kind.find(kPartOf), kind.size());
  const std::string_view part = kind.substr(std::min(end + kPartOf.size(), kind.size()));
  for (const std::string_view wanted : {kind, part, kind.substr(0, end)})
    if (const auto* known = std::ranges::find(kWorkColours, wanted, &KindColour::kind);
        known != kWorkColours.end())
      return known->colour;
  return colour(otherwise);
}

}  // namespace stepcast
