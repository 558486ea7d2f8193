#pragma once

#include <string>
#include <string_view>

namespace stepcast {

/// A log without the labels that launchers put before every line: "12: " of `srun -l`,
/// "[1,0]<stdout>:" of `mpirun --tag-output`, a time. The label's form is what stands before the
/// heading of the benchmark's table; on other lines its letters and digits may differ.
/// Lines without such a label stay as they are, and so does a log whose heading has none. Line
/// numbers stay.
std::string without_labels(std::string_view text);

}  // namespace stepcast
