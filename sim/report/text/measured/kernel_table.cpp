#include "sim/report/text/measured/kernel_table.hpp"

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {

std::string render_uneven_kernels(const Diagnosis& diagnosis) {
  if (!diagnosis.uneven_kernels)
    return "";
  const UnevenKernels& uneven = *diagnosis.uneven_kernels;
  const std::string slow = label_of(diagnosis.ranks[uneven.slowest]);
  const std::string fast = label_of(diagnosis.ranks[uneven.fastest]);
  Table table{
      .columns = {
          {"kernel", Align::Left}, {"count"}, {"slowest ms"}, {"fastest ms"}, {"longer by"}}};
  constexpr std::size_t kLongest = 44;
  for (const UnevenKind& kind : uneven.kinds)
    table.rows.push_back(
        {kind.name.size() > kLongest ? kind.name.substr(0, kLongest - 2) + ".." : kind.name,
         fmt::format("{:.4g}", kind.slowest.count), milliseconds(kind.slowest.time),
         milliseconds(kind.fastest.time), milliseconds(kind.longer_by())});
  return wrap(fmt::format("Of ranks that do the same, rank {} computes longest and rank {} "
                          "shortest, {} and {} a step. Most of it goes with:",
                          slow, fast, format_seconds(diagnosis.uses[uneven.slowest].computing),
                          format_seconds(diagnosis.uses[uneven.fastest].computing)),
              0)
             .insert(0, "\n") +
         render(table);
}

}  // namespace stepcast
