#include "traces/formats/import.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/gzip.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

const fs::path kBranched = STEPCAST_SOURCE_DIR "/tests/data/traces/branched-graph.txt";
const fs::path kVgg16 = STEPCAST_SOURCE_DIR "/traces/workloads/vgg16-pipedream-bs128.json";

// It was a "filesystem error: directory iterator cannot open directory".
TEST(FilesOfAFolder, OneThatMayNotBeReadIsToldSo) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root may read all";
  const fs::path folder = fs::temp_directory_path() / "stepcast-closed-folder";
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::none);
  EXPECT_EQ(input_error_of([&] { files_in(std::vector<fs::path>{folder}); }),
            folder.string() + ": cannot be read: Permission denied");
  fs::permissions(folder, fs::perms::owner_all);
  fs::remove(folder);
}

// An editor's or a desktop's was "another content".
TEST(FilesOfAFolder, HiddenOnesAreNone) {
  const fs::path folder = fs::temp_directory_path() / "stepcast-hidden-files";
  fs::create_directory(folder);
  for (const char* name : {".DS_Store", "rank0.json"})
    write_text_file(folder / name, "{}");
  EXPECT_EQ(files_in(std::vector<fs::path>{folder}), std::vector<fs::path>{folder / "rank0.json"});
  fs::remove_all(folder);
}

TEST(FilesOfAFolder, BytepsHasAFolderForEachRank) {
  const fs::path folder = fs::temp_directory_path() / "stepcast-byteps-folders";
  for (const char* rank : {"0", "1"}) {
    fs::create_directories(folder / rank);
    write_text_file(folder / rank / "comm.json", "{}");
  }
  EXPECT_EQ(files_in(std::vector<fs::path>{folder}),
            (std::vector<fs::path>{folder / "0/comm.json", folder / "1/comm.json"}));
  fs::remove_all(folder);
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string output(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(output.data());
  stream.avail_out = static_cast<uInt>(output.size());
  deflate(&stream, Z_FINISH);
  output.resize(stream.total_out);
  deflateEnd(&stream);
  return output;
}

/// A file of its own, removed after the test.
class Import : public testing::Test {
 protected:
  Import() {
    std::string name = (fs::temp_directory_path() / "stepcast-import-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Import() override { fs::remove_all(folder_); }

  /// Imports `text` as a file with a name that tells nothing.
  Workload import_text(const std::string& text, const ImportOptions& options = {}) {
    write_text_file(folder_ / "trace", text);
    return import_trace(folder_ / "trace", options, report_);
  }
  std::string error_of(const std::string& text, const ImportOptions& options = {}) {
    return input_error_of([&] { import_text(text, options); });
  }
  std::string path() const { return folder_ / "trace"; }

  fs::path folder_;
  ImportReport report_;
};

TEST_F(Import, FindsTheFormatByContent) {
  import_text(read_text_file(kBranched));
  EXPECT_EQ(report_.format, "pipedream");
  const std::string own = read_text_file(kVgg16);
  EXPECT_EQ(to_json_text(import_text(own)), own);
  EXPECT_EQ(report_.format, "stepcast");
}

TEST_F(Import, ReadsThroughGzip) {
  const std::string own = read_text_file(kVgg16);
  EXPECT_EQ(to_json_text(import_text(gzipped(own))), own);
}

TEST_F(Import, AByteOrderMarkInFrontIsPassedOver) {
  import_text("\xEF\xBB\xBF" + read_text_file(kVgg16));
  EXPECT_EQ(report_.format, "stepcast");
  import_text("\xEF\xBB\xBF" +
              read_text_file(STEPCAST_SOURCE_DIR "/tests/golden/data/small-trace.json"));
  EXPECT_EQ(report_.format, "kineto");
}

TEST_F(Import, UnknownContentListsTheKnownFormats) {
  const std::string expected =
      path() +
      ": expected a trace of a known format (stepcast, pipedream, execution-trace, kineto, "
      "chakra, espresso, horovod-timeline, ddp-logging), found another content";
  EXPECT_EQ(error_of("{}"), expected);
  EXPECT_EQ(error_of("hello\n"), expected);
  EXPECT_EQ(error_of(std::string("\0\0\0", 3)), expected);
  EXPECT_EQ(error_of(gzipped("")), path() + ": is empty");
}

TEST_F(Import, AnArchiveIsToBeUnpackedFirst) {
  std::string tar = "trace.json" + std::string(247, '\0') + "ustar" + std::string(300, '\0');
  EXPECT_EQ(error_of(gzipped(tar)),
            path() + ": is a tar archive: unpack it first (tar -xf) and give the trace in it");
  EXPECT_EQ(error_of("PK\x03\x04 and more"),
            path() + ": is a zip archive: unpack it first (unzip) and give the trace in it");
  EXPECT_EQ(error_of("\xFD\x37zXZ"),
            path() + ": is compressed with xz: unpack it first (unxz); gzip is read as it is");
}

// The keys in front hold more than any head that could be looked at.
TEST_F(Import, AProfilersTraceMayBeginWithAnyKey) {
  const std::string front = R"({"metadata": {"note": ")" + std::string(300'000, 'x') + R"("}, )";
  std::string text = read_text_file(STEPCAST_SOURCE_DIR "/tests/golden/data/small-trace.json");
  text.replace(text.find('{'), 1, front);
  EXPECT_EQ(import_text(text).batch, 8U);
  EXPECT_EQ(report_.format, "kineto");
}

TEST_F(Import, AListOfEventsMayBeginWithNamesOfThreads) {
  std::string text = "[\n";
  for (int i = 0; i < 200; ++i)
    text += R"({"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "t"}},)"
            "\n";
  const std::string small =
      read_text_file(STEPCAST_SOURCE_DIR "/tests/golden/data/small-trace.json");
  const std::size_t events = small.find("[\n", small.find("traceEvents")) + 2;
  import_text(text + small.substr(events, small.rfind(']') + 1 - events));
  EXPECT_EQ(report_.format, "kineto");
}

