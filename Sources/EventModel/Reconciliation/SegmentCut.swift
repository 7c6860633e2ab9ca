// Where a channel is cut into segments: whoever has the same messages cuts in the same places.

extension Timetoken {
    /// Whether a segment begins with the message of this timetoken.
    ///
    /// It depends on nothing else, so a server and a device need not tell each other where their
    /// segments begin, and a message that one of them lacks shifts no cut but its own.
    ///
    /// - Parameter mean: Messages of a segment on average, 1 or more.
    public func beginsSegment(ofMessages mean: Int) -> Bool {
        let low = UInt32(truncatingIfNeeded: rawValue)
        let high = UInt32(truncatingIfNeeded: rawValue >> 32)
        return mixed(low ^ mixed(high)) % UInt32(mean) == 0
    }
}

/// MurmurHash3's finalizer of 32 bits: timetokens of a steady pace must not beat with the cuts.
private func mixed(_ word: UInt32) -> UInt32 {
    var word = word
    word = (word ^ word >> 16) &* 0x85EB_CA6B
    word = (word ^ word >> 13) &* 0xC2B2_AE35
    return word ^ word >> 16
}
