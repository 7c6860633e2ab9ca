// What tenants may keep in the store.

import EventModel

extension Ledger {
    /// Why a write's tenant may not keep what it brings; `nil` when it may.
    ///
    /// What frees space is never refused for space.
    func quotaRefusal(of write: Write) throws(StoreError) -> ProtocolError? {
        let account = accounts.account(of: write.channel.keyset)
        guard account.boundsStore else { return nil }
        let bytes: Int
        switch write.operation {
        case .publish(let message, _): bytes = StoredUse.bytes(of: message, by: write.author.userID)
        case .add(let key, _, _), .edit(let key, _): bytes = StoredUse.bytes(of: key)
        case .markRead:
            // One that moves takes no more room.
            guard try store.readMark(of: write.author.userID, in: write.channel) == nil else {
                return nil
            }
            bytes = StoredUse.bytes(ofMarkBy: write.author.userID)
        case .remove, .removeAction, .deleteMessage, .deleteMessages, .clear: bytes = 0
        case .changeDevice(let device, .add(let channels), _):
            return try quotaRefusal(of: device, hearingOf: channels)
        case .changeFile(.add(let file)):
            return try quotaRefusal(of: StoredUse.bytes(of: file), in: file.channel.keyset)
        case .changeGroup, .revoke, .grant, .changeDevice, .changeFile: return nil
        case .changeDirectory(let request): bytes = request.bytes
        }
        let use = try store.use(ofKeyset: ExactText(write.channel.keyset))
        let isNew = try !store.hasChannel(write.channel)
        do throws(QuotaRefusal) {
            try account.check(.channels, isNew ? 1 : 0, besides: use.channels)
            try account.check(.storedBytes, bytes, besides: use.bytes)
            return nil
        } catch {
            return ProtocolError(error)
        }
    }

    /// Why a tenant may not keep so many bytes more; `nil` when it may.
    func quotaRefusal(of bytes: Int, in keyset: String) throws(StoreError) -> ProtocolError? {
        let use = try store.use(ofKeyset: ExactText(keyset))
        do throws(QuotaRefusal) {
            try accounts.account(of: keyset).check(.storedBytes, bytes, besides: use.bytes)
            return nil
        } catch {
            return ProtocolError(error)
        }
    }

    /// Tells the accounts what their tenants keep.
    func tellUse() throws(StoreError) {
        for account in accounts.all {
            let use = try store.use(ofKeyset: ExactText(account.subscribeKey))
            account.set(.channels, use.channels)
            account.set(.storedBytes, use.bytes)
        }
    }
}

extension DirectoryRequest {
    /// What it may add at most; a membership is in two directories.
    fileprivate var bytes: Int {
        changes.reduce(0) { bytes, change in
            guard case .set(let fields) = change.kind else { return bytes }
            return fields.reduce(bytes + 2 * StoredUse.rowBytes) {
                $0 + 2 * ($1.name.utf8.count + ($1.value?.utf8.count ?? 0))
            }
        }
    }
}
