#include "sim/cli/command_line.hpp"
#include "sim/cli/freed_memory.hpp"
#include "sim/cli/tell.hpp"
#include "sim/workers/stop.hpp"

int main(int argc, char** argv) {
  stepcast::keep_freed_memory();
  stepcast::hold_standard_streams();
  stepcast::handle_signals();
  return stepcast::run_command_line(argc, argv);
}
