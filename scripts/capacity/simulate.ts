/** A simulated installation: each edge commits one group at a time, and events that arrive meanwhile wait for the next one. */
export type Simulated = { perSecond: number; edges: number; events: number; answerMs: readonly number[]; seed: number }

/** Random numbers from 0 to 1, the same for the same seed. */
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
 * The response times at a rate (ms). Events arrive at random; the time of each group is drawn from the measured response
 * times of single events.
 */
export function simulateAnswers({ perSecond, edges, events, answerMs, seed }: Simulated): { p50: number; p99: number } {
  const random = createRandom(seed)
  const took: number[] = []
  for (let edge = 0; edge < edges; edge++) {
    let [at, freeAt, groupEnd, groupStart] = [0, 0, 0, Number.NEGATIVE_INFINITY]
    for (let n = 0; n < events / edges; n++) {
      at += (-Math.log(1 - random()) * 1_000 * edges) / perSecond
      if (at > groupStart) {
        // The next group starts when the previous one ends, and takes everything that has arrived by then.
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
