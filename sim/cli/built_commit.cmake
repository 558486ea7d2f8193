# cmake -DSOURCE=<root of the sources> -DFILE=<file to write> -P built_commit.cmake
# Writes the function of built_commit.hpp. Runs in every build and leaves the file alone while its content stays the
# same, so that nothing is compiled again. A tree without .git (a release's archive) has no commit.
set(commit "")
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT [[
#include "sim/cli/built_commit.hpp"

namespace stepcast {

const char* built_commit() {
  return "@commit@";
}

}  // namespace stepcast
]])
