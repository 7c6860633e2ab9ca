// The lines of a file that lists stand on, read at once when the last of them is there.

import EventModel

/// Collects the lines of the lists of one root.
///
/// Each line is read by itself when it comes, and all of a list together in the end: to read what
/// came before anew at each line would cost the square of their number.
struct ListLines<Root> {
    private struct List {
        let key: SettingKey<Root>
        var lines: [(source: ConfigurationSource, text: String)] = []
        /// Words on all lines.
        var count = 0

        /// Reads the first lines.
        func read(_ count: Int, into root: inout Root) -> Bool {
            key.read(lines.prefix(count).map(\.text).joined(separator: ","), &root)
        }

        /// The line that cannot stand below those before it.
        func firstContradiction(in root: Root) -> ConfigurationError {
            // One is right by itself, all are wrong.
            var (right, wrong) = (1, lines.count)
            while wrong - right > 1 {
                let middle = (right + wrong) / 2
                var trial = root
                if read(middle, into: &trial) { right = middle } else { wrong = middle }
            }
            let line = lines[wrong - 1]
            return key.cannotBe(line.text, at: line.source)
        }
    }

    /// In the order of their first lines.
    private var lists: [List] = []

    /// Takes a line that is right by itself: together with others an empty one would do.
    ///
    /// - Parameter root: What the settings are of; it is not changed yet.
    /// - Throws: Once for a list with too many words, for the line with the first of these.
    mutating func add(
        _ text: String, of key: SettingKey<Root>, at source: ConfigurationSource, to root: Root
    ) throws(ConfigurationError) {
        var trial = root
        guard key.read(text, &trial) else { throw key.cannotBe(text, at: source) }
        let index =
            lists.firstIndex { $0.key.name == key.name && $0.key.section == key.section }
            ?? {
                lists.append(List(key: key))
                return lists.count - 1
            }()
        // Said once.
        guard lists[index].count <= key.elementsMax else { return }
        lists[index].count += text.split(separator: ",").count
        guard lists[index].count <= key.elementsMax else {
            throw .listTooLong(source, key: key.name, max: key.elementsMax)
        }
        lists[index].lines.append((source, text))
    }

    /// Sets the lists, and forgets their lines.
    ///
    /// - Returns: For each that contradicts itself, the first line that does.
    /// - Complexity: O(bytes of the lines); with a logarithm where one is wrong.
    mutating func finish(_ root: inout Root) -> [ConfigurationError] {
        defer { lists = [] }
        return lists.compactMap { list in
            list.read(list.lines.count, into: &root) ? nil : list.firstContradiction(in: root)
        }
    }
}
