/**
 * What the API says of an event that its destination has not got: it waits, it failed and why, or nothing that explains
 * it.
 */
export type ReportedStatus = { status: string; reason?: string } | undefined

/** One channel: what its destination logged, and what is said of what it lacks. */
export type ChannelLog = {
  name: string
  times: ReadonlyMap<string, number>
  wrong: readonly string[]
  standings: ReadonlyMap<string, ReportedStatus>
}

export type Verdict = {
  sent: number
  accepted: number
  delivered: number
  pending: number
  failed: number
  /** Accepted, not at the destination, and neither waiting nor failed with a reason. */
  lost: string[]
  /** At the destination though nobody sent it, or not as it is to become. */
  phantom: string[]
  /** Events that a channel got more than once, at most in any one channel. */
  repeated: number
}

const isExplained = (standing: ReportedStatus) =>
  standing !== undefined && (standing.status === 'pending' || standing.status === 'held')
const hasFailed = (standing: ReportedStatus) =>
  standing !== undefined && ['dead', 'refused', 'skipped'].includes(standing.status) && standing.reason !== undefined

/** Holds what senders were promised against what destinations have. */
export function judge(
  sent: Pick<ReadonlySet<string>, 'has' | 'size'>,
  accepted: Iterable<string>,
  channels: readonly ChannelLog[],
): Verdict {
  const promised = [...accepted]
  const verdict: Verdict = {
    sent: sent.size,
    accepted: promised.length,
    delivered: 0,
    pending: 0,
    failed: 0,
    lost: [],
    phantom: [],
    repeated: 0,
  }
  for (const { name, times, wrong, standings } of channels) {
    for (const id of promised) {
      const standing = standings.get(id)
      if (times.has(id)) verdict.delivered++
      else if (isExplained(standing)) verdict.pending++
      else if (hasFailed(standing)) verdict.failed++
      else verdict.lost.push(`${name}: ${id}${standing ? ` (${standing.status})` : ''}`)
    }
    for (const id of times.keys()) if (!sent.has(id)) verdict.phantom.push(`${name}: ${id}`)
    verdict.phantom.push(...wrong.map((body) => `${name}: ${body}`))
    verdict.repeated = Math.max(verdict.repeated, [...times.values()].filter((count) => count > 1).length)
  }
  return verdict
}
