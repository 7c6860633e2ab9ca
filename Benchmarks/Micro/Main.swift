// Measures the parts of a delivery by themselves: nanoseconds and allocations of each;
// with the word `constant-time`, what the time of a refusal tells of a secret.

@main
enum MicroBenchmark {
    static func main() {
        if CommandLine.arguments.dropFirst() == ["constant-time"] {
            print(ConstantTime(samples: 400_000).text, terminator: "")
        } else {
            print(table(.full).text, terminator: "")
        }
    }

    /// Everything, with this much effort.
    static func table(_ effort: Effort) -> CostTable {
        let watch = Stopwatch(effort: effort)
        var table = CostTable()
        Coding.measure(watch, into: &table)
        Lookups.measure(watch, into: &table)
        Turns.measure(watch, into: &table)
        HotMessages.measure(watch, into: &table)
        return table
    }
}
