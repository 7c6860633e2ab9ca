// The program: many seeds, or one again.

import EventModel
import Glibc

@main
enum SyncSim {
    static func main() {
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        do throws(Invocation.Mistake) {
            let arguments = Array(CommandLine.arguments.dropFirst())
            let invocation = try Invocation.parse(arguments, processors: processors)
            hashAlikeInEveryProcess()
            exit(run(invocation) ? 0 : 1)
        } catch {
            print("syncsim: \(error.text) See syncsim --help.")
            exit(2)
        }
    }

    /// A seed has to make the same world in every process, and dictionaries have an order.
    private static func hashAlikeInEveryProcess() {
        let variable = "SWIFT_DETERMINISTIC_HASHING"
        guard unsafe getenv(variable) == nil else { return }
        unsafe setenv(variable, "1", 1)
        unsafe withCStrings(CommandLine.arguments) { unsafe _ = execv("/proc/self/exe", $0) }
        print("syncsim: it could not start itself again, so a replay may go another way.")
    }

    private static func run(_ invocation: Invocation) -> Bool {
        switch invocation {
        case .help:
            print(Invocation.helpText)
            return true
        case .replay(let seed, let bug, let isQuiet):
            return replay(seed, bug, isQuiet: isQuiet)
        case .work(let first, let count, let bug):
            for number in 0..<count {
                let result = SeedResult(living: first + UInt64(number), bug: bug)
                print(result.line, terminator: "")
                fflush(nil)
            }
            return true
        case .powerCuts(let count, let first):
            return cut(count, from: first ?? UInt64.random(in: 1..<1 << 48))
        case .many(let count, let first, let workers, let bug):
            // Leaves room above it: seeds are consecutive.
            let first = first ?? UInt64.random(in: 1..<1 << 48)
            print("syncsim: \(count) seeds from \(first) on, \(workers) at a time")
            var campaign = Campaign(program, count: count, bug: bug)
            return campaign.run(from: first, workers: workers)
        }
    }

    private static func replay(_ seed: UInt64, _ bug: PlantedBug?, isQuiet: Bool) -> Bool {
        let world = World(seed: seed, bug: bug, write: isQuiet ? nil : { print($0) })
        do throws(Violation) {
            print(try world.run().text)
            return true
        } catch {
            print(error)
            return false
        }
    }

    private static func cut(_ count: Int, from first: UInt64) -> Bool {
        print("syncsim: \(count) power cuts, machines from seed \(first) on")
        do throws(BrokenPromise) {
            print(try PowerCuts(count: count, first: first).text)
            return true
        } catch {
            print(error)
            return false
        }
    }

    /// The path of this very file.
    private static var program: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { return CommandLine.arguments[0] }
        return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
