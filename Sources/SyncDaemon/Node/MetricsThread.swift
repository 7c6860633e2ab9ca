// What `/metrics` shows is written on a thread of its own: no client waits for it.

import Basis
import EventModel

/// Writes figures for whoever asks, one after the other.
final class MetricsThread: Sendable {
    private let asked = WorkQueue<Origin>(capacity: Limits.metricsRequestsMax)

    init(_ metrics: Metrics, reactors: ReactorSwitch) {
        _ = OSThread(name: "metrics") { [asked] in
            while let origin = asked.take(atMost: 1).first {
                reactors.post(.answered(origin, .plain(200, metrics.text)), to: origin.reactor)
            }
        }
    }

    /// Ends it; who asks later is told that nothing is there.
    func stop() { asked.close() }

    func answer(_ asking: HTTPAsking) -> HTTPAnswer {
        let keyset = asking.tenants.keysets.standard
        return .call(
            AdminCall(endsWithDrain: true, asking, in: keyset) { [asked] call in
                asked.put(call.origin)
                    ? nil : .plain(503, "Others ask for the metrics, too: ask again.")
            })
    }
}
