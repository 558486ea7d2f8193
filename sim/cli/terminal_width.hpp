#pragma once

#include <cstddef>

namespace stepcast {

/// Columns of the terminal that stdout writes to: COLUMNS where it is set to a number, else what
/// the terminal says. 100 where neither is known, and where stdout is no terminal: what is kept in
/// a file should not hang on the window it was made in.
std::size_t terminal_width();

/// The same of what is known of stdout; `columns` is the variable or null, `said` 0 if unknown.
std::size_t terminal_width(bool is_terminal, const char* columns, std::size_t said);

}  // namespace stepcast
