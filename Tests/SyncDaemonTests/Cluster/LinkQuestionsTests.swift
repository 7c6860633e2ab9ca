// Each question over a link is answered once, to whoever asked it, together with its step.

import EventModel
import Testing

@testable import SyncDaemon

@Suite struct LinkQuestionsTests {
    private let asker = LinkSamples.origin
    private let request = PresenceRequest(
        member: Presence.Member(userID: "ann", keyset: "tenant"), operation: .channels,
        origin: LinkSamples.origin,
        source: PresenceSource(reactor: 3, connection: SessionID(slot: 1, generation: 2)))

    private func step(_ finding: LinkQuestions.Finding) -> (answers: [Answer], mark: Int?)? {
        guard case .step(let step, let mark) = finding else { return nil }
        return (step.answers, mark)
    }

    @Test func whatWasAskedIsAnsweredWithTheNextStep() throws {
        var questions = LinkQuestions()
        let (asked, marked) = (questions.number(.order(asker)), questions.number(.mark(7)))
        let (write, mark) = (try #require(asked), try #require(marked))
        let answers = [
            Answer(origin: write, result: .success(.groupChanged)),
            Answer(origin: mark, result: .success(.pong(.zero))),
            // Nobody asked this.
            Answer(origin: Origin(number: 99), result: .success(.groupChanged)),
        ]
        #expect(step(questions.hear(.answers(answers))) == nil)
        let found = try #require(step(questions.hear(.step(Commit()))))
        #expect(found.answers == [Answer(origin: asker, result: .success(.groupChanged))])
        #expect(found.mark == 7)
        let next = try #require(step(questions.hear(.step(Commit()))))
        #expect(next.answers.isEmpty && next.mark == nil)
    }

    @Test func whatPresenceSaysComesWithTheQuestion() throws {
        var questions = LinkQuestions()
        let asked = questions.number(.presence(request, asker))
        let number = try #require(asked)
        guard case .presence(let answer) = questions.hear(.presence(number, .channels(["a"])))
        else {
            Issue.record("It was not taken for an answer of presence.")
            return
        }
        #expect(answer.origin == asker)
        guard case .nothing = questions.hear(.presence(number, .done)) else {
            Issue.record("It was answered twice.")
            return
        }
    }

    @Test func onlySoMuchIsAskedAndNothingOfWhoIsLost() throws {
        var questions = LinkQuestions(countMax: 2)
        let first = questions.number(.order(asker))
        let second = questions.number(.mark(1))
        let third = questions.number(.mark(2))
        #expect(first != nil && second != nil && third == nil)
        let isThere = questions.takeBack(try #require(first))
        let isThereAgain = questions.takeBack(try #require(first))
        #expect(isThere && !isThereAgain)
        #expect(questions.lose().count == 1)
        let late = questions.number(.mark(3))
        #expect(late == nil)
    }

    /// A daemon may have 256 reactors, and links stand behind those.
    @Test func aLinksPlaceBehindAllReactorsIsNotSentOver() throws {
        let duties = LinkDuties(reactor: ReactorSet.countMax + 31, generation: 5)
        let mine = Origin(
            reactor: duties.reactor, session: SessionID(slot: 0, generation: 5), command: 12)
        let former = Origin(
            reactor: duties.reactor, session: SessionID(slot: 0, generation: 4), command: 12)
        var step = Commit()
        step.answers = [mine, former, asker].map {
            Answer(origin: $0, result: .success(.groupChanged))
        }
        let answers = duties.answers(of: step)
        #expect(answers.map(\.origin) == [Origin(number: 12)])
        let frame = LinkWriter.frame(LinkNews.answers(answers))
        guard case .answers(let copy) = try LinkReader.value(LinkNews.self, of: frame[4...]) else {
            Issue.record("It became other news.")
            return
        }
        #expect(copy == answers)
    }
}
