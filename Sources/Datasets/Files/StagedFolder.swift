import CFileExchange
import Foundation

/// A folder that changes all at once: what is new is written into `staging`, and takes its place in one step when all of
/// it is on disk.
///
/// `.name.partial` beside the folder is staged: a new folder gets its name by a rename, an older one changes places with
/// the staged one, in which its other files have second names (no copies). Another process, and the next one after a power
/// failure, sees the old folder whole or the new one. Where the name cannot be exchanged (a mount point, the working
/// folder of this process, whose shell would stay in the old one, a parent that cannot be written, a file system that
/// cannot), files are staged inside and moved one by one under a mark, with which the folder is read as nothing
/// (`UnfinishedMark`).
///
/// Without `commit()` nothing is left behind. What an ended process left staged is replaced; a second process is told
/// that the first one is writing.
package final class StagedFolder {
  /// The path as the user named it.
  package let path: String
  /// Where files are written until `commit()`.
  package let staging: String

  /// The folder without links; nil while there is none.
  private let older: String?
  private let target: String
  private let isExchanged: Bool
  private let locks: [Int32]
  private var created: [String]
  private var isStaged = true
  private let inputs: Set<OutputTarget.FileID>
  private static let inner = ".fuse.partial"

  /// Begins to write a folder, which is created with its parents where it is absent.
  ///
  /// - Parameter inputs: files that the command reads: none of them is replaced.
  /// - Throws: `OutputError`.
  package init(path: String, inputs: [String] = []) throws(OutputError) {
    self.path = path
    self.inputs = Set(inputs.compactMap { OutputTarget.FileID($0) })
    let place = try Place(path)
    (older, target, created, isExchanged) = (place.older, place.target, place.created, place.isExchanged)
    let (folder, name) = OutputTarget.split(place.target)
    staging = place.isExchanged ? "\(folder)/.\(name).partial" : "\(place.target)/\(Self.inner)"
    var locks: [Int32] = []
    do throws(OutputError) {
      // Two that stage in different places meet at the older folder.
      if let older { locks.append(try Self.lock(older, path)) }
      let staging = staging
      locks.append(
        try Leftovers.undisturbed { () throws(OutputError) in
          let lock = try Self.begin(staging, path)
          Leftovers.add(staging)
          return lock
        })
    } catch {
      for lock in locks { close(lock) }
      for folder in place.created.reversed() { rmdir(folder) }
      throw error
    }
    self.locks = locks
    if let older, let status = try OutputTarget.status(older) {
      chmod(staging, status.st_mode & 0o7777)
      _ = chown(staging, status.st_uid, status.st_gid)
    }
  }

  deinit {
    abandon()
    for lock in locks {
      // A process that another thread has just begun still has the descriptor, and with it the lock.
      flock(lock, LOCK_UN)
      close(lock)
    }
  }

  /// A new file of the folder; the folders that it is in are made.
  ///
  /// - Parameter name: relative to the folder.
  package func file(_ name: String) throws(OutputError) -> AtomicFile {
    let (inner, last) = OutputTarget.split("\(staging)/\(name)")
    return try Leftovers.undisturbed { () throws(OutputError) in
      do { try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true) } catch {
        throw .folder(path: "\(path)/\(name)", cause: error.localizedDescription)
      }
      return try AtomicFile(folder: inner, name: last, shownAs: "\(path)/\(name)")
    }
  }

  /// Writes a whole file of the folder.
  package func write(_ bytes: [UInt8], to name: String) throws(OutputError) {
    let file = try file(name)
    try file.write(bytes)
    try file.commit()
  }

  /// Checks that files of these names can be replaced, before the work for them is done.
  package func check(_ names: [String]) throws(OutputError) {
    guard let older else { return }
    for name in names {
      let old = "\(older)/\(name)"
      try OutputTarget.checkReplaceable(old)
      if let id = OutputTarget.FileID(old), inputs.contains(id) { throw .input(path: "\(path)/\(name)") }
    }
  }

  /// Gives the older folder's other files second names in the staged one, which then is what the folder will be.
  ///
  /// - Parameter isDropped: whether a file of that name, relative to the folder, goes although nothing replaces it.
  package func carryOver(except isDropped: (String) -> Bool) throws(OutputError) {
    guard let older else { return }
    try carryOver(older, "", isDropped)
  }

  private func carryOver(_ older: String, _ prefix: String, _ isDropped: (String) -> Bool) throws(OutputError) {
    let names = try Self.names(of: "\(older)/\(prefix)")
    for name in names {
      let relative = prefix + name, from = "\(older)/\(relative)", to = "\(staging)/\(relative)"
      if from == staging { continue }
      guard let status = try OutputTarget.status(from) else { continue }
      if OutputTarget.kind(status) == S_IFDIR {
        let isNew = try OutputTarget.status(to) == nil
        try Leftovers.undisturbed { () throws(OutputError) in
          if isNew, mkdir(to, 0o700) != 0 { throw .file(path: to, cause: String(cString: strerror(errno))) }
          chmod(to, status.st_mode & 0o7777)
        }
        try carryOver(older, relative + "/", isDropped)
      } else if try OutputTarget.status(to) != nil {
        try check([relative])
      } else if isDropped(relative) {
        try OutputTarget.checkReplaceable(from)
        if inputs.contains(OutputTarget.FileID(status)) { throw .input(path: "\(path)/\(relative)") }
      } else {
        // What is removed at a signal gets no further name meanwhile: its folder would stay.
        try Leftovers.undisturbed { () throws(OutputError) in
          guard linkat(AT_FDCWD, from, AT_FDCWD, to, 0) != 0 else { return }
          do { try FileManager.default.copyItem(atPath: from, toPath: to) } catch {
            throw .file(path: from, cause: "cannot be carried over: \(error.localizedDescription)")
          }
        }
      }
    }
    // A folder of which nothing is left goes; one that was empty before stays.
    if !prefix.isEmpty, !names.isEmpty { rmdir("\(staging)/\(prefix)") }
  }

  /// The staged folder becomes the folder; the older one is gone. All of it is on disk when it returns.
  ///
  /// Without a call of `carryOver` before, the new folder has nothing of the older one.
  package func commit() throws(OutputError) {
    try Self.sync(staging)
    try Leftovers.undisturbed { () throws(OutputError) in
      if !isExchanged {
        try move()
      } else if older == nil {
        guard fuse_rename_new(staging, target) == 0 || errno == EINVAL && rename(staging, target) == 0 else {
          if errno == EEXIST || errno == ENOTEMPTY { throw .busy(path: path) }
          throw .folder(path: path, cause: String(cString: strerror(errno)))
        }
      } else if fuse_exchange(staging, target) != 0 {
        guard [EINVAL, ENOSYS, EBUSY, EXDEV].contains(errno) else {
          throw .folder(path: path, cause: String(cString: strerror(errno)))
        }
        try move()
      }
      try OutputTarget.syncFolder(OutputTarget.split(target).folder)
    }
    // What is there now is the older folder, or what is empty of it.
    created = []
    abandon()
  }

  /// Discards what is staged.
  private func abandon() {
    guard isStaged else { return }
    isStaged = false
    Leftovers.remove(staging)
    // Succeeds for empty folders only.
    for folder in created.reversed() { rmdir(folder) }
  }

  // MARK: one by one

  /// Moves the staged files into the folder and removes those that it is not to have.
  private func move() throws(OutputError) {
    let mark = try UnfinishedMark(folder: target)
    try OutputTarget.syncFolder(target)
    let kept = try moveAll("")
    try removeOthers("", kept)
    try Self.sync(target)
    try mark.remove()
  }

  private func moveAll(_ prefix: String) throws(OutputError) -> Set<String> {
    var moved: Set<String> = []
    for name in try Self.names(of: "\(staging)/\(prefix)") {
      let relative = prefix + name, from = "\(staging)/\(relative)", to = "\(target)/\(relative)"
      guard let status = try OutputTarget.status(from) else { continue }
      moved.insert(relative)
      if OutputTarget.kind(status) == S_IFDIR {
        if mkdir(to, status.st_mode & 0o7777) != 0, errno != EEXIST {
          throw .file(path: to, cause: String(cString: strerror(errno)))
        }
        moved.formUnion(try moveAll(relative + "/"))
      } else if rename(from, to) != 0 {
        throw .file(path: to, cause: String(cString: strerror(errno)))
      }
    }
    return moved
  }

  private func removeOthers(_ prefix: String, _ kept: Set<String>) throws(OutputError) {
    for name in try Self.names(of: "\(target)/\(prefix)") {
      let relative = prefix + name, at = "\(target)/\(relative)"
      if at == staging || relative == UnfinishedMark.name { continue }
      guard let status = try OutputTarget.status(at) else { continue }
      if OutputTarget.kind(status) == S_IFDIR {
        try removeOthers(relative + "/", kept)
        if !kept.contains(relative) { rmdir(at) }
      } else if !kept.contains(relative), unlink(at) != 0, errno != ENOENT {
        throw .file(path: at, cause: String(cString: strerror(errno)))
      }
    }
  }

  // MARK: the file system

  private static func names(of folder: String) throws(OutputError) -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } catch {
      throw .folder(path: folder, cause: "cannot be listed: \(error.localizedDescription)")
    }
  }

  /// Syncs the files of a tree that have no second name elsewhere, and its folders.
  private static func sync(_ folder: String) throws(OutputError) {
    for name in try names(of: folder) {
      let path = "\(folder)/\(name)"
      guard let status = try OutputTarget.status(path) else { continue }
      if OutputTarget.kind(status) == S_IFDIR {
        try sync(path)
      } else if OutputTarget.kind(status) == S_IFREG, status.st_nlink == 1 {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path: path, cause: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        guard fdatasync(descriptor) == 0 else { throw .file(path: path, cause: String(cString: strerror(errno))) }
      }
    }
    try OutputTarget.syncFolder(folder)
  }

  /// Locks a folder for this process: the one that has the name, not one that another process has replaced since.
  private static func lock(_ folder: String, _ path: String) throws(OutputError) -> Int32 {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .folder(path: path, cause: String(cString: strerror(errno))) }
    var opened = stat()
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &opened) == 0,
      OutputTarget.FileID(opened) == OutputTarget.FileID(folder)
    else {
      close(descriptor)
      throw .busy(path: path)
    }
    return descriptor
  }

  /// An empty, locked folder at the staging path.
  private static func begin(_ staging: String, _ path: String) throws(OutputError) -> Int32 {
    if let status = try OutputTarget.status(staging), OutputTarget.kind(status) != S_IFDIR { unlink(staging) }
    if mkdir(staging, 0o755) != 0, errno != EEXIST {
      throw .folder(path: path, cause: String(cString: strerror(errno)))
    }
    let descriptor = try lock(staging, path)
    do throws(OutputError) {
      for name in try names(of: staging) {
        do { try FileManager.default.removeItem(atPath: "\(staging)/\(name)") } catch {
          throw .folder(path: staging, cause: "left by a process that ended; cannot be emptied")
        }
      }
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }
}

