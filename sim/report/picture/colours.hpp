#pragma once
// The colours of figures and of the page, which reads these very tables.

#include <array>
#include <cstddef>
#include <string_view>

namespace stepcast {

/// Okabe and Ito's colours, which people with colour-blindness can tell apart.
inline constexpr std::array kPalette = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                        "#e69f00", "#56b4e9", "#000000", "#8c8c00"};

/// Returns the colour of that number; after the last comes the first again.
constexpr const char* colour(std::size_t index) {
  return kPalette[index % kPalette.size()];
}

struct KindColour {
  std::string_view kind;
  const char* colour;
};

/// A kind of work has one colour wherever it is drawn. Communication is purple, compute beside the
/// passes green, waiting olive, idle time grey.
inline constexpr std::array kWorkColours = std::to_array<KindColour>({
    {"forward", "#0072b2"},
    {"backward", "#d55e00"},
    {"gradients of inputs", "#994f00"},
    {"gradients of weights", "#e69f00"},
    {"recomputation", "#56b4e9"},
    {"other compute", "#009e73"},
    {"update", "#009e73"},
    {"compression", "#117733"},
    {"packing", "#44aa99"},
    {"unpacking", "#66bb55"},
    {"exposed communication", "#cc79a7"},
    {"all-reduce", "#cc79a7"},
    {"reduce-scatter", "#aa4499"},
    {"all-gather", "#882255"},
    {"all-to-all", "#7e57c2"},
    {"broadcast", "#b39ddb"},
    {"reduce", "#5e3c99"},
    {"send", "#dd3497"},
    {"messages in layers", "#9e9ac8"},
    {"blocking messages", "#7a0177"},
    {"waiting for slower ranks", "#8c8c00"},
    {"waiting", "#8c8c00"},
    {"pipeline bubble", "#bbbb77"},
    {"idle", "#8c8c8c"},
});

/// Returns the colour of a kind of work, or of its part or whole in a label such as "other compute:
/// packing"; of an unknown kind the colour of the number `otherwise`.
const char* colour_of_work(std::string_view kind, std::size_t otherwise);

}  // namespace stepcast
