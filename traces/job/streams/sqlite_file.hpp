#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace stepcast {

/// A row of a query. Columns count from 0; what is of another type is nothing.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  std::optional<std::int64_t> whole(int column) const;
  std::string text(int column) const;  ///< Empty where it is none.

 private:
  sqlite3_stmt* statement_;
};

/// An SQLite database that is read only, and not trusted: views are no tables to it, functions of
/// its schema do not run.
class SqliteFile {
 public:
  /// Throws InputError if it cannot be opened.
  explicit SqliteFile(const std::filesystem::path& path);

  bool has(std::string_view table, std::string_view column) const;

  /// Calls `row` with each row of a query. Throws InputError that begins with the path if the
  /// database is damaged.
  void for_each(const std::string& query, const std::function<void(const SqliteRow&)>& row) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// Whether a file begins as an SQLite database does.
bool is_sqlite(std::string_view head);

}  // namespace stepcast
