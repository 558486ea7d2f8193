#pragma once

#include <cstddef>

namespace stepcast {

/// Columns of the terminal that stdout writes to: COLUMNS where it is set to a number, else what
/// the terminal says. 100 where neither is known, and where stdout is no terminal: what is kept in
/// a file should not hang on the window it was made in.
std::size_t terminal_width();

/// Returns the width for a stdout that is or is no terminal. `columns` is the variable COLUMNS or
/// null; `said` is what the terminal says, 0 if unknown.
std::size_t terminal_width(bool is_terminal, const char* columns, std::size_t said);

}  // namespace stepcast
