// What there is to say of the daemons over one schema, as rows of the metrics.

extension Metrics {
    /// Only in a cluster.
    var clusterRows: [Row] {
        guard links != nil || ledger.isElsewhere else { return [] }
        return [
            gauge(
                "cluster_follows", "Whether another daemon orders, and this one follows it.",
                ledger.isElsewhere ? 1 : 0),
            gauge(
                "cluster_followers", "Daemons that follow this one.", links?.followers.count ?? 0),
            gauge(
                "cluster_lag_milliseconds",
                "How long it takes until something comes back from the daemon that orders.",
                ledger.lag.value),
        ]
    }
}
