import { slotsOfTag } from '#cluster/postgres/spread.ts'
import { slotOf } from '#cluster/slotOf.ts'
import type { RecentEvents } from '#store/journalQueries.ts'
import type { EventRef } from '#store/plannedEvent.ts'
import { readEventRef } from '#store/sql/deliveryRows.ts'
import type { SqlRow } from '#store/sql/sql.ts'
import { compareRefs, type ReadNewEvents, refKey } from '#store/sql/watch.ts'
import { maxCountedBehind } from '#store/watchChanges.ts'

/**
 * Workers plan concurrently, so an event may become visible after events with later positions. Each poll therefore also
 * reads events that were planned after the last poll whose older transactions have all ended, minus this slack: the
 * clocks of two primaries differ by less.
 */
const clockSlackMs = 5_000
/** The first poll reaches back this far. It misses events of transactions that have already run for longer. */
const firstWindowMs = 60_000
const maxRecent = 20_000
const maxPolls = 100

const now = '(extract(epoch FROM now()) * 1000)::bigint'
/**
 * One statement, so that the lists and the running transactions come from one snapshot. `age`: the number of
 * transactions between one and the next that will begin; each one below `ended` has ended. `unstored`: events whose
 * deliveries have no rows yet. A later poll returns them, as if they were not visible yet.
 */
const selectRefs = `
  (SELECT position, idx, 'later' AS kind, 0::bigint AS next, 0::bigint AS ended FROM event
    WHERE tag = ?1 AND (position, idx) > (?2, ?3) ORDER BY position, idx LIMIT ?4)
  UNION ALL
  (SELECT position, idx, 'planned', 0, 0 FROM event
    WHERE tag = ?1 AND planned_at >= coalesce(?5::bigint, ${now} - ${firstWindowMs})
    ORDER BY planned_at DESC LIMIT ${maxRecent})
  UNION ALL
  (SELECT event.position, event.idx, 'unstored', event.planned_at, 0 FROM planned
    JOIN event ON event.tag = planned.tag AND event.position = planned.position AND event.idx = planned.idx
    WHERE planned.slot = ANY(${slotsOfTag('?1', '?6')}) AND planned.tag = ?1)
  UNION ALL
  (SELECT ${now}, 0, 'poll', xmax + age((xmax & 4294967295)::text::xid), xmin
    FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
                 pg_snapshot_xmin(pg_current_snapshot())::text::bigint) AS running (xmax, xmin))`
/** `hiddenSince`: the time of the oldest event that this poll left to a later one. */
type PollTimes = { at: number; end: number; ended: number; hiddenSince: number }

/** If the `end` of a poll is at most `ended`, all transactions that had begun by that poll have ended. */
function nextPolls(before: RecentEvents | undefined, poll: PollTimes): Omit<RecentEvents, 'keys'> {
  const { at, end, ended, hiddenSince } = poll
  const all = before?.polls ?? []
  const polls = all.length < maxPolls ? [...all, { at, end }] : all
  const done = polls.filter((each) => each.end <= ended).map((each) => each.at - clockSlackMs)
  const since = Math.max(before?.since ?? at - firstWindowMs, Math.min(hiddenSince, Math.max(...done)))
  return { since, polls: polls.filter((each) => each.end > ended) }
}

/** The events after `after`, and those that became visible late. */
export const readNewEvents: ReadNewEvents = function* (tagId, { after, events, recent }) {
  const [position, idx] = after ? [after.position, after.index] : [-1, -1]
  const limits = [events + maxCountedBehind, recent?.since ?? null, slotOf(tagId)]
  const rows = yield [selectRefs, tagId, position, idx, ...limits]
  const toRef = (row: SqlRow): EventRef => readEventRef(row, tagId)
  const ofKind = (kind: string) => rows.filter((row) => row.kind === kind)
  const poll = ofKind('poll')[0]!
  const unstored = ofKind('unstored')
  const hidden = new Set(unstored.map((row) => refKey(toRef(row))))
  const shown = (kind: string) =>
    ofKind(kind)
      .map(toRef)
      .filter((ref) => !hidden.has(refKey(ref)))
  const [later, planned] = [shown('later'), shown('planned')]
  // Without the keys of a previous poll, it is unknown which earlier events were already returned.
  const isLate = (ref: EventRef) => after && compareRefs(ref, after) <= 0 && !recent?.keys.has(refKey(ref))
  const late = recent ? planned.filter(isLate).sort(compareRefs) : []
  const hiddenSince = Math.min(...unstored.map(({ next }) => Number(next)))
  const times = { at: Number(poll.position), end: Number(poll.next), ended: Number(poll.ended), hiddenSince }
  const keys = new Set(planned.map(refKey))
  return { refs: [...late, ...later], late, recent: { keys, ...nextPolls(recent, times) } }
}
