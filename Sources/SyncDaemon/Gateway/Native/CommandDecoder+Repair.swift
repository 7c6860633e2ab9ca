// The fields of `repair`.

import EventModel
import JSON

extension CommandDecoder {
    static func repair(_ json: borrowing JSONValue) throws(ProtocolError) -> RepairRequest {
        let channel = try json.channelName("channel")
        let of = try json.read { (json) throws(JSONError) in try json.optionalString("of") }
        guard let level = of.map(RepairLevel.init(rawValue:)) ?? .whole else {
            throw .invalidField("of", "\"segments\" or \"rows\", or absent")
        }
        let choice = level == .rows ? try repairChoice(json) : nil
        // Of no stretch there are none.
        if let choice, choice.only.isEmpty {
            return RepairRequest(
                channel: channel, level: level, choice: choice,
                run: SymbolRun(first: 0, itemCount: 0, symbols: []))
        }
        let from = try json.count("from", max: Int64(Limits.repairSymbolsMax))
        let count = try json.count("count", max: Int64(UInt32.max))
        let symbols = try json.text("symbols", bytesMax: Limits.frameBytesMax)
        do throws(RepairError) {
            return RepairRequest(
                channel: channel, level: level, choice: choice,
                run: try SymbolRun(
                    first: Int(from), itemCount: count, text: symbols,
                    symbolsMax: Limits.repairSymbolsMax - Int(from)))
        } catch {
            throw .invalidField(
                "symbols",
                "coded symbols in base64, up to \(Limits.repairSymbolsMax) of a channel in all")
        }
    }

    private static func repairChoice(
        _ json: borrowing JSONValue
    ) throws(ProtocolError) -> RepairChoice? {
        let (fetch, only) = try json.read { (json) throws(JSONError) in
            (try json.optionalString("fetch"), try json.optionalString("only"))
        }
        let asks = fetch != nil || only != nil || json.member("symbols") == nil
        guard asks else { return nil }
        do throws(RepairError) {
            return RepairChoice(
                fetch: try PackedWants.rows(
                    text: fetch ?? "", rowsMax: Limits.repairStatesMax),
                only: try PackedActions.indices(
                    ordinals: only ?? "", count: Limits.repairStatesMax))
        } catch {
            throw .invalidField(
                "fetch", "packed rows in base64, and \"only\" packed numbers of stretches")
        }
    }
}
