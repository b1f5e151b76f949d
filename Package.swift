// swift-tools-version: 6.2
import PackageDescription

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let tomlKit = Target.Dependency.product(name: "TOMLKit", package: "TOMLKit")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")

// Releases on Linux have Swift's and C++'s libraries inside and few relocations (glibc 2.36 and later): a third of a short
// search was the dynamic linker's work. SwiftPM would name the shared libstdc++, so that is taken for an empty script.
// Functions of equal code are there once.
let release = BuildSettingCondition.when(platforms: [.linux], configuration: .release)
let standalone = SwiftSetting.unsafeFlags(["-static-stdlib"], release)
let standaloneLinking = LinkerSetting.unsafeFlags(
  [
    "-static-stdlib", "-no-toolchain-stdlib-rpath", "-use-ld=lld", "-Xlinker", "-z", "-Xlinker",
    "pack-relative-relocs", "-Xlinker", "--remap-inputs=*libstdc++.so=/dev/null",
    "-Xlinker", "-l:libstdc++.a", "-Xlinker", "-l:libgcc_eh.a", "-Xlinker", "--no-export-dynamic",
    "-Xlinker", "--icf=all",
  ], release)
// A search of a few milliseconds spends one of them on moving its own addresses, unless they are known beforehand. The
// program that has no network does without that, and so without a random place for its own code.
let fixedPlace = LinkerSetting.unsafeFlags(["-Xclang-linker", "-no-pie"], release)

