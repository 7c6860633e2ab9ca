// swift-tools-version: 6.2
// A chat in a terminal, as a package that uses SyncModels as an app would.

import PackageDescription

let package = Package(
    name: "swift-chat",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "syncdaemon", path: "../..")],
    targets: [
        .executableTarget(
            name: "Chat",
            dependencies: [.product(name: "SyncModels", package: "syncdaemon")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
