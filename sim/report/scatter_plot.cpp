#include "sim/report/scatter_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

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

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

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
    add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="sans-serif" font-size="12">)",
        kLeft + kSide + kLegend, kTop + kSide + 56);
    add(R"(<rect width="100%" height="100%" fill="white"/>)");
    add(R"(<defs><clipPath id="frame"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath></defs>)",
        kLeft, kTop, kSide, kSide);
  }

  void axes(const ScatterLabels& labels) {
    for (int decade = static_cast<int>(range_.low); decade <= static_cast<int>(range_.high);
         ++decade)
      grid_line(decade);
    add(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#333"/>)", kLeft, kTop,
        kSide, kSide);
    add(R"(<text x="{}" y="24" font-size="15" font-weight="bold">{}</text>)", kLeft,
        escaped(labels.title));
    add(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", kLeft + kSide / 2,
        kTop + kSide + 42, escaped(labels.across));
    add(R"svg(<text transform="translate(16,{}) rotate(-90)" text-anchor="middle">{}</text>)svg",
        kTop + kSide / 2, escaped(labels.up));
  }

  void equality() {
    const double low = std::pow(10.0, range_.low);
    const double high = std::pow(10.0, range_.high);
    add(R"svg(<polygon clip-path="url(#frame)" fill="#999" fill-opacity="0.25" points="{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}"/>)svg",
        x_of(range_, low), y_of(range_, low * kBand), x_of(range_, high),
        y_of(range_, high * kBand), x_of(range_, high), y_of(range_, high / kBand),
        x_of(range_, low), y_of(range_, low / kBand));
    add(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="#555"/>)",
        x_of(range_, low), y_of(range_, low), x_of(range_, high), y_of(range_, high));
  }

  void series(const ScatterSeries& series, std::size_t index) {
    const char* colour = kColours[index % kColours.size()];
    const bool hollow = index / kColours.size() % 2 == 1;
    for (const ScatterPoint& point : series.points)
      dot(x_of(range_, point.across), y_of(range_, point.up), colour, hollow, point.label);
    const double y = kTop + 12 + 18 * static_cast<double>(index);
    dot(kLeft + kSide + 16, y - 4, colour, hollow, series.name);
    add(R"(<text x="{}" y="{:.1f}">{}</text>)", kLeft + kSide + 26, y, escaped(series.name));
  }

  void nothing() {
    add(R"(<text x="{}" y="{}" text-anchor="middle">no points</text>)", kLeft + kSide / 2,
        kTop + kSide / 2);
  }

  std::string finish() && { return std::move(out_) + "</svg>\n"; }

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
    add(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", x, kTop + kSide + 18,
        decade_text(decade));
    add(R"(<text x="{}" y="{:.1f}" text-anchor="end">{}</text>)", kLeft - 8, y + 4,
        decade_text(decade));
  }

  void dot(double x, double y, const char* colour, bool hollow, const std::string& label) {
    add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="{}" stroke="{}" fill-opacity="0.75"><title>{}</title></circle>)",
        x, y, hollow ? "white" : colour, colour, escaped(label));
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
  return std::move(picture).finish();
}

}  // namespace stepcast
