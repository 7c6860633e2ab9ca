// swift-tools-version: 6.2
// Targets and the one-directional edges between them. The compiler enforces the layering.

import PackageDescription

/// Every Swift target builds in Swift 6 mode with the Swift 7 checks turned on early.
let checked: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
]

/// What ships must also say `unsafe` at every unsafe use (SE-0458), so that a search finds it.
let shipped: [SwiftSetting] = checked + [.strictMemorySafety()]

/// Large test modules are not optimised, also where what they test is: that would take minutes, and
/// they do little themselves.
let unoptimised: [SwiftSetting] =
    checked + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// A C library from Debian, as a module of its own.
func library(_ name: String, pkgConfig: String?, debian package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// A target that only Linux has, and needs.
func linux(_ name: String) -> Target.Dependency {
    .target(name: name, condition: .when(platforms: [.linux]))
}

/// What makes a program harder to misuse: everything that the loader writes to is read-only before
/// the first line of it runs, no stack holds code, and no library is loaded that nobody calls.
///
/// Only on programs: a package with such flags in a library could not be depended on.
let hardened: [LinkerSetting] = [
    .unsafeFlags(
        ["-z", "relro", "-z", "now", "-z", "noexecstack", "--as-needed"].flatMap {
            ["-Xlinker", $0]
        }, .when(platforms: [.linux]))
]

let package = Package(
    name: "syncdaemon",
    // Of these, Observation asks most.
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .executable(name: "syncdaemon", targets: ["Daemon"]),
        .executable(name: "syncctl", targets: ["syncctl"]),
        .library(name: "SyncClient", targets: ["SyncClient", "EventModel"]),
        .library(name: "SyncModels", targets: ["SyncModels", "SyncClient", "EventModel"]),
    ],
    targets: [
        // Its pkg-config file asks for libcap too, which nothing here calls.
        library("CWebsockets", pkgConfig: nil, debian: "libwebsockets-dev"),
        library("CJansson", pkgConfig: "jansson", debian: "libjansson-dev"),
        library("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
        library("CLibPQ", pkgConfig: "libpq", debian: "libpq-dev"),
        library("CUV", pkgConfig: "libuv", debian: "libuv1-dev"),
        library("CSystemd", pkgConfig: "libsystemd", debian: "libsystemd-dev"),
        library("CInih", pkgConfig: "inih", debian: "libinih-dev"),
        library("CHTTPParser", pkgConfig: nil, debian: "libhttp-parser-dev"),
        library("CZlib", pkgConfig: "zlib", debian: "zlib1g-dev"),
        library("CSodium", pkgConfig: "libsodium", debian: "libsodium-dev"),
        library("CCBOR", pkgConfig: "libcbor", debian: "libcbor-dev"),
        library("COpenSSL", pkgConfig: "openssl", debian: "libssl-dev"),
        // Its pkg-config file defines macros, which SwiftPM does not pass on.
        library("CCurses", pkgConfig: nil, debian: "libncurses-dev"),
        library("CCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
        .target(name: "CLinux"),
        .target(name: "CThread"),
        // Daemon, client and tools build on it; it knows nothing of them.
        .target(name: "Basis", dependencies: [linux("CThread")], swiftSettings: shipped),
        .target(
            name: "EventModel", swiftSettings: shipped,
            linkerSettings: [.linkedLibrary("m")]),  // squareRoot(), when not optimised
        .target(name: "JSON", swiftSettings: shipped),
        // What statements of both databases have in common.
        .target(name: "SQL", dependencies: ["EventModel"], swiftSettings: shipped),
        .target(
            name: "SQLite", dependencies: ["EventModel", "SQL", "CSQLite"], swiftSettings: shipped),
        .target(
            name: "Postgres", dependencies: ["SQL", "CLibPQ"], swiftSettings: shipped),
        // For syncsim and tests: nothing that ships links it.
        .target(name: "SQLiteFaults", dependencies: ["Basis", "CSQLite"], swiftSettings: shipped),
        .target(
            name: "SyncDaemon",
            dependencies: [
                "Basis", "EventModel", "JSON", "SQL", "SQLite", "Postgres", "CWebsockets", "CUV",
                "CSystemd", "CInih", "CHTTPParser", "CZlib", "CLinux", "CSodium", "CCBOR",
                "COpenSSL", "CCurl",
            ],
            swiftSettings: shipped),
        .executableTarget(
            name: "Daemon", dependencies: ["SyncDaemon"], swiftSettings: shipped,
            linkerSettings: hardened),
        .target(
            name: "SyncClient",
            dependencies: [
                "Basis", "EventModel", "JSON", "SQL", "SQLite", linux("CWebsockets"),
            ],
            exclude: ["SyncClient.docc"],
            // Debug builds for Linux compile the transport of Apple's platforms too, for the tests.
            swiftSettings: shipped + [
                .define("URLSESSION", .when(platforms: [.linux], configuration: .debug))
            ]),
        // The client for screens; on Apple's platforms SwiftUI observes it.
        .target(
            name: "SyncModels", dependencies: ["SyncClient", "EventModel", "JSON"],
            exclude: ["SyncModels.docc"],
            swiftSettings: shipped),
        .executableTarget(
            name: "syncctl",
            dependencies: [
                "SyncDaemon", "SyncClient", "SyncModels", "Basis", "EventModel", "JSON", "COpenSSL",
                "CCurses",
            ],
            swiftSettings: shipped, linkerSettings: hardened),
        // examples/swift-chat is a package of its own, too; here the tests have it.
        .executableTarget(
            name: "swiftchat", dependencies: ["SyncModels", "SyncClient", "EventModel"],
            path: "examples/swift-chat/Sources/Chat", swiftSettings: checked),
        .executableTarget(
            name: "reconcilebench", dependencies: ["Basis", "EventModel"],
            path: "Benchmarks/Reconciliation", swiftSettings: shipped),
        // With -enable-testing, which debug builds have anyway: see `make simulate`.
        .executableTarget(
            name: "syncsim",
            dependencies: [
                "SyncDaemon", "SyncClient", "SQLite", "SQLiteFaults", "Basis", "EventModel", "JSON",
            ],
            swiftSettings: shipped),
        .executableTarget(
            name: "syncbench", dependencies: ["Basis", "EventModel", "JSON", "CLinux"],
            swiftSettings: shipped),
        .target(name: "CAllocations", path: "Benchmarks/Allocations"),
        // It looks inside the daemon: a release build of it needs -enable-testing.
        .executableTarget(
            name: "microbench",
            dependencies: ["SyncDaemon", "Basis", "EventModel", "CAllocations"],
            path: "Benchmarks/Micro", swiftSettings: shipped),
        .target(
            name: "TestSupport", dependencies: ["EventModel"], path: "Tests/TestSupport",
            swiftSettings: checked),
        .testTarget(name: "BasisTests", dependencies: ["Basis"], swiftSettings: checked),
        .testTarget(
            name: "EventModelTests", dependencies: ["Basis", "EventModel", "CSodium"],
            swiftSettings: checked),
        .testTarget(
            name: "JSONTests", dependencies: ["Basis", "JSON", "CJansson"],
            swiftSettings: checked),
        .testTarget(
            name: "SQLiteTests",
            dependencies: ["Basis", "SQL", "SQLite", "SQLiteFaults", "EventModel"],
            swiftSettings: checked),
        .testTarget(
            name: "PostgresTests", dependencies: ["Postgres", "SQL", "EventModel", "TestSupport"],
            swiftSettings: checked),
        .testTarget(
            name: "SyncDaemonTests",
            dependencies: [
                "SyncDaemon", "Basis", "EventModel", "JSON", "SQL", "SQLite", "SQLiteFaults",
                "Postgres", "CZlib", "TestSupport",
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "SyncClientTests",
            dependencies: [
                "SyncClient", "SyncModels", "syncctl", "SyncDaemon", "swiftchat", "Basis",
                "EventModel", "JSON", "SQL", "SQLite", "TestSupport",
            ],
            exclude: ["Fixtures"],
            swiftSettings: unoptimised + [
                .define("URLSESSION", .when(platforms: [.linux], configuration: .debug))
            ]),
        .testTarget(
            name: "SyncSimTests", dependencies: ["syncsim", "Basis"], swiftSettings: checked),
        .testTarget(
            name: "SyncBenchTests",
            dependencies: ["syncbench", "Basis", "EventModel", "JSON"],
            swiftSettings: checked),
        .testTarget(
            name: "MicroBenchTests", dependencies: ["microbench", "CAllocations"],
            swiftSettings: checked),
        // What is fuzzed, as functions: `make fuzz` and a short test call the same ones.
        .target(
            name: "FuzzTargets",
            dependencies: ["SyncDaemon", "SyncClient", "Basis", "EventModel", "JSON"],
            path: "Tests/Fuzz/Targets", swiftSettings: checked),
        .testTarget(
            name: "FuzzTests", dependencies: ["FuzzTargets", "Basis"], path: "Tests/Fuzz/Tests",
            swiftSettings: checked),
        .testTarget(name: "TidyTests", swiftSettings: checked),
    ]
)

// Its `main` is libFuzzer's, which only `make fuzz` links.
if Context.environment["SYNCDAEMON_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "syncfuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Driver",
            swiftSettings: checked))
}
