#pragma once

#include <string>

#include "sim/study/gate/gate.hpp"

namespace stepcast {

/// A row for each case and a verdict, for a terminal.
std::string render_gate(const Gate& gate);
std::string gate_json(const Gate& gate);
/// A table and the verdict, for the comment of a change.
std::string gate_markdown(const Gate& gate);
/// JUnit's XML: a test for each case; what is slower or missing has failed, what is new is skipped.
std::string gate_junit(const Gate& gate);

}  // namespace stepcast
