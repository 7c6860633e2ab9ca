// The tenants as a reactor knows them now: a reload puts others in their place.

import EventModel

/// One for all who ask on a reactor's thread, to which it is confined.
final class Tenants {
    var keysets: Keysets

    init(_ keysets: Keysets = Keysets()) {
        self.keysets = keysets
    }
}
