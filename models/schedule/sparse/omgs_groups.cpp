#include "models/schedule/sparse/omgs_groups.hpp"

#include <algorithm>

namespace stepcast::sparse {
namespace {

/// The groups that are closed, and how far compute and network have got with them.
struct Progress {
  Seconds selected{};      ///< End of the last selection on the compute stream.
  Seconds communicated{};  ///< End of the last communication.
};

void close(Progress& progress, Seconds selected, Seconds communication) {
  progress.selected = selected;
  progress.communicated = std::max(progress.communicated, selected) + communication;
}

}  // namespace

std::vector<std::size_t> omgs_groups(std::span<const OmgsLayer> layers, const OmgsCosts& costs) {
  std::vector<std::size_t> groups;
  if (layers.empty())
    return groups;
  Progress progress;
  Seconds backward = layers.front().backward;  // of the open group, since the last selection
  double elements = layers.front().elements;
  std::size_t members = 1;
  for (const OmgsLayer& next : layers.subspan(1)) {
    const double both = elements + next.elements;
    const Seconds selection = costs.selection(elements);
    const Seconds selected = progress.selected + backward + selection;
    const Seconds begin = std::max(progress.communicated, selected);
    const Seconds wait = next.backward + costs.selection(both) - selection -
                         costs.selection(next.elements) - (begin - selected);
    const Seconds saved = costs.communication(elements) + costs.communication(next.elements) -
                          costs.communication(both);
    if (wait < saved) {
      backward += next.backward;
      elements = both;
      ++members;
      continue;
    }
    close(progress, selected, costs.communication(elements));
    groups.push_back(members);
    backward = next.backward;
    elements = next.elements;
    members = 1;
  }
  groups.push_back(members);
  return groups;
}

}  // namespace stepcast::sparse
