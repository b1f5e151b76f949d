import GRDB
import GRDBSQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What lies where the index belongs. SQLite would follow a symbolic link and overwrite its target.
enum IndexPlace {
  /// Where a database's file is: for what does not fit into memory.
  static func directory(of db: Database) -> String {
    guard let name = sqlite3_db_filename(db.sqliteConnection, "main") else { return "." }
    let path = String(cString: name)
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// Returns whether there is a file.
  ///
  /// - Throws: ``IndexError/occupied(path:by:)`` for what is no file of ours.
  static func hasFile(_ path: String) throws(IndexError) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw .notWritable("\(path): \(String(cString: strerror(errno)))")
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return true
    case S_IFLNK: throw .occupied(path: path, by: "a symbolic link")
    case S_IFDIR: throw .occupied(path: path, by: "a directory")
    default: throw .occupied(path: path, by: "a special file")
    }
  }

  /// The directory that the index lies in, made where it is missing.
  ///
  /// - Throws: ``IndexError/noTree(root:)`` where there is no tree.
  static func makeDirectory(root: String) throws(IndexError) {
    var status = stat()
    guard stat(root, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw .noTree(root: root)
    }
    let control = root + "/.mirror"
    guard mkdir(control, 0o700) == 0 || errno == EEXIST else {
      throw .notWritable("\(control): \(String(cString: strerror(errno)))")
    }
    // Other indexers pass over a directory with this file.
    _ = PrivateFile.make(control + "/.noindex")
  }
}
