import Foundation
import MailTestKit
import Testing

/// `contrib/install` and what it puts in its places: completions, units, man pages, examples; the Debian package.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram && Machine.hasIndexProgram))
struct InstallTests {
  /// One installation for all tests.
  private static let installed = Result { () throws -> TemporaryDirectory in
    let place = try TemporaryDirectory("prefix")
    try runSuccessfully(
      ["\(ReaderBed.contrib)/install", place.path + "/usr", "--binaries", programs], limit: 300)
    return place
  }
  private static var programs: String {
    String(
      MirrorProgram.binary?.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        .joined(separator: "/") ?? "")
  }
  private let prefix: String

  init() throws { prefix = try Self.installed.get().path + "/usr" }

  private func environment(_ more: [String: String] = [:]) -> [String: String] {
    [
      "HOME": prefix, "PATH": "\(prefix)/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
      "MANPATH": prefix + "/share/man", "XDG_RUNTIME_DIR": Scratch.base, "LANG": "C.UTF-8",
    ].merging(more) { $1 }
  }

  @Test func `the programs run from there, and the pages are found`() throws {
    for program in ["mirror", "mirror-index"] {
      try runSuccessfully(["\(prefix)/bin/\(program)", "--version"], environment: environment())
    }
    let pages = TreeSnapshot(prefix + "/share/man").files.keys
    for page in ["mirror", "mirror-sendmail", "mirror-config", "mirror-search"] {
      #expect(pages.contains { $0.contains("/\(page).") }, "\(page)")
    }
  }

  @Test func `bash completes verbs, options and values`() throws {
    let script = """
      . \(prefix)/share/bash-completion/completions/$1
      . \(prefix)/share/bash-completion/completions/mirror-index
      function=$(complete -p $1 | sed 's/.*-F \\([^ ]*\\).*/\\1/')
      shift_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; }
      ask() { shift_words "$@"; COMPREPLY=(); $function "$1" "${@: -1}" "${@: -2:1}"; echo "${COMPREPLY[@]}"; }
      ask mirror pu
      ask mirror pull --dr
      ask mirror pull --format ""
      """
    let outcome = try run(
      ["bash", "--norc", "-c", script, "bash", "mirror"], environment: environment())
    #expect(outcome.errorText == "")
    #expect(outcome.outputText == "pull push\n--dry-run\ntext json jsonl\n")
  }

  @Test(.enabled(if: findProgram("fish") != nil)) func `fish completes verbs`() throws {
    let outcome = try run(
      [
        "fish", "-N", "-c",
        "for p in mirror mirror-index; source \(prefix)/share/fish/vendor_completions.d/$p.fish; end; complete -C 'mirror pus'",
      ], environment: environment())
    #expect(outcome.errorText == "" && outcome.outputText.hasPrefix("push\t"), "\(outcome.summary)")
  }