let package = Package(
  name: "mirror",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "mirror", targets: ["MirrorCLI"]),
    .executable(name: "mirror-index", targets: ["IndexCLI"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
  ],
  targets: [
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),

    .target(name: "CNoLocaleData", cSettings: [.define("STANDALONE", release)]),

    .target(name: "MailCore"),
    .target(name: "SASL", dependencies: ["MailCore"]),
    .target(name: "IMAPWire", dependencies: ["MailCore", "SASL"]),
    .target(name: "Transport", dependencies: ["MailCore", "SASL", "COpenSSL", "CZlib"]),
    .target(name: "IMAPClient", dependencies: ["MailCore", "SASL", "IMAPWire", "Transport"]),
    .target(name: "WatchPlan", dependencies: ["MailCore"]),
    .target(name: "HTTPWire", dependencies: ["MailCore"]),
    .target(name: "HTTPClient", dependencies: ["MailCore", "HTTPWire", "Transport"]),
    .systemLibrary(name: "CFileCalls"),
    .target(name: "Maildir", dependencies: ["MailCore", "CXXHash", "CFileCalls"]),
    .systemLibrary(name: "CWatchCalls"),
    .target(name: "TreeWatch", dependencies: ["MailCore", "Maildir", "CWatchCalls"]),
    .target(name: "Ledger", dependencies: ["MailCore"]),
    .systemLibrary(name: "CSQLiteCalls"),
    .target(
      name: "State",
      dependencies: [
        "MailCore", "Ledger", "CSQLiteCalls", grdb,
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    .target(
      name: "MIME", dependencies: ["MailCore"],
      linkerSettings: [.linkedLibrary("iconv", .when(platforms: [.macOS]))]),
    // Linked into the programs: a library more to find at every start would cost a search a tenth of its time.
    .target(
      name: "CGumbo",
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "-l:libgumbo.a"], .when(platforms: [.linux])),
        .linkedLibrary("gumbo", .when(platforms: [.macOS])),
      ]),
    .target(name: "SafeHTML", dependencies: ["MailCore", "CGumbo"]),
    .target(name: "Warnings", dependencies: ["MailCore", "MIME", "SafeHTML"]),
    .target(
      name: "Queue", dependencies: ["MailCore", "Maildir", "CFileCalls"]),
    .target(name: "SMTPWire", dependencies: ["MailCore", "SASL"]),
    .target(name: "SMTPClient", dependencies: ["MailCore", "SASL", "SMTPWire", "Transport"]),
    .target(
      name: "Outbox",
      dependencies: [
        "MailCore", "MIME", "Maildir", "Queue", "SMTPWire", "SMTPClient", "IMAPWire", "IMAPClient",
        "SASL", "Settings", "Transport",
      ]),
    .systemLibrary(name: "CIndexCalls"),
    .target(
      name: "MailIndex",
      dependencies: [
        "MailCore", "MIME", "Maildir", "Queue", "CIndexCalls", "CSQLiteCalls", grdb,
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    .target(name: "Settings", dependencies: ["MailCore", tomlKit, subprocess]),
    .target(
      name: "SyncPlan",
      dependencies: ["MailCore", "Ledger", "Maildir", "MIME", "IMAPWire", "Settings"]),
    .target(
      name: "Remote",
      dependencies: [
        "MailCore", "Ledger", "SyncPlan", "Maildir", "Settings", "IMAPClient", "IMAPWire",
        "Transport", "SASL",
      ]),
    .target(
      name: "LocalChanges",
      dependencies: ["MailCore", "Ledger", "SyncPlan", "Maildir", "State", "Settings"]),
    .target(
      name: "Sync",
      dependencies: [
        "MailCore", "MIME", "Ledger", "SyncPlan", "Remote", "LocalChanges", "Maildir", "State",
        "Settings", "IMAPClient", "IMAPWire", "Transport",
      ]),
    .target(name: "Watch", dependencies: ["MailCore", "WatchPlan", "TreeWatch", "Maildir"]),
    .target(name: "CLISupport", dependencies: ["MailCore", argumentParser]),
    .target(
      name: "Reading",
      dependencies: [
        "MailCore", "MIME", "SafeHTML", "Warnings", "MailIndex", "CLISupport", "Settings",
        "CFileCalls", grdb, argumentParser,
      ]),
    .target(
      name: "Sorting",
      dependencies: [
        "MailCore", "MailIndex", "Maildir", "Ledger", "Settings", "State", "SyncPlan",
      ]),
    .target(
      name: "OAuth",
      dependencies: [
        "MailCore", "SASL", "Settings", "Transport", "HTTPClient", "HTTPWire",
      ]),
    .systemLibrary(name: "CResolver"),
    .target(
      name: "Setup",
      dependencies: [
        "MailCore", "Maildir", "Settings", "IMAPClient", "IMAPWire", "SASL", "SMTPClient",
        "SMTPWire", "Transport", "HTTPClient", "HTTPWire", "CResolver", subprocess,
      ]),
    .executableTarget(
      name: "MirrorCLI",
      dependencies: [
        "MailCore", "SyncPlan", "Remote", "LocalChanges", "Sync", "Reading", "Sorting",
        "WatchPlan", "TreeWatch", "Watch", "MailIndex", "Maildir", "Queue", "Outbox", "OAuth",
        "Setup", "Settings", "CLISupport", "MIME", "SafeHTML", "Warnings", "HTTPClient", "HTTPWire",
        "IMAPClient", "IMAPWire", "SMTPClient", "SMTPWire", "SASL", "Transport", "CNoLocaleData",
        argumentParser,
      ],
      swiftSettings: [standalone], linkerSettings: [standaloneLinking]),
    .executableTarget(
      name: "IndexCLI", dependencies: ["CLISupport", "Reading", "CNoLocaleData", argumentParser],
      swiftSettings: [standalone],
      linkerSettings: [standaloneLinking, fixedPlace]),

    .testTarget(name: "MailCoreTests", dependencies: ["MailCore"]),
    .testTarget(name: "SASLTests", dependencies: ["SASL", "MailCore", "Transport"]),
    .testTarget(name: "IMAPWireTests", dependencies: ["IMAPWire", "MailCore", "SASL"]),
    .testTarget(
      name: "TransportTests",
      dependencies: ["Transport", "SASL", "MailCore", "COpenSSL", "CZlib"]),
    .testTarget(name: "WatchPlanTests", dependencies: ["WatchPlan", "MailCore"]),
    .testTarget(name: "HTTPWireTests", dependencies: ["HTTPWire", "MailCore"]),
    .testTarget(
      name: "HTTPClientTests",
      dependencies: ["HTTPClient", "HTTPWire", "MailCore", "Transport", "MailTestKit"]),
    .testTarget(
      name: "IMAPClientTests",
      dependencies: [
        "IMAPClient", "IMAPWire", "MailCore", "SASL", "Transport", "MailTestKit",
      ]),
    .testTarget(name: "MaildirTests", dependencies: ["Maildir", "MailCore"]),
    .testTarget(
      name: "TreeWatchTests", dependencies: ["TreeWatch", "CWatchCalls", "Maildir", "MailCore"]),
    .testTarget(name: "MIMETests", dependencies: ["MIME", "MailCore", "MailTestKit"]),
    .testTarget(name: "SafeHTMLTests", dependencies: ["SafeHTML"]),
    .testTarget(name: "WarningsTests", dependencies: ["Warnings", "SafeHTML", "MIME"]),
    .testTarget(name: "QueueTests", dependencies: ["Queue", "Maildir", "MailCore"]),
    .testTarget(name: "SMTPWireTests", dependencies: ["SMTPWire", "MailCore", "SASL"]),
    .testTarget(
      name: "SMTPClientTests",
      dependencies: ["SMTPClient", "SMTPWire", "MailCore", "SASL", "Transport"]),
    .testTarget(
      name: "OutboxTests",
      dependencies: [
        "Outbox", "MailCore", "MIME", "Maildir", "Queue", "SMTPWire", "SMTPClient", "SASL",
        "Settings", "Transport", "IMAPClient", "IMAPWire", "MailTestKit",
      ]),
    .testTarget(
      name: "MailIndexTests",
      dependencies: ["MailIndex", "MIME", "Maildir", "Queue", "MailCore", grdb]),
    .testTarget(
      name: "ReadingTests",
      dependencies: [
        "Reading", "MailIndex", "MIME", "SafeHTML", "Warnings", "CLISupport", "MailCore", grdb,
        argumentParser,
      ]),
    .testTarget(
      name: "SortingTests", dependencies: ["Sorting", "MailIndex", "Settings", "MailCore"]),
    .testTarget(
      name: "OAuthTests",
      dependencies: ["OAuth", "MailCore", "SASL", "Settings", "Transport", "MailTestKit"]),
    .testTarget(
      name: "SetupTests", dependencies: ["Setup", "MailCore", "Maildir", "Settings"]),
    .testTarget(
      name: "StateTests", dependencies: ["State", "Ledger", "MailCore", "LedgerTestKit", grdb]),
    .testTarget(name: "SettingsTests", dependencies: ["Settings", "MailCore"]),
    .testTarget(
      name: "SyncPlanTests",
      dependencies: [
        "SyncPlan", "Ledger", "Maildir", "IMAPWire", "Settings", "MailCore", "LedgerTestKit",
      ]),
    .testTarget(
      name: "RemoteTests",
      dependencies: [
        "Remote", "IMAPClient", "IMAPWire", "MailCore", "Settings", "Transport", "MailTestKit",
      ]),
    .testTarget(
      name: "SyncTests",
      dependencies: [
        "Sync", "Sorting", "LocalChanges", "SyncPlan", "Ledger", "State", "Maildir", "IMAPWire",
        "Settings", "MailCore", "SASL", "Transport", "MailTestKit", "LedgerTestKit", grdb,
      ]),
    .testTarget(
      name: "CLISupportTests", dependencies: ["CLISupport", "MailCore", argumentParser]),
    .testTarget(
      name: "MirrorCLITests",
      dependencies: [
        "MirrorCLI", "CLISupport", "IMAPWire", "MailCore", "MailIndex", "Outbox", "Settings",
        "SyncPlan", "Sync", "Transport", "Remote", "Watch", "WatchPlan", "MIME",
        "SafeHTML", "Warnings", "HTTPClient", "HTTPWire", "MailTestKit",
      ]),
    .target(name: "MailTestKit", path: "Tests/MailTestKit"),
    .target(name: "LedgerTestKit", dependencies: ["Ledger", "MailCore"], path: "Tests/LedgerTestKit"),
    .testTarget(name: "MirrorTests", dependencies: ["MailTestKit", "MirrorCLI", "IndexCLI"]),
  ]
)

// Half of a release was code that it never calls, or calls once: functions that the linker may leave out one by one, and
// small code instead of fast where it does not run for every byte of every message.
let seldomRun: Set = [
  "MirrorCLI", "IndexCLI", "CLISupport", "Reading", "Setup", "Settings", "Sorting", "OAuth",
  "Outbox", "Queue", "SyncPlan", "Remote", "Sync", "Watch", "WatchPlan", "TreeWatch", "HTTPWire",
  "HTTPClient", "SMTPWire", "SMTPClient", "SASL", "Warnings", "IMAPClient", "State", "Ledger",
  "LocalChanges",
]
for target in package.targets where target.type == .regular || target.type == .executable {
  let flags =
    ["-Xfrontend", "-function-sections"] + (seldomRun.contains(target.name) ? ["-Osize"] : [])
  target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags, release)]
}
