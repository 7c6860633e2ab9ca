// libFuzzer's way into the targets. It brings `main` itself: `syncfuzz --target=NAME CORPUS…`.

import FuzzTargets
import Glibc

/// Called once, before the first input; libFuzzer passes over options that begin with `--`.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
    _ = target
    return 0
}

/// Reads one input; a finding ends the process, so that libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(Finding) {
        try target.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        say("a finding: \(error)")
        abort()
    }
    return 0
}

private let target: FuzzTarget = {
    let option = "--target="
    let name = CommandLine.arguments.first { $0.hasPrefix(option) }?.dropFirst(option.count)
    guard let name, let target = FuzzTarget.named(String(name)) else {
        let names = FuzzTarget.all.map(\.name).joined(separator: ", ")
        say("say --target=NAME, one of \(names).")
        exit(2)
    }
    return target
}()

private func say(_ text: String) {
    let line = Array("syncfuzz: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
