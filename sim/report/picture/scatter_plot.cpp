#include "sim/report/picture/scatter_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "sim/report/picture/svg.hpp"

namespace stepcast {
namespace {

constexpr double kSide = 480;  // of the square between the axes, in pixels
constexpr double kLeft = 74;
constexpr double kTop = 44;
constexpr double kLegend = 190;
constexpr double kBand = 1.1;
// Told apart by people who see few colours too (Okabe and Ito, 2008); a shape for each round.
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                              "#56b4e9", "#e69f00", "#000000"};

/// Whole decades that hold all points.
struct Range {
  double low = 0;
  double high = 1;

  double share(double value) const { return (std::log10(value) - low) / (high - low); }
};

Range range_of(const std::vector<ScatterSeries>& series) {
  double least = INFINITY;
  double most = -INFINITY;
  for (const ScatterSeries& each : series)
    for (const ScatterPoint& point : each.points) {
      least = std::min({least, point.across, point.up});
      most = std::max({most, point.across, point.up});
    }
  if (!(least <= most))
    return {};
  const double low = std::floor(std::log10(least));
  return {low, std::max(low + 1, std::ceil(std::log10(most)))};
}

double x_of(const Range& range, double value) {
  return kLeft + kSide * range.share(value);
}

double y_of(const Range& range, double value) {
  return kTop + kSide * (1 - range.share(value));
}

std::string decade_text(int exponent) {
  constexpr std::array kUnits{"ns", "us", "ms", "s"};
  const int unit = std::clamp((exponent + 9) / 3, 0, 3);
  return fmt::format("{:g} {}", std::pow(10.0, exponent + 9 - 3 * unit),
                     kUnits[static_cast<std::size_t>(unit)]);
}

class Picture {
 public:
  explicit Picture(const Range& range) : range_(range) {
    add(R"(<defs><clipPath id="frame"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath></defs>)",
        kLeft, kTop, kSide, kSide);
  }

  void axes(const ScatterLabels& labels) {
    for (int decade = static_cast<int>(range_.low); decade <= static_cast<int>(range_.high);
         ++decade)
      grid_line(decade);
    add(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#333"/>)", kLeft, kTop,
        kSide, kSide);
    out_ += svg::text(kLeft, 24, "start", labels.title, R"(font-size="15" font-weight="bold")");
    out_ += svg::text(kLeft + kSide / 2, kTop + kSide + 42, "middle", labels.across);
    out_ += svg::text(0, 0, "middle", labels.up,
                      fmt::format("transform=\"translate(16,{}) rotate(-90)\"", kTop + kSide / 2));
  }

  void equality() {
    const double low = std::pow(10.0, range_.low);
    const double high = std::pow(10.0, range_.high);
    add(R"svg(<polygon clip-path="url(#frame)" fill="#999" fill-opacity="0.25" points="{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}"/>)svg",
        x_of(range_, low), y_of(range_, low * kBand), x_of(range_, high),
        y_of(range_, high * kBand), x_of(range_, high), y_of(range_, high / kBand),
        x_of(range_, low), y_of(range_, low / kBand));
    out_ += svg::line(x_of(range_, low), y_of(range_, low), x_of(range_, high), y_of(range_, high),
                      R"(stroke="#555")");
  }

  void series(const ScatterSeries& series, std::size_t index) {
    const char* colour = kColours[index % kColours.size()];
    const bool hollow = index / kColours.size() % 2 == 1;
    for (const ScatterPoint& point : series.points)
      dot(x_of(range_, point.across), y_of(range_, point.up), colour, hollow, point.label);
    const double y = kTop + 12 + 18 * static_cast<double>(index);
    dot(kLeft + kSide + 16, y - 4, colour, hollow, series.name);
    out_ += svg::text(kLeft + kSide + 26, y, "start", series.name);
  }

  void nothing() { out_ += svg::text(kLeft + kSide / 2, kTop + kSide / 2, "middle", "no points"); }

  std::string document() const {
    return svg::document(kLeft + kSide + kLegend, kTop + kSide + 56, 12, out_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void grid_line(int decade) {
    const double at = std::pow(10.0, decade);
    const double x = x_of(range_, at);
    const double y = y_of(range_, at);
    add(R"(<path d="M{:.1f} {}V{}M{} {:.1f}H{}" stroke="#ddd"/>)", x, kTop, kTop + kSide, kLeft, y,
        kLeft + kSide);
    out_ += svg::text(x, kTop + kSide + 18, "middle", decade_text(decade));
    out_ += svg::text(kLeft - 8, y + 4, "end", decade_text(decade));
  }

  void dot(double x, double y, const char* colour, bool hollow, const std::string& label) {
    add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="{}" stroke="{}" fill-opacity="0.75"><title>{}</title></circle>)",
        x, y, hollow ? "white" : colour, colour, svg::escaped(label));
  }

  Range range_;
  std::string out_;
};

}  // namespace

std::string render_scatter_plot(const std::vector<ScatterSeries>& series,
                                const ScatterLabels& labels) {
  Picture picture(range_of(series));
  picture.axes(labels);
  picture.equality();
  std::size_t shown = 0;
  for (const ScatterSeries& each : series)
    if (!each.points.empty())
      picture.series(each, shown++);
  if (shown == 0)
    picture.nothing();
  return picture.document();
}

}  // namespace stepcast
