// swift-tools-version:5.9
// The example and PubNub's SDK. No part of the daemon's own package, which needs nothing from outside.

import PackageDescription

let package = Package(
    name: "Reactions",
    platforms: [.macOS(.v11)],
    dependencies: [.package(url: "https://github.com/pubnub/swift.git", from: "10.1.6")],
    targets: [
        .executableTarget(
            name: "Reactions",
            dependencies: [.product(name: "PubNubSDK", package: "swift")])
    ]
)
