#include "sim/report/text/studies/gate_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/report/picture/svg.hpp"
#include "sim/report/text/clean.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

std::string milliseconds(const std::optional<Seconds>& time) {
  return time ? fmt::format("{:.2f}", time->value * 1e3) : "-";
}

std::string change_of(const GateCase& found) {
  return found.before && found.now ? fmt::format("{:+.1f} %", found.change * 100) : "-";
}

auto count(const Gate& gate, GateOutcome outcome) {
  return std::ranges::count(gate.cases, outcome, &GateCase::outcome);
}

std::string verdict_of(const Gate& gate) {
  std::string text = fmt::format(
      "{}: {} of {} cases more than {:.3g} % slower", gate.passed() ? "Passed" : "Failed",
      count(gate, GateOutcome::Slower), gate.cases.size(), gate.most * 100);
  if (const auto missing = count(gate, GateOutcome::Missing); missing > 0)
    text += fmt::format(", {} missing", missing);
  if (const auto added = count(gate, GateOutcome::New); added > 0)
    text += fmt::format(", {} new", added);
  return text + ".";
}

std::string failure_of(const GateCase& found) {
  return found.outcome == GateOutcome::Missing
             ? "only the baseline has this case"
             : fmt::format("{} ms instead of {} ms, {}", milliseconds(found.now),
                           milliseconds(found.before), change_of(found));
}

/// A bar or the end of a line would end the cell of the table, and a tag be taken for one.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : printable(text))
    out += c == '|'    ? std::string("\\|")
           : c == '<'  ? std::string("&lt;")
           : c == '&'  ? std::string("&amp;")
           : c == '\n' ? std::string(" ")
                       : std::string(1, c);
  return out;
}

}  // namespace

std::string render_gate(const Gate& gate) {
  Table table{.columns = {{"case", Align::Left},
                          {"before ms"},
                          {"now ms"},
                          {"change"},
                          {"outcome", Align::Left}},
              .rows = {}};
  for (const GateCase& found : gate.cases)
    table.rows.push_back({found.name, milliseconds(found.before), milliseconds(found.now),
                          change_of(found), name_of(found.outcome)});
  const std::string heading = gate.job.empty() ? "" : wrap(gate.job, 2) + "\n";
  return heading + render(table) + "\n" + verdict_of(gate) + "\n";
}

std::string gate_markdown(const Gate& gate) {
  std::string text = gate.job.empty() ? "" : cell(gate.job) + "\n\n";
  text += "| case | before ms | now ms | change | outcome |\n|---|---:|---:|---:|---|\n";
  for (const GateCase& found : gate.cases)
    text +=
        fmt::format("| {} | {} | {} | {} | {} |\n", cell(found.name), milliseconds(found.before),
                    milliseconds(found.now), change_of(found), name_of(found.outcome));
  return text + "\n" + verdict_of(gate) + "\n";
}

std::string gate_junit(const Gate& gate) {
  const auto failures = count(gate, GateOutcome::Slower) + count(gate, GateOutcome::Missing);
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"stepcast gate\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
      gate.cases.size(), failures, count(gate, GateOutcome::New));
  for (const GateCase& found : gate.cases) {
    xml += fmt::format("  <testcase classname=\"stepcast\" name=\"{}\">", svg::escaped(found.name));
    if (found.outcome == GateOutcome::New)
      xml += "<skipped message=\"the baseline does not have this case\"/>";
    else if (found.outcome != GateOutcome::Passed)
      xml += fmt::format("<failure message=\"{}\"/>", svg::escaped(failure_of(found)));
    xml += "</testcase>\n";
  }
  return xml + "</testsuite>\n";
}

}  // namespace stepcast