TEST_F(Import, ReportsOfOtherProfilersSayHowToExport) {
  EXPECT_EQ(error_of(R"({"rocprofiler-sdk-tool": []})"),
            path() +
                ": is an output of rocprof, which is not read: run the program under "
                "torch.profiler, which records ROCm devices as well, and export it with "
                "export_chrome_trace(\"trace.json\")");
}

TEST_F(Import, TruncatedGzipIsCalledSo) {
  const std::string whole = gzipped(read_text_file(kVgg16));
  EXPECT_EQ(error_of(whole.substr(0, whole.size() / 2)), path() + ": the gzip data ends too early");
  EXPECT_EQ(error_of("\x1f\x8b"), path() + ": the gzip data ends too early");
}

TEST_F(Import, BytesBehindTheGzipDataAreCounted) {
  const std::string text = read_text_file(kVgg16);
  const std::size_t half = text.size() / 2;
  import_text(gzipped(text.substr(0, half)) + gzipped(text.substr(half)));
  EXPECT_TRUE(report_.clean());  // A second member is no such thing.
  import_text(gzipped(text) + "garbage");
  EXPECT_EQ(report_.skipped().at("file with bytes behind its gzip data").first,
            path() + ": 7 bytes");
}

TEST_F(Import, DamagedGzipIsCalledSo) {
  std::string damaged = gzipped(read_text_file(kVgg16));
  damaged[2] = 99;  // Not the method "deflate".
  EXPECT_EQ(error_of(damaged), path() + ": the gzip data is damaged");
}

TEST_F(Import, StrictRefusesWhatWasSkipped) {
  const std::string text = read_text_file(kBranched) + "\nforeign\n";
  EXPECT_EQ(error_of(text), "no error");
  EXPECT_EQ(error_of(text, {.strict = true}),
            path() +
                ": refused as strict: 2 skipped: line that is neither a node nor an edge "
                "(first at line 13)");
}

TEST(Gunzip, MembersAreConcatenated) {
  EXPECT_EQ(gunzip_if_compressed(gzipped("one ") + gzipped("two"), "f"), "one two");
}

TEST(Gunzip, OtherTextStaysAsItIs) {
  EXPECT_EQ(gunzip_if_compressed("plain", "f"), "plain");
}

}  // namespace
}  // namespace stepcast
