// What each interceptor was asked, as rows of the metrics.

extension Metrics {
    /// Six families, each with a row for every interceptor.
    var interceptorRows: [Row] {
        let figures = interceptors.figures.sorted { $0.key < $1.key }
        func family(
            _ name: String, _ kind: String, _ help: String, _ value: (InterceptorFigures) -> Int
        ) -> [Row] {
            figures.map { interceptor, figures in
                Row(
                    name: "interceptor_\(name)", kind: kind, help: help, value: value(figures),
                    label: #"interceptor="\#(interceptor)""#)
            }
        }
        return family("writes_total", "counter", "Writes that it was to decide.", \.asked)
            + family("refusals_total", "counter", "Of these, those that it refused.", \.refused)
            + family("changes_total", "counter", "Of these, those that it changed.", \.changed)
            + family("failures_total", "counter", "Of these, those without an answer.", \.failed)
            + family(
                "unasked_total", "counter", "Of these, those refused because too many waited.",
                \.unasked)
            + family("waiting", "gauge", "Writes that wait for it, or behind such.", \.waiting)
    }
}
