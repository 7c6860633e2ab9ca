// Putting messages together from pieces, up to the limits and not a byte beyond.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// What a step says, comparable.
private enum Outcome: Equatable {
    case incomplete, complete, wholeMessage
    case refused(CloseCode)
}

extension MessageAssembler {
    fileprivate mutating func add(
        _ bytes: [UInt8], remaining: Int = 0, last: Bool = false
    ) -> Outcome {
        let step = bytes.withUnsafeBytes {
            add($0, remainingInFragment: remaining, isLastPiece: last)
        }
        return switch step {
        case .incomplete: .incomplete
        case .complete: .complete
        case .wholeMessage: .wholeMessage
        case .refused(let code, let reason): reason.isEmpty ? .incomplete : .refused(code)
        }
    }
}

private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

private let sizeMax = Limits.frameBytesMax
private let fragmentsMax = Limits.fragmentsPerMessageMax

@Suite("MessageAssembler")
struct MessageAssemblerTests {
    @Test("a piece that is a whole message is not copied")
    func whole() {
        var assembler = MessageAssembler()

        for bytes in [[], [1], zeros(sizeMax)] as [[UInt8]] {
            #expect(assembler.add(bytes, last: true) == .wholeMessage)
            #expect(assembler.take().isEmpty)
        }
    }

    @Test("pieces and fragments are put together in their order")
    func pieces() {
        var assembler = MessageAssembler()

        for _ in 0..<2 {
            #expect(assembler.add([1, 2], remaining: 2) == .incomplete)
            #expect(assembler.add([3, 4]) == .incomplete)
            #expect(assembler.add([]) == .incomplete)
            #expect(assembler.add([5], last: true) == .complete)
            #expect(assembler.take() == [1, 2, 3, 4, 5])
        }
    }

    @Test("as many fragments as allowed make a message; one more is refused", arguments: [0, 1])
    func fragments(size: Int) {
        var assembler = MessageAssembler()

        for count in [fragmentsMax, fragmentsMax + 1] {
            for _ in 1..<count { #expect(assembler.add(zeros(size)) == .incomplete) }
            let end = assembler.add([1], last: true)
            if count > fragmentsMax {
                #expect(end == .refused(.policyViolation))
            } else {
                #expect(end == (size == 0 ? .wholeMessage : .complete))
                #expect(assembler.take().count == (size == 0 ? 0 : count))
            }
        }
    }

    @Test("the pieces of one fragment count as one")
    func piecesOfOneFragment() {
        var assembler = MessageAssembler()
        let count = fragmentsMax * 2

        for rest in stride(from: count, through: 1, by: -1) {
            #expect(assembler.add([0], remaining: rest) == .incomplete)
        }
        #expect(assembler.add([0], last: true) == .complete)
        #expect(assembler.take().count == count + 1)
    }

    @Test("a message may have the largest size, in one piece or many")
    func largest() {
        var assembler = MessageAssembler()

        #expect(assembler.add(zeros(512), remaining: sizeMax - 512) == .incomplete)
        #expect(assembler.add(zeros(sizeMax - 512), last: true) == .complete)
        #expect(assembler.take().count == sizeMax)
    }

    @Test(
        "a message that is larger, or says that it will be, is refused at once",
        arguments: [
            (0, sizeMax + 1, 0), (1, sizeMax, 0), (sizeMax, 1, 0), (0, 0, sizeMax + 1),
            (0, 1, sizeMax), (1, 1, sizeMax - 1), (0, 512, Int.max), (0, 0, Int.max),
            (sizeMax, 0, Int.max), (0, sizeMax, Int.max - 1), (512, 512, Int.max - 512),
        ])
    func tooLarge(before: Int, piece: Int, claim: Int) {
        var assembler = MessageAssembler()
        if before > 0 { #expect(assembler.add(zeros(before)) == .incomplete) }

        #expect(assembler.add(zeros(piece), remaining: claim) == .refused(.messageTooBig))
    }

    @Test("after a refusal nothing of the refused message is left")
    func recovers() {
        var assembler = MessageAssembler()
        #expect(assembler.add(zeros(sizeMax)) == .incomplete)
        #expect(assembler.add([1]) == .refused(.messageTooBig))

        #expect(assembler.take().isEmpty)
        #expect(assembler.add([1]) == .incomplete)
        #expect(assembler.add([2], last: true) == .complete)
        #expect(assembler.take() == [1, 2])

        for _ in 0..<fragmentsMax { #expect(assembler.add([]) == .incomplete) }
        #expect(assembler.add([]) == .refused(.policyViolation))
        #expect(assembler.add([7], last: true) == .wholeMessage)
    }

    @Test("any cut of a message gives the message back", arguments: UInt64(1)...30)
    func anyCut(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var assembler = MessageAssembler()
        for _ in 0..<20 {
            let count = Int.random(in: 1...4000, using: &generator)
            let message = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var rest = message[...]
            var outcome = Outcome.incomplete
            var piece = rest.prefix(0)
            repeat {
                piece = rest.prefix(Int.random(in: 100...1500, using: &generator))
                rest = rest.dropFirst(piece.count)
                let remaining = Int.random(in: 0...rest.count, using: &generator)
                outcome = assembler.add(Array(piece), remaining: remaining, last: rest.isEmpty)
            } while outcome == .incomplete

            #expect(rest.isEmpty)
            #expect((outcome == .wholeMessage ? Array(piece) : assembler.take()) == message)
        }
    }
}
