// How the archive stands, as rows of the metrics.

import EventModel

extension Metrics {
    /// None without an archive.
    var archiveRows: [Row] {
        guard let archive else { return [] }
        let figures = archive.figures
        return [
            gauge(
                "archive_through_timestamp_seconds",
                "Up to when the archive can restore, in seconds since 1970.",
                Int(figures.through.rawValue / 10_000_000)),
            gauge(
                "archive_waiting_bytes", "Bytes that wait beside the data for the archive.",
                figures.waitingBytes),
            counter(
                "archive_pieces", "Pieces of the log that came to the archive.", figures.pieces),
            counter("archive_bases", "Copies of the whole database likewise.", figures.bases),
            counter("archive_gaps", "How often the archive had to begin anew.", figures.gaps),
            gauge(
                "archive_untaken_files", "Files that [archive] command has not taken.",
                figures.untaken),
            gauge(
                "archive_untaken_oldest_seconds",
                "Seconds since it was first given the file that is next.", figures.untakenSeconds),
            counter(
                "archive_lost_files",
                "Files that went with keep_days and that [archive] command had not taken.",
                figures.lost),
        ]
    }
}
