#pragma once

#include <string>

namespace stepcast {

/// JSON text, and what errors call it: a file's name.
struct PageSource {
  std::string origin{};
  std::string text{};
};

/// Throws InputError for a result of which there is nothing to show, or whose steps take no time.
void check_result(const PageSource& result);

/// A result as one HTML file that needs nothing else: pictures, tables, the data themselves.
/// `result`: what a command prints with --json. `trace`: a Chrome trace of the timeline, or empty.
/// `figure`: what `--figure` draws of it (SVG), shown above the timeline, or empty.
/// Names in them are text on the page, whatever they hold. Of a trace with more than 20,000 tasks
/// the first so many are shown. Throws InputError if `result` or `trace` is none, or if the page's
/// scripts are not there.
std::string page_of(const PageSource& result, const PageSource& trace,
                    const std::string& figure = "");

/// Throws InputError that says what to do if the page's scripts are not there.
void require_page_assets();

}  // namespace stepcast
