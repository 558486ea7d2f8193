#include "sim/cli/command_line.hpp"

int main(int argc, char** argv) {
  return stepcast::run_command_line(argc, argv);
}