extension StagedFolder {
  /// Where a folder is, and whether its name can be exchanged.
  private struct Place {
    var older: String?
    var target: String
    var created: [String] = []
    var isExchanged = true

    init(_ path: String) throws(OutputError) {
      let named: stat?
      do { named = try OutputTarget.status(path) } catch {
        throw .folder(path: path, cause: errno == ENOTDIR ? "a file of that name exists" : "\(error)")
      }
      guard named != nil else {
        let (folder, name) = OutputTarget.split(path)
        created = try Self.makeParents(folder, path)
        target = (OutputTarget.real(folder) ?? folder) + "/" + name
        return
      }
      guard let real = OutputTarget.real(path) else {
        throw .folder(path: path, cause: "a symbolic link that leads nowhere")
      }
      guard RegularFile.isFolder(real) else { throw .folder(path: path, cause: "a file of that name exists") }
      var status = stat()
      guard stat(real, &status) == 0, status.st_mode & 0o222 != 0, access(real, W_OK | X_OK) == 0 else {
        throw .folder(path: path, cause: "a folder that may only be read")
      }
      (older, target) = (real, real)
      isExchanged = !Self.hasWorkingFolder(real) && Self.isMovable(real)
    }

    /// Creates missing folders; returns those, outermost first.
    private static func makeParents(_ folder: String, _ path: String) throws(OutputError) -> [String] {
      if RegularFile.isFolder(folder) { return [] }
      if RegularFile.exists(folder) {
        throw .folder(path: path, cause: "a file of that name exists")
      }
      let (above, _) = OutputTarget.split(folder)
      guard above != folder else { throw .folder(path: path, cause: "no such folder") }
      let created = try makeParents(above, path)
      guard mkdir(folder, 0o777) == 0 || errno == EEXIST else {
        let cause = String(cString: strerror(errno))
        for folder in created.reversed() { rmdir(folder) }
        throw .folder(path: path, cause: cause)
      }
      return created + [folder]
    }

