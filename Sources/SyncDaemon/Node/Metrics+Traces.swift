// What became of traces, as rows of the metrics.

extension Metrics {
    /// None without a collector.
    var traceRows: [Row] {
        guard let traces else { return [] }
        let figures = traces.figures
        return [
            counter("traces_told", "Traces that the collector took.", figures.told),
            counter("traces_failed", "Traces that it did not take.", figures.failed),
            counter(
                "traces_dropped", "Traces for which there was no room.", traces.sampler.dropped),
        ]
    }
}
