/** A simulated installation: each edge commits one group at a time, and events that come meanwhile wait for the next one. */
export type Simulated = { perSecond: number; edges: number; events: number; answerMs: readonly number[]; seed: number }

/** Numbers from 0 to 1, always the same for a seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const quantileOf = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!

/**
 * The time of an answer at a rate (ms). Events come at random; a group takes as long as an answer was measured to take alone,
 * a measured time that is drawn for each group.
 */
export function simulateAnswers({ perSecond, edges, events, answerMs, seed }: Simulated): { p50: number; p99: number } {
  const random = createRandom(seed)
  const took: number[] = []
  for (let edge = 0; edge < edges; edge++) {
    let [at, freeAt, groupEnd, groupStart] = [0, 0, 0, Number.NEGATIVE_INFINITY]
    for (let n = 0; n < events / edges; n++) {
      at += (-Math.log(1 - random()) * 1_000 * edges) / perSecond
      if (at > groupStart) {
        // The next group starts when the one before has ended, and takes all that came until then.
        groupStart = Math.max(at, freeAt)
        groupEnd = groupStart + quantileOf(answerMs, random())
        freeAt = groupEnd
      }
      took.push(groupEnd - at)
    }
  }
  took.sort((one, other) => one - other)
  return { p50: quantileOf(took, 0.5), p99: quantileOf(took, 0.99) }
}
