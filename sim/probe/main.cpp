#include <string>
#include <vector>

#include "sim/probe/probe_program.hpp"

int main(int argc, char** argv) {
  return stepcast::run_probe(std::vector<std::string>(argv + 1, argv + argc),
                             stepcast::open_hardware);
}