  @Test(.enabled(if: findProgram("zsh") != nil)) func `zsh finds and loads the completions`() throws
  {
    let script = """
      fpath=(\(prefix)/share/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D
      for p in mirror mirror-index; do print $_comps[$p]; autoload +X _$p || print failed; done
      """
    let outcome = try run(["zsh", "-f", "-c", script], environment: environment())
    #expect(
      outcome.errorText == "" && outcome.outputText == "_mirror\n_mirror-index\n",
      "\(outcome.summary)")
  }

  @Test(.enabled(if: findProgram("systemd-analyze") != nil))
  func `systemd has nothing to say about the units`() throws {
    let units = prefix + "/share/systemd/user"
    let files = names(in: units).filter { !$0.hasPrefix(".") }
    #expect(
      Set(files) == [
        "mirror-pull.service", "mirror-pull.timer", "mirror-push.service", "mirror-push.timer",
        "mirror-push@.path", "mirror-watch.service",
      ])
    let outcome = try run(
      ["systemd-analyze", "--user", "verify"] + files.map { "\(units)/\($0)" },
      environment: environment(["SYSTEMD_UNIT_PATH": units + ":"]))
    #expect(outcome.status == 0 && outcome.errorText == "", "\(outcome.summary)")
    let pull = try String(decoding: readFile(units + "/mirror-pull.service"), as: UTF8.self)
    #expect(pull.contains("ExecStart=\(prefix)/bin/mirror pull -q\n"))
  }

  @Test func `the network coming up starts push and pull for those who have the timers`() throws {
    let place = try TemporaryDirectory("dispatcher")
    try writeFile(
      place.path + "/loginctl", "#!/bin/sh\necho '1000 alice active'\necho ' 1001 bob lingering'\n",
      mode: 0o755)
    try writeFile(
      place.path + "/systemctl",
      """
      #!/bin/sh
      case "$*" in
        *bob*is-enabled*) exit 1 ;;
        *is-enabled*) exit 0 ;;
      esac
      echo "$*" >>\(place.path)/log

      """, mode: 0o755)
    let script = prefix + "/share/doc/mirror/examples/NetworkManager/50-mirror"
    func dispatch(_ arguments: [String], _ more: [String: String] = [:]) throws -> [Substring] {
      unlink(place.path + "/log")
      let path = ["PATH": "\(place.path):/usr/bin:/bin"]
      try runSuccessfully([script] + arguments, environment: environment(path.merging(more) { $1 }))
      let log = (try? readFile(place.path + "/log")) ?? []
      return String(decoding: log, as: UTF8.self).split(separator: "\n")
    }
    let expected = ["push", "pull"].map {
      Substring("--user --machine=alice@.host --no-block start mirror-\($0).service")
    }
    #expect(try dispatch(["eth0", "up"]) == expected)
    #expect(try dispatch(["eth0", "down"]) == [])
    #expect(
      try dispatch(["none", "connectivity-change"], ["CONNECTIVITY_STATE": "FULL"]) == expected)
    #expect(try dispatch(["none", "connectivity-change"], ["CONNECTIVITY_STATE": "PORTAL"]) == [])
  }

  /// Programs that take no time to copy.
  private func smallPrograms() throws -> TemporaryDirectory {
    let small = try TemporaryDirectory("small")
    for program in ["mirror", "mirror-index"] {
      try writeFile(
        "\(small.path)/\(program)", "#!/bin/sh\nexec \(Self.programs)/\(program) \"$@\"\n",
        mode: 0o755)
    }
    return small
  }

  private func files(_ place: TemporaryDirectory) throws -> [String] {
    TreeSnapshot(place.path).files.keys.filter { !isDirectory("\(place.path)/\($0)") }.sorted()
  }

  @Test func `a file of somebody else is in the way, unless told to write over it`() throws {
    let place = try TemporaryDirectory("strangers")
    let small = try smallPrograms()
    let install = ["\(ReaderBed.contrib)/install", place.path, "--binaries", small.path]
    try makeDirectory(place.path + "/bin")
    try writeFile(place.path + "/bin/mirror", "mine")
    let refused = try run(install)
    #expect(refused.status == 73, "\(refused.summary)")
    #expect(refused.errorText.contains("\(place.path)/bin/mirror\n"))
    #expect(refused.errorText.contains("--force"))
    #expect(try files(place) == ["bin/mirror"])
    #expect(try readFile(place.path + "/bin/mirror") == Array("mine".utf8))
    try runSuccessfully(install + ["--force"])
    // What it installed itself is no stranger's.
    try runSuccessfully(install)
    #expect(try readFile(place.path + "/bin/mirror") == readFile(small.path + "/mirror"))
  }

  @Test func `a directory in a file's place gets nothing put into it`() throws {
    let place = try TemporaryDirectory("directory")
    let small = try smallPrograms()
    try makeDirectory(place.path + "/bin/mirror")
    let outcome = try run([
      "\(ReaderBed.contrib)/install", place.path, "--binaries", small.path, "--force",
    ])
    #expect(outcome.status != 0, "\(outcome.summary)")
    #expect(names(in: place.path + "/bin/mirror") == [])
  }

  @Test func `what broke off in the middle can be removed`() throws {
    let place = try TemporaryDirectory("broken-off")
    let small = try smallPrograms()
    let install = ["\(ReaderBed.contrib)/install", place.path]
    // A file where a directory has to be: the installation ends there.
    try makeDirectory(place.path + "/share")
    try writeFile(place.path + "/share/fish", "x")
    #expect(try run(install + ["--binaries", small.path]).status != 0)
    #expect(exists(place.path + "/bin/mirror"))
    try runSuccessfully(install + ["--remove"])
    #expect(try files(place) == ["share/fish"])
  }

  @Test func `what was installed can be removed, and nothing else is`() throws {
    let place = try TemporaryDirectory("removal")
    // Other people's files beside ours.
    try makeDirectory(place.path + "/bin")
    try writeFile(place.path + "/bin/other", "x")
    let small = try smallPrograms()
    let install = "\(ReaderBed.contrib)/install"
    try runSuccessfully([install, place.path, "--binaries", small.path])
    #expect(exists(place.path + "/share/man/man1/mirror.1"))
    try runSuccessfully([install, place.path, "--remove"])
    #expect(try files(place) == ["bin/other"])
    #expect(!exists(place.path + "/share"))
    #expect(try run([install, place.path, "--remove"]).status == 65)
  }

  @Test(
    .enabled(if: findProgram("dpkg-deb") != nil && findProgram("objdump") != nil))
  func `a Debian package is built, with what it depends on`() throws {
    let place = try TemporaryDirectory("package")
    let outcome = try run(
      [
        "\(ReaderBed.contrib)/debian/build", "--binaries", Self.programs, "--output", place.path,
        "--incomplete",
      ],
      environment: ProcessInfo.processInfo.environment.merging([
        "DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1",
      ]) { $1 }, limit: 500)
    #expect(outcome.status == 0, "\(outcome.summary)")
    let package = outcome.outputText.trimmingCharacters(in: .whitespacesAndNewlines)
    let depends = try runSuccessfully(["dpkg-deb", "-f", package, "Depends"]).outputText
    for library in ["libc6 (>= 2.", "libsqlite3-0", "libssl3", "libxxhash0", "zlib1g"] {
      #expect(depends.contains(library), "\(depends)")
    }
    let files = try runSuccessfully(["dpkg-deb", "-c", package]).outputText
    for file in [
      "usr/bin/mirror\n", "usr/share/man/man5/mirror-config.5.gz\n",
      "usr/lib/systemd/user/mirror-pull.timer\n", "usr/share/zsh/vendor-completions/_mirror\n",
      "usr/share/doc/mirror/copyright\n", "usr/share/doc/mirror/examples/readers/README.md\n",
    ] {
      #expect(files.contains("./" + file), "\(file)")
    }
    #expect(
      try runSuccessfully(["dpkg-deb", "-I", package]).outputText.contains("conffiles") == false)
    // Unpacked elsewhere, it runs.
    try runSuccessfully(["dpkg-deb", "-x", package, place.path + "/root"])
    try runSuccessfully([place.path + "/root/usr/bin/mirror", "--version"])
  }
}
