// What an export or an import came to, as a line for programs. Pure.

import JSON
import SyncDaemon

extension JSONFormat {
    /// For example `{"channels":1,"messages":20,…,"remarks":[]}`.
    func line(for report: TransferReport) -> String {
        object { json in
            for (name, value) in report.numbers {
                json.name(escaping: name)
                json.integer(value)
            }
            json.member("remarks", report.remarks)
        }
    }
}
