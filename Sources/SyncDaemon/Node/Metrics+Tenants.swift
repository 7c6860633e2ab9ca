// What each tenant has, as Prometheus text.

import EventModel

extension Metrics {
    /// Three families with a label for the tenant, and one for what it has.
    var tenants: String {
        let rows = accounts.all.flatMap { account in
            Quota.allCases.map { quota in
                (
                    label: #"{keyset="\#(account.subscribeKey)",quota="\#(quota.name)"}"#,
                    figures: account.figures(quota)
                )
            }
        }
        let rates = accounts.all.map { account in
            #"syncdaemon_keyset_rate_limited_total{keyset="\#(account.subscribeKey)"} "#
                + "\(account.refusedCommands)\n"
        }
        return family(
            "keyset_held", "gauge", "What a keyset has of each thing that has a quota.",
            rows.map { ($0.label, $0.figures.held) })
            + family(
                "keyset_quota", "gauge", "What it may have.",
                rows.map { ($0.label, $0.figures.max) })
            + family(
                "keyset_refusals_total", "counter", "Times that it was refused more.",
                rows.map { ($0.label, $0.figures.refused) })
            + head(
                "keyset_rate_limited_total", "counter",
                "Commands and requests refused for the keyset's rate.")
            + rates.joined()
    }

    private func family(
        _ name: String, _ kind: String, _ help: String, _ rows: [(label: String, value: Int)]
    ) -> String {
        head(name, kind, help)
            + rows.map { "syncdaemon_\(name)\($0.label) \($0.value)\n" }.joined()
    }

    private func head(_ name: String, _ kind: String, _ help: String) -> String {
        "# HELP syncdaemon_\(name) \(help)\n# TYPE syncdaemon_\(name) \(kind)\n"
    }
}
