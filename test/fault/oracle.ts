/**
 * The API's answer about an event that its destination has not received: waiting, failed with a reason, or neither.
 */
export type ReportedStatus = { status: string; reason?: string } | undefined

/** One channel: the log of its destination, and the API's answers about missing events. */
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
  /** At the destination, but never sent or with a wrong body. */
  phantom: string[]
  /** Events that a channel received more than once; the maximum of any channel. */
  repeated: number
}

const isExplained = (standing: ReportedStatus) =>
  standing !== undefined && (standing.status === 'pending' || standing.status === 'held')
const hasFailed = (standing: ReportedStatus) =>
  standing !== undefined && ['dead', 'refused', 'skipped'].includes(standing.status) && standing.reason !== undefined

/** Compares the promises to senders with the events at the destinations. */
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
