// What each webhook did and has to do, as rows of the metrics.

import EventModel

extension Metrics {
    /// Nine families, each with a row for every webhook.
    var webhookRows: [Row] {
        let figures = webhooks.figures.sorted { $0.key < $1.key }
        let now = ledger.clock.ticks()
        func family(
            _ name: String, _ kind: String, _ help: String, _ value: (WebhookFigures) -> Int
        ) -> [Row] {
            figures.map { webhook, figures in
                Row(
                    name: "webhook_\(name)", kind: kind, help: help, value: value(figures),
                    label: #"webhook="\#(webhook)""#)
            }
        }
        return family(
            "delivered_total", "counter", "Events that a receiver took.", \.delivered)
            + family("requests_total", "counter", "Requests to a receiver.", \.requests)
            + family("failures_total", "counter", "Of these, those that failed.", \.failed)
            + family(
                "missed_total", "counter",
                "Events that it never hears of: the store was damaged where they would wait.",
                \.missed)
            + family("waiting", "gauge", "Events that wait.", \.uses.waiting.rows)
            + family("waiting_bytes", "gauge", "Bytes of these.", \.uses.waiting.bytes)
            + family("oldest_seconds", "gauge", "How old the first of these is.") { figures in
                guard let oldest = figures.oldest?.rawValue, oldest < now else { return 0 }
                return Int((now - oldest) / 10_000_000)
            } + family("dead_letters", "gauge", "Events that were given up.", \.uses.dead.rows)
            + family(
                "removed", "gauge", "Whether it is gone from the configuration, and events are not."
            ) { $0.isRemoved ? 1 : 0 }
    }
}
