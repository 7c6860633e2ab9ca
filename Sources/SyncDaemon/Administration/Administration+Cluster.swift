// What operators ask of the daemons over one database server.

import EventModel
import JSON

extension Administration {
    func cluster() throws(AdminError) -> [UInt8] {
        guard case .server(let target, let schema)? = around.place else {
            throw .refused(
                "The data is on this machine alone. Several daemons share a schema of PostgreSQL's:"
                    + " docs/CLUSTER.md.")
        }
        let look: ClusterLook
        do throws(StoreError) {
            look = try ClusterLook(target: target, schema: schema)
        } catch {
            throw .refused("\(error)")
        }
        return Self.json { json in
            json.member("schema", schema)
            json.member("server", look.server)
            json.member("term", look.term)
            // What it was given is over as soon as another one has been.
            let isOurs = look.term == around.ledger.term && !around.ledger.isElsewhere
            json.member("servesHere", isOurs)
            json.member("renewed", look.renewed)
            json.member("synchronousStandbyNames", look.synchronousNames)
            write(look.members + followers, into: &json)
            write(look.standbys, into: &json)
        }
    }

    /// Their sessions are of readers only, as this one's are, too: it knows them by their links.
    private var followers: [ClusterLook.Member] {
        (around.links?.followers ?? []).map { follower in
            ClusterLook.Member(
                role: "follows", session: 0, address: follower.address,
                since: LogText.timestamp(follower.since), waitsFor: "")
        }
    }

    private func write(_ members: [ClusterLook.Member], into json: inout JSONWriter) {
        json.beginArray("daemons")
        for member in members {
            json.beginObject()
            json.member("role", member.role)
            json.member("address", member.address)
            json.member("session", member.session)
            json.member("since", member.since)
            json.member("waitsFor", member.waitsFor)
            json.endObject()
        }
        json.endArray()
    }

    private func write(_ standbys: [ClusterLook.Standby], into json: inout JSONWriter) {
        json.beginArray("standbys")
        for standby in standbys {
            json.beginObject()
            json.member("name", standby.name)
            json.member("address", standby.address)
            json.member("state", standby.state)
            json.member("sync", standby.sync)
            json.member("behindBytes", standby.behindBytes)
            json.endObject()
        }
        json.endArray()
    }
}
