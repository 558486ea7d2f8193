#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

namespace stepcast {

/// A folder of traces of the current test that is gone at the end.
class TraceFolder {
 public:
  TraceFolder()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("stepcast-streams-{}",
                          testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~TraceFolder() { std::filesystem::remove_all(path_); }
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  std::filesystem::path text(const std::string& name, const std::string& content) const {
    std::filesystem::remove(path_ / name);  // Some file systems write at once what is replaced.
    std::ofstream(path_ / name) << content;
    return path_ / name;
  }
  std::filesystem::path database(const std::string& name, const std::string& statements) const {
    sqlite3* made = nullptr;
    EXPECT_EQ(sqlite3_open((path_ / name).c_str(), &made), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(made, ("PRAGMA synchronous=OFF;BEGIN;" + statements + "COMMIT;").c_str(),
                           nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(made);
    sqlite3_close(made);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace stepcast