    /// Whether this process works in the folder or below it.
    private static func hasWorkingFolder(_ folder: String) -> Bool {
      guard let current = OutputTarget.real(".") else { return true }
      return current == folder || current.hasPrefix(folder == "/" ? "/" : folder + "/")
    }

    /// Whether names beside the folder can be made, and moved into it: it is no mount point.
    private static func isMovable(_ folder: String) -> Bool {
      let (above, name) = OutputTarget.split(folder)
      let outside = "\(above)/.\(name).\(getpid()).probe", inside = "\(folder)/.\(getpid()).probe"
      guard mkdir(outside, 0o700) == 0 else { return false }
      defer {
        rmdir(outside)
        rmdir(inside)
      }
      return rename(outside, inside) == 0
    }
  }
}

/// The mark of a folder whose files are being moved into it one by one: with it the folder is read neither as a recording
/// nor as a result, so that what a killed process or a full disk left behind is not taken for one.
package struct UnfinishedMark {
  /// Its name in the folder.
  package static let name = ".unfinished"
  /// Its names, the second one before version 0.9.
  package static let names = [name, "mav0/.unfinished"]

  private let path: String

  /// Marks a folder.
  init(folder: String) throws(OutputError) {
    path = folder + "/" + Self.name
    let descriptor = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .file(path: path, cause: String(cString: strerror(errno))) }
    close(descriptor)
  }

  /// The folder is whole.
  func remove() throws(OutputError) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw .file(path: path, cause: String(cString: strerror(errno)))
    }
    try OutputTarget.syncFolder(OutputTarget.split(path).folder)
  }

  /// Whether a folder is marked.
  package static func exists(in root: String) -> Bool {
    names.contains { RegularFile.exists(root + "/" + $0) }
  }
}
