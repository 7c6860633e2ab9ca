// What became of files, as rows of the metrics.

extension Metrics {
    /// Of files that are there and under way, and a row for every limit; none without files.
    var fileRows: [Row] {
        guard let files else { return [] }
        let (figures, open) = (files.figures, files.open)
        return [
            gauge("files", "Files of channels in their directory.", figures.stored.value),
            gauge("files_bytes", "Bytes of these.", figures.storedBytes.value),
            gauge(
                "files_unknown", "Files that the start found and the database did not know.",
                figures.unknown.value),
            gauge("files_unknown_bytes", "Bytes of these.", figures.unknownBytes.value),
            gauge("file_uploads_open", "Uploads under way.", open.uploads),
            gauge("file_downloads_open", "Downloads under way.", open.downloads),
            counter("file_uploads", "Uploads that began.", figures.uploads.value),
            counter(
                "file_upload_failures", "Of these, those after which there was no file.",
                figures.uploadsFailed.value),
            counter("file_downloads", "Downloads that began.", figures.downloads.value),
            counter(
                "file_download_failures", "Of these, those that did not come to their end.",
                figures.downloadsFailed.value),
        ]
            + FileLimit.allCases.map { limit in
                Row(
                    name: "file_refusals_total", kind: "counter",
                    help: "Uploads and downloads that met a limit, by the limit.",
                    value: figures.refusals(at: limit), label: #"limit="\#(limit.rawValue)""#)
            }
    }
}
