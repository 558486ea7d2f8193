#include "sim/report/text/plot.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kColumns = 72;
constexpr std::size_t kLines = 12;

std::size_t cell_of(double share, std::size_t cells) {
  const double last = static_cast<double>(cells - 1);
  return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * last));
}

}  // namespace

std::string render_plot(const std::vector<PlotPoint>& points, const PlotLabels& labels) {
  std::vector<std::string> rows(kLines, std::string(kColumns, ' '));
  for (const PlotPoint& point : points)
    rows[kLines - 1 - cell_of(point.up, kLines)][cell_of(point.across, kColumns)] = point.mark;
  const std::size_t margin = std::max(width_of(labels.top), width_of(labels.bottom));
  std::string text;
  for (std::size_t i = 0; i < kLines; ++i) {
    const std::string& label = i == 0 ? labels.top : i + 1 == kLines ? labels.bottom : "";
    std::string line = fmt::format("{:>{}} |{}", label, margin, rows[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  text += fmt::format("{:>{}} +{:-<{}}\n", "", margin, "", kColumns);
  const std::size_t between =
      kColumns - std::min(kColumns, width_of(labels.left) + width_of(labels.right));
  text += fmt::format("{:>{}}  {}{:^{}}{}\n", "", margin, labels.left, labels.across, between,
                      labels.right);
  return text;
}

}  // namespace stepcast
