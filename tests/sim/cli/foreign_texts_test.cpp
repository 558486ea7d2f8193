// Texts and numbers of somebody else, by whatever door they come in: bytes that are not UTF-8 are
// refused with file and line, keys and values are shown short, numbers pass ranges.
#include <fstream>

#include <gtest/gtest.h>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

const std::vector<std::string> kJob{"--workload", "resnet50-rtx2080ti-bs64",
                                    "--cluster",  "rtx2080ti-16x4-10gbe",
                                    "--nodes",    "2",
                                    "--fidelity", "analytic"};

std::vector<std::string> words(const std::string& command, std::vector<std::string> more) {
  std::vector<std::string> all{command};
  all.insert(all.end(), kJob.begin(), kJob.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// A refusal in one line that is short however long what is refused may be.
void expect_one_line(const Outcome& outcome, const std::string& begin) {
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("stepcast: " + begin)) << outcome.err;
  EXPECT_EQ(lines_of(outcome.err).size(), 1U);
  EXPECT_LT(outcome.err.size(), 1000U);
}

// These were read, and ended in "[json.exception.type_error.316]" where JSON was asked for.
TEST(ForeignTexts, BytesOfTablesThatAreNotUtf8AreRefusedWithTheirLine) {
  const TemporaryFolder folder;
  const std::string layouts = folder.file(
      "layouts.csv",
      "set,model,layers,hidden,ffn,heads,kv_heads,seq,vocab,gpu,gpus,gpus_per_node,tp,pp,dp,"
      "micro_batch,global_batch,virtual_stages,recompute,attention,sharding,precision,seconds\n"
      "megatron-2022,g\xfft-22b,48,6144,24576,64,64,2048,51200,a100-sxm4-80gb,8,8,8,1,1,4,4,1,full,"
      "unfused,none,fp16,1.5\n");
  expect_one_line(run_cli({"validate", "--cases", layouts, "--cluster", "dgx-a100", "--json"}),
                  layouts + ": line 2, column 16: this byte is not UTF-8 text");
  const std::string edge = folder.file("edge.csv",
                                       "device,work_flops,speed_flops_per_s,size_bytes,"
                                       "rate_bytes_per_s\nphone\xff,1e12,1e12,1e6,1e7\n");
  for (const bool json : {false, true})
    expect_one_line(run_cli(json ? std::vector<std::string>{"run", "--edge", edge, "--json"}
                                 : std::vector<std::string>{"run", "--edge", edge}),
                    edge + ": line 2, column 6: this byte is not UTF-8 text");
  const std::string slow = folder.file("slow.csv", "# made\xff\nstep,rank,factor\n0,0,1\n0,1,2\n");
  expect_one_line(
      run_cli(words("run", {"--schedule", "ddp", "--slow", "recorded:file=" + slow, "--json"})),
      "--slow recorded:file=" + slow + ": " + slow +
          ": line 1, column 7: this byte is not UTF-8 text");
  const std::string faults =
      folder.file("faults.csv", "start_day,end_day,server,why\n1,2,0,\xff\n");
  expect_one_line(run_cli({"goodput", "--faults", faults, "--checkpoint", "60s", "--restart",
                           "10min", "--json"}),
                  faults + ": line 2, column 7: this byte is not UTF-8 text");
  const std::string job = folder.file(
      "job.csv",
      "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id\n0,0,0,0,for\xffward,0,1,0\n");
  expect_one_line(run_cli({"diagnose", job, "--json"}),
                  job + ": line 2, column 12: this byte is not UTF-8 text");
}

// A key of 5,000 letters made a line of 5,053.
TEST(ForeignTexts, KeysAreShownShort) {
  const TemporaryFolder folder;
  const std::string key(5000, 'k');
  const auto cluster = [&](const std::string& name, const std::string& fields) {
    return folder.file(name, R"({"format": "stepcast-cluster", "version": 1, "name": "made", )"
                             R"("nodes": 16, "gpus_per_node": 4, "device": "rtx2080ti", )" +
                                 fields +
                                 R"("intra_node": {"bandwidth": "4.73GBps", "startup": "2.6us"}, )"
                                 R"("nic": {"bandwidth": "1.15GBps", "startup": "13.7us"}, )"
                                 R"("provenance": {"kind": "assumed", "source": "made"}})");
  };
  const auto run = [&](const std::string& file) {
    return run_cli(
        {"run", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", file, "--schedule", "ddp"});
  };
  const std::string unknown = cluster("unknown.json", "\"" + key + "\": 1, ");
  expect_one_line(run(unknown), unknown + ": unknown key \"kkkk");
  const std::string twice = cluster("twice.json", "\"" + key + "\": 1, \"" + key + "\": 1, ");
  expect_one_line(run(twice), twice + ": line 1, column ");
  // The nearest known name, if it is the file's own.
  const std::string longer = cluster("longer.json", "\"inter_node" + key + "\": 1, ");
  expect_one_line(run(longer), longer + ": unknown key \"inter_nodekkk");
  const std::string experiment = folder.file(
      "experiment.json", R"({"format": "stepcast-experiment", "version": 1, "name": "x", )"
                         R"("workload": "resnet50-rtx2080ti-bs64", )"
                         R"("cluster": "rtx2080ti-16x4-10gbe", "schedules": [")" +
                             key + R"("]})");
  expect_one_line(run_cli({"compare", experiment}), "");
  const std::string table = folder.file("edge.csv", key + "," + key + "\n1,2\n");
  expect_one_line(run_cli({"run", "--edge", table}), table + ": expected a column device");
}

