// The operators' table as routes: who may ask where, and where each is carried out.

import Basis
import EventModel
import JSON

/// Rows for the daemon's table.
struct AdminRoutes: Sendable {
    let daemon: Administration

    var routes: [HTTPRoute] {
        AdminOperation.all.map { operation in
            var route = HTTPRoute(
                method: operation.isChange ? .post : .get, path: PathPattern(operation.path),
                entrances: [.local, .admin]
            ) { asking in
                do throws(AdminError) {
                    return .call(try call(of: operation, asking))
                } catch {
                    return .now(error.response)
                }
            }
            route.isNamed = false
            return route
        }
    }

    /// Who asks, for the log.
    static func peer(of asking: HTTPAsking) -> String {
        asking.request.peer
            ?? asking.hub.outlet.peer(of: asking.origin.session).map { "\($0)" } ?? "unknown"
    }

    private func call(
        of operation: AdminOperation, _ asking: HTTPAsking
    ) throws(AdminError) -> AdminCall {
        try daemon.admit(asking.request)
        let request = try AdminRequest(
            asking.request, to: operation, peer: Self.peer(of: asking),
            keysets: asking.tenants.keysets)
        switch operation.place {
        case .thread(let work), .longThread(let work):
            var isLong = false
            if case .longThread = operation.place { isLong = true }
            return AdminCall(operation, asking, in: asking.tenants.keysets.standard) {
                [daemon] call in
                let origin = call.origin
                let isTaken = daemon.run(isLong: isLong) {
                    let result = Result { () throws(AdminError) in try work(request, daemon) }
                    daemon.note(operation, request, result)
                    daemon.answer(origin, result)
                }
                return isTaken ? nil : AdminError.busy.response
            }
        case .ledger(let prepare):
            return AdminCall(operation, asking, in: asking.tenants.keysets.standard) {
                [daemon] call in
                let (origin, taken) = (call.origin, call.taken)
                let isTaken = daemon.run(isLong: false) {
                    do throws(AdminError) {
                        let write = try prepare(request, daemon)
                        taken.withLock { $0 = write.taken }
                        try daemon.submit(write, for: origin)
                        daemon.note(operation, request, .later)
                    } catch {
                        daemon.note(operation, request, .failure(error))
                        daemon.answer(origin, .failure(error))
                    }
                }
                return isTaken ? nil : AdminError.busy.response
            }
        case .reactor(let work):
            return AdminCall(operation, asking, in: try request.keyset()) { [daemon] call in
                do throws(AdminError) {
                    let outcome = try work(request, call)
                    daemon.note(operation, request, outcome)
                    switch outcome {
                    case .done(let reply): return .admin(200, AdminCall.json(of: reply))
                    case .refused(let error): return call.refusal(error)
                    case .later: return nil
                    }
                } catch {
                    daemon.note(operation, request, .failure(error))
                    return error.response
                }
            }
        }
    }
}
