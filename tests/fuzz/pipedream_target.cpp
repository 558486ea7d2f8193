#include <string>

#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/gzip.hpp"
#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/formats/stepcast/workload_file.hpp"

namespace stepcast::fuzz {

bool accepts_pipedream(std::string_view text) {
  return accepts([&] {
    const std::string plain = gunzip_if_compressed(std::string(text), "input");
    ImportReport report;
    const Workload workload = pipedream_reader().read(
        {text_stream(plain, "profiles/tiny/graph.txt")}, ImportOptions{}, report);
    require(!workload.layers.empty(), "a workload has a layer");
    parse_workload(to_json_text(workload), "written");
  });
}

}  // namespace stepcast::fuzz