/// What a part or a line of --json-lines holds, with the first of a number replaced.
std::string replaced_first(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// A step of -5000 ms was merged, and believed by --resume.
TEST(ForeignTexts, NumbersOfPartsAndOfLinesPassRanges) {
  const TemporaryFolder folder;
  const auto study = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"--schedules", "ddp,dear"});
    return words("compare", more);
  };
  std::string parts[2];
  for (int i = 0; i < 2; ++i) {
    const Outcome part = run_cli(study({"--shard", std::to_string(i + 1) + "/2"}));
    ASSERT_EQ(part.exit_code, 0) << part.err;
    parts[i] = part.out;
  }
  // The numbers of a forecast stand in order: "..., is_bound, fidelity, step, longest step, ...".
  const std::string before = "false,0,";
  const std::size_t begin = parts[0].find(before);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t number = begin + before.size();
  const std::string step = parts[0].substr(number, parts[0].find(',', number) - number);
  const std::string second = folder.file("part-2", parts[1]);
  for (const char* wrong :
       {"-5.0", "0.0", "1e300", "1e12", "-1e-300", "\"5\"", "null", "5000000"}) {
    const std::string first =
        folder.file("part-1", replaced_first(parts[0], before + step, before + wrong));
    const bool is_time = std::string(wrong) == "5000000";
    for (const bool json : {false, true}) {
      std::vector<std::string> merge{"merge", first, second};
      if (json)
        merge.emplace_back("--json");
      const Outcome merged = run_cli(merge);
      if (is_time)  // An odd step, but a time.
        EXPECT_EQ(merged.exit_code, 0) << merged.err;
      else
        expect_one_line(merged, first + ": ");
    }
  }
  const std::string lines = folder.file("study.jsonl");
  ASSERT_EQ(run_cli(study({"--json-lines", lines})).exit_code, 0);
  std::ifstream stream(lines);
  const std::string written(std::istreambuf_iterator<char>(stream), {});
  folder.file("study.jsonl", replaced_first(written, before + step, before + "-5.0"));
  const Outcome resumed = run_cli(study({"--resume", lines}));
  EXPECT_EQ(resumed.exit_code, 2) << resumed.err;
  EXPECT_NE(resumed.err.find("expected a time from 0"), std::string::npos) << resumed.err;
}

}  // namespace
}  // namespace stepcast
