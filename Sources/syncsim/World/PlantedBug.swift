// Defects that are put in on purpose, to see whether the simulator finds them.

/// One mistake that somebody could make.
enum PlantedBug: String, CaseIterable {
    /// A device applies all removals of a batch, and then all adds.
    case removalsFirst = "removals-first"
    /// A catching-up device is not told of one removal.
    case droppedTombstone = "dropped-tombstone"
    /// A change of rows does not change the channel's digest.
    case skippedDigest = "skipped-digest"
    /// The store does not remember one mutation.
    case forgottenMutation = "forgotten-mutation"
    /// A cursor from before forgotten tombstones is served as if none were.
    case ignoredFloor = "ignored-floor"
}
