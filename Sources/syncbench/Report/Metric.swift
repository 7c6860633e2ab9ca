// What is measured, in which unit, and what "worse" means for it.

/// A measured quantity; its raw value is its name in JSON.
enum Metric: String, CaseIterable {
    case cpuPerDelivery = "cpu_us_per_delivery"
    case marginalCPUPerDelivery = "marginal_cpu_us_per_delivery"
    case deliveriesPerSecond = "deliveries_per_second"
    case bytesPerDelivery = "bytes_per_delivery"
    case median = "p50_ms"
    case tail = "p99_ms"
    case connectsPerSecond = "connects_per_second"
    case cpuPerConnect = "cpu_us_per_connect"
    case idleBytes = "idle_bytes_per_connection"
    case idleCPU = "idle_cpu_percent"
    case acknowledgedPerSecond = "acknowledged_per_second"
    case acknowledgedMedian = "acknowledged_p50_ms"
    case acknowledgedTail = "acknowledged_p99_ms"
    case cpuPerAdd = "cpu_us_per_add"
    case stuckSetBack = "stuck_set_back"
    case stuckClosed = "stuck_closed"
    case grownBytes = "peak_grown_bytes"
    case budgetBytes = "budget_bytes"
    case secondsUntilLive = "seconds_until_live"
    case missed = "missed"
    case doubled = "doubled"
    case reads = "reads"
    case receivedMedian = "received_bytes_p50"
    case receivedWorst = "received_bytes_max"
    case sentMedian = "sent_bytes_p50"
    case sentWorst = "sent_bytes_max"
    case roundTripsMedian = "round_trips_p50"
    case roundTripsWorst = "round_trips_max"
    case repairMedian = "repair_p50_ms"
    case repairWorst = "repair_max_ms"
    case repairCPUMedian = "repair_cpu_p50_ms"
    case repairCPUWorst = "repair_cpu_max_ms"
    case secondsUntilEqual = "seconds_until_equal"
    case failoverSeconds = "failover_seconds"
    case unequal = "unequal"
    case bytesPerDevice = "bytes_per_device"
    case cpuSeconds = "cpu_seconds"
    case cpuPerDevice = "cpu_us_per_device"
    case currentChannels = "mode_current"
    case deltaChannels = "mode_delta"
    case repairChannels = "mode_repair"
    case snapshotChannels = "mode_snapshot"

    enum Comparison {
        /// Divided by the floor's value of the same run.
        case toFloor(lowerIsBetter: Bool)
        /// As it is.
        case plain
        /// Not at all: times of one machine and day.
        case none
    }

    var comparison: Comparison {
        switch self {
        case .cpuPerDelivery, .cpuPerConnect: .toFloor(lowerIsBetter: true)
        case .connectsPerSecond: .toFloor(lowerIsBetter: false)
        case .bytesPerDelivery, .idleBytes, .missed, .doubled, .reads, .receivedMedian, .unequal,
            .bytesPerDevice:
            .plain
        case .marginalCPUPerDelivery, .deliveriesPerSecond, .median, .tail, .idleCPU,
            .acknowledgedPerSecond,
            .acknowledgedMedian, .acknowledgedTail, .cpuPerAdd, .stuckSetBack,
            .stuckClosed, .grownBytes, .budgetBytes, .secondsUntilLive,
            .receivedWorst, .sentMedian, .sentWorst, .roundTripsMedian, .roundTripsWorst,
            .repairMedian, .repairWorst, .repairCPUMedian, .repairCPUWorst, .secondsUntilEqual,
            .failoverSeconds, .cpuSeconds, .cpuPerDevice, .currentChannels, .deltaChannels,
            .repairChannels,
            .snapshotChannels:
            .none
        }
    }

    /// The head of a column.
    var title: String {
        switch self {
        case .cpuPerDelivery: "CPU µs/delivery"
        case .marginalCPUPerDelivery: "marginal CPU µs/delivery"
        case .deliveriesPerSecond: "deliveries/s"
        case .bytesPerDelivery: "bytes/delivery"
        case .median: "p50 ms"
        case .tail: "p99 ms"
        case .connectsPerSecond: "connects/s"
        case .cpuPerConnect: "CPU µs/connect"
        case .idleBytes: "idle bytes/connection"
        case .idleCPU: "idle CPU %"
        case .acknowledgedPerSecond: "acknowledged/s"
        case .acknowledgedMedian: "ack p50 ms"
        case .acknowledgedTail: "ack p99 ms"
        case .cpuPerAdd: "CPU µs/add"
        case .stuckSetBack: "set back"
        case .stuckClosed: "closed with 1013"
        case .grownBytes: "memory grew, bytes"
        case .budgetBytes: "budget, bytes"
        case .secondsUntilLive: "all live after s"
        case .missed: "missed"
        case .doubled: "doubled"
        case .reads: "disk reads"
        case .receivedMedian: "bytes received, median"
        case .receivedWorst: "bytes received, worst"
        case .sentMedian: "bytes sent, median"
        case .sentWorst: "bytes sent, worst"
        case .roundTripsMedian: "round trips, median"
        case .roundTripsWorst: "round trips, worst"
        case .repairMedian: "ms, median"
        case .repairWorst: "ms, worst"
        case .repairCPUMedian: "server CPU ms, median"
        case .repairCPUWorst: "server CPU ms, worst"
        case .secondsUntilEqual: "all equal after s"
        case .failoverSeconds: "others serve after s"
        case .unequal: "not equal"
        case .bytesPerDevice: "bytes/device"
        case .cpuSeconds: "server CPU s"
        case .cpuPerDevice: "CPU µs/device"
        case .currentChannels: "current"
        case .deltaChannels: "delta"
        case .repairChannels: "repair"
        case .snapshotChannels: "snapshot"
        }
    }
}
