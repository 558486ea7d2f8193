#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/report/text/clean.hpp"
#include "traces/json/spooled_text.hpp"

namespace stepcast {

/// Writes to stderr past the buffers of stdio, which a fork would copy. Never fails: whoever closed
/// stderr, or has a full disk behind it, does not want to know, and results do not depend on it.
void tell_text(std::string_view text);

void say_text(std::string_view text);
/// The same for a result that may be long; it must be printable.
void say_text(SpooledText text);

/// The same for a formatted text. Lines of ours begin with "stepcast: " and end in a line feed.
template <class... Args>
void tell(fmt::format_string<Args...> text, Args&&... args) {
  tell_text(printable(fmt::format(text, std::forward<Args>(args)...)));
}

/// A result, to stdout; printable whatever names from files are in it. That it could not be written
/// shows at the end of the command: the files that are to be written as well still are.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  say_text(printable(fmt::format(text, std::forward<Args>(args)...)));
}

/// While it lives, what this thread says and tells is kept here and written nowhere: for a caller
/// that wants the result of a command and not its output.
class KeptOutput {
 public:
  KeptOutput() noexcept;
  ~KeptOutput();
  KeptOutput(const KeptOutput&) = delete;
  KeptOutput& operator=(const KeptOutput&) = delete;

  std::string said;
  SpooledText said_at_length;  ///< After `said`: a result that was too long to be held.
  std::string told;

 private:
  KeptOutput* outer_;
};

/// The error number of the first write to stdout that failed; 0: none did.
int output_error() noexcept;

/// Gives stdin, stdout and stderr something behind them where they are closed, so that no file of
/// ours becomes one of them by its number. To a closed stdout writing fails, as it should.
void hold_standard_streams() noexcept;

}  // namespace stepcast
