// What each tenant has, as rows of the metrics.

extension Metrics {
    /// Four families, each with a row for every tenant, and three of them for all that has a quota.
    var tenants: [Row] {
        let accounts = self.accounts.all
        func family(
            _ name: String, _ kind: String, _ help: String,
            _ value: (Account.Figures) -> Int
        ) -> [Row] {
            accounts.flatMap { account in
                Quota.allCases.map { quota in
                    Row(
                        name: "keyset_\(name)", kind: kind, help: help,
                        value: value(account.figures(quota)),
                        label: #"keyset="\#(account.subscribeKey)",quota="\#(quota.name)""#)
                }
            }
        }
        return family(
            "held", "gauge", "What a keyset has of each thing that has a quota.", \.held)
            + family("quota", "gauge", "What it may have.", \.max)
            + family("refusals_total", "counter", "Times that it was refused more.", \.refused)
            + accounts.map { account in
                Row(
                    name: "keyset_rate_limited_total", kind: "counter",
                    help: "Commands and requests refused for the keyset's rate.",
                    value: account.refusedCommands,
                    label: #"keyset="\#(account.subscribeKey)""#)
            }
    }
}
