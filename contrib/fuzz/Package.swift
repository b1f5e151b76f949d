// swift-tools-version: 6.2
import PackageDescription

// The modules under test are the project's own, by symbolic link: `package` access does not reach across
// packages. `contrib/fuzz/run` builds this with libFuzzer.
let coverage: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address"])]

let package = Package(
  name: "mirror-fuzz",
  platforms: [.macOS(.v15)],
  targets: [
    .systemLibrary(name: "CLibFuzzer"),
    .target(name: "MailCore", swiftSettings: coverage),
    .target(name: "SASL", dependencies: ["MailCore"], swiftSettings: coverage),
    .target(name: "IMAPWire", dependencies: ["MailCore", "SASL"], swiftSettings: coverage),
    .target(name: "MIME", dependencies: ["MailCore"], swiftSettings: coverage),
    .target(
      name: "CGumbo", cSettings: [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])],
      linkerSettings: [.linkedLibrary("gumbo")]),
    .target(name: "SafeHTML", dependencies: ["MailCore", "CGumbo"], swiftSettings: coverage),
    .executableTarget(
      name: "FuzzResponses", dependencies: ["CLibFuzzer", "IMAPWire", "MailCore"],
      swiftSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
    .executableTarget(
      name: "FuzzMail", dependencies: ["CLibFuzzer", "MIME"],
      swiftSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
    .executableTarget(
      name: "FuzzPage", dependencies: ["CLibFuzzer", "SafeHTML"],
      swiftSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
  ]
)
