// Pages of windows, read.

import EventModel
import JSON

extension ReplyDecoder {
    func windowPage(_ result: borrowing JSONValue) throws(JSONError) -> WindowPage {
        guard let rest = try result.state("rest"), let state = try result.state() else {
            throw .missingField("rest", expected: "an object, and \"s\" beside it")
        }
        var page = WindowPage(
            cursor: try result.timetoken("cursor"), after: try result.timetoken("after"),
            rest: rest, state: state, messages: try messages(result))
        let rows = try result.string("rows")
        do throws(RepairError) {
            page.actions = try PackedActions.actions(
                text: rows, actionsMax: Limits.windowPageActionsMax)
        } catch {
            throw .wrongType("rows", expected: "base64 of packed rows")
        }
        return page
    }
}

extension JSONValue {
    /// Of which part of the channel a push is; `nil`: of all of it.
    func batchWindow() throws(JSONError) -> BatchWindow? {
        guard member("window") != nil else { return nil }
        let window = try object("window")
        return BatchWindow(after: try window.timetoken("after"), rest: try window.state("rest"))
    }
}
