// Repairs beside reading everything through PubNub's API.

/// The table of `syncbench repair`: a column for each number of differences, and for each of
/// PubNub's interfaces.
enum RepairTable {
    private static let rows: [(title: String, metric: Metric, isOfNext: Bool)] = [
        ("bytes received, median", .receivedMedian, false),
        ("bytes received, worst", .receivedWorst, false),
        ("bytes sent, median", .sentMedian, false),
        ("bytes sent, worst", .sentWorst, false),
        ("round trips, median", .roundTripsMedian, false),
        ("round trips, worst", .roundTripsWorst, false),
        ("time, median, ms", .repairMedian, false),
        ("time, worst, ms", .repairWorst, false),
        ("server CPU, median, ms", .repairCPUMedian, false),
        ("server CPU, worst, ms", .repairCPUWorst, false),
        ("the next device: time, median, ms", .repairMedian, true),
        ("… server CPU, median, ms", .repairCPUMedian, true),
    ]

    /// Empty when nothing of it was measured.
    static func text(_ records: [Record]) -> String {
        let repairs = records.filter { $0.scenario == "repair" }
        let first = repairs.filter { $0.parameters["turn"] == 1 }
        let pages = records.filter { $0.scenario.hasPrefix("pubnub-") }
        let titles = first.map { "\($0.parameters["differences", default: 0].grouped) differences" }
        let ways = pages.map {
            $0.scenario == "pubnub-actions" ? "message-actions" : "history-with-actions"
        }
        guard !first.isEmpty || !pages.isEmpty else { return "" }
        var table = MarkdownTable([""] + titles + ways)
        for row in rows {
            let own = first.map { record in
                let next = repairs.first {
                    $0.parameters["turn"] == 2
                        && $0.parameters["differences"] == record.parameters["differences"]
                }
                return (row.isOfNext ? next : record)?.values[row.metric]
            }
            let others = pages.map { row.isOfNext ? nil : $0.values[row.metric] }
            table.add([row.title] + (own + others).map { $0?.readable ?? "" })
        }
        return table.text
    }
}
