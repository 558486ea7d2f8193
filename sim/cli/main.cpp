#include <malloc.h>

#include "sim/cli/command_line.hpp"
#include "sim/cli/tell.hpp"
#include "sim/study/stop.hpp"

// Simulations give megabytes back and ask for them again: the system would have to clear them each
// time, which takes a fifth of a study of K-FAC.
static void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

int main(int argc, char** argv) {
  keep_freed_memory();
  stepcast::hold_standard_streams();
  stepcast::handle_signals();
  return stepcast::run_command_line(argc, argv);
}
