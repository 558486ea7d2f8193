#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace stepcast {

/// A row of a table. Columns count from 0; a value of another type is nothing.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  std::optional<std::int64_t> whole(int column) const;
  /// Valid UTF-8, of at most `most` bytes with the "..." of a text that is longer; empty where the
  /// column holds no text.
  std::string text(int column, std::size_t most = std::string::npos) const;
  /// Whether the column holds a text of more than `most` bytes.
  bool is_longer(int column, std::size_t most) const;
  std::size_t bytes() const;  ///< Of all texts and blobs.

 private:
  sqlite3_stmt* statement_;
};

/// An SQLite database of somebody else, of which stored values are read and nothing is computed:
/// views, virtual tables, generated columns and functions are refused. What reading it may take is
/// bounded by the size of the file: steps and bytes for each table; and SQLite's own memory is
/// limited while one is open.
class SqliteFile {
 public:
  /// Throws InputError if it cannot be opened.
  explicit SqliteFile(const std::filesystem::path& path);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  /// Whether there is such a table with such a column. Throws InputError if the column is computed.
  bool has(std::string_view table, std::string_view column) const;

  /// Calls `row` with these columns of each row of a table. Throws InputError that begins with the
  /// path if the database is damaged, or takes more to read than a file of its size can need.
  void for_each(std::string_view table, std::span<const std::string_view> columns,
                const std::function<void(const SqliteRow&)>& row) const;

 private:
  void query(const std::string& sql, const std::function<void(const SqliteRow&)>& row) const;
  [[noreturn]] void fail(int result) const;

  std::string path_;
  sqlite3* database_ = nullptr;
  double size_ = 0;                ///< Bytes of the file.
  mutable double steps_left_ = 0;  ///< Of the query in progress.
};

/// Whether a file begins as an SQLite database does.
bool is_sqlite(std::string_view head);

}  // namespace stepcast
