// Whether two samples of times are of one and the same thing: Welch's t.

/// Two samples, without what interrupts and page faults did to them.
struct TimeComparison {
    struct Sample {
        let count: Int
        let mean: Double
        let variance: Double

        init(_ values: [Double]) {
            let sum = values.reduce(0, +)
            let mean = sum / Double(max(1, values.count))
            count = values.count
            self.mean = mean
            let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            variance = squares / Double(max(1, values.count - 1))
        }
    }

    let early: Sample
    let late: Sample

    /// Leaves out what is above the pooled 80th percentile: one bound for both.
    init(_ early: [Double], _ late: [Double]) {
        let all = (early + late).sorted()
        let bound = all.isEmpty ? 0 : all[all.count * 8 / 10]
        self.early = Sample(early.filter { $0 <= bound })
        self.late = Sample(late.filter { $0 <= bound })
    }

    /// Of the means; 1 when the place of the difference does not matter.
    var ratio: Double { late.mean / early.mean }

    /// Above about 4.5, either way, the two are surely unlike; how unlike, ``ratio`` says.
    var statistic: Double {
        let error = early.variance / Double(early.count) + late.variance / Double(late.count)
        return error > 0 ? (late.mean - early.mean) / error.squareRoot() : 0
    }
}
