import type { DeliveryRow } from '#contract/delivery.ts'
import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { LiveRefusal } from '#contract/intake.ts'
import type { EventRow } from '#contract/journey.ts'
import type { LiveRun } from '#contract/webhookRun.ts'

/** A row of the live page: an event with its deliveries, a refused call, or a call of a webhook. */
export type LiveRow =
  | { kind: 'event'; key: string; at: number; event: EventRow; scriptIds: readonly string[] }
  | { kind: 'refusal'; key: string; at: number; refusal: LiveRefusal }
  | { kind: 'run'; key: string; at: number; run: LiveRun }

export type LiveRowMessage =
  | { kind: 'event'; event: EventRow }
  | { kind: 'delivery'; delivery: DeliveryRow }
  | { kind: 'refusal'; id: string; refusal: LiveRefusal }
  | { kind: 'run'; run: LiveRun }

type LiveRows = {
  rows: readonly LiveRow[]
  /** The last known status of each delivery that a message named. */
  statuses: ReadonlyMap<string, DeliveryStatus>
}

export const noLiveRows: LiveRows = { rows: [], statuses: new Map() }

const eventKey = ({ eventId, caller }: Pick<EventRow, 'eventId' | 'caller'>) => `event ${caller ?? ''} ${eventId}`

const rowOfEvent = (event: EventRow): LiveRow => ({
  kind: 'event',
  key: eventKey(event),
  at: event.receivedAt,
  event,
  scriptIds: [],
})

/** Moves one delivery to a new status; a delivery without a known status was waiting. */
function moved(
  counts: EventRow['counts'],
  before: DeliveryStatus | undefined,
  after: DeliveryStatus,
): EventRow['counts'] {
  if (!counts || before === after) return counts
  const from = before ?? (counts.pending ? 'pending' : counts.held ? 'held' : undefined)
  const next = { ...counts }
  if (from && next[from]) next[from] -= 1
  // A delivery that was never counted as waiting is already counted in its present status.
  else if (before === undefined && next[after]) return counts
  next[after] = (next[after] ?? 0) + 1
  return next
}

/** The rows while messages are added: changed in place, so that many messages need one copy. */
class RowsInWork {
  readonly rows: Map<string, LiveRow>
  readonly statuses: Map<string, DeliveryStatus>
  private readonly keyOfEvent = new Map<string, string>()
  private readonly added: string[] = []

  constructor({ rows, statuses }: LiveRows) {
    this.rows = new Map(rows.map((row) => [row.key, row]))
    this.statuses = new Map(statuses)
    for (const row of rows.toReversed()) if (row.kind === 'event') this.keyOfEvent.set(row.event.eventId, row.key)
  }

  addRow(row: LiveRow): void {
    if (this.rows.has(row.key)) return
    this.rows.set(row.key, row)
    this.added.push(row.key)
    if (row.kind === 'event') this.keyOfEvent.set(row.event.eventId, row.key)
  }

  addDelivery({ deliveryId, eventId, status, scriptId }: DeliveryRow): void {
    const row = this.rows.get(this.keyOfEvent.get(eventId ?? '') ?? '')
    if (row?.kind !== 'event') return
    const counts = moved(row.event.counts, this.statuses.get(deliveryId), status)
    const scriptIds = row.scriptIds.includes(scriptId) ? row.scriptIds : [...row.scriptIds, scriptId]
    this.rows.set(row.key, { ...row, scriptIds, event: { ...row.event, ...(counts && { counts }) } })
    this.statuses.set(deliveryId, status)
  }

  /** The newest rows; among rows of the same time, the last one received comes first. */
  newest(most: number): LiveRow[] {
    const added = new Set(this.added)
    const older = [...this.rows.values()].filter(({ key }) => !added.has(key))
    const newer = this.added.toReversed().map((key) => this.rows.get(key)!)
    return [...newer, ...older].sort((one, other) => other.at - one.at).slice(0, most)
  }
}

/** The rows after messages, newest first, one for each event and refusal. The oldest beyond `most` are dropped. */
export function addMessages(state: LiveRows, messages: readonly LiveRowMessage[], most = 2_000): LiveRows {
  if (messages.length === 0) return state
  const work = new RowsInWork(state)
  for (const message of messages) {
    if (message.kind === 'delivery') work.addDelivery(message.delivery)
    else if (message.kind === 'event') work.addRow(rowOfEvent(message.event))
    else if (message.kind === 'run') {
      const { run } = message
      work.addRow({ kind: 'run', key: `run ${run.runId}`, at: run.at, run })
    } else {
      const { id, refusal } = message
      work.addRow({ kind: 'refusal', key: `refusal ${id}`, at: refusal.at, refusal })
    }
  }
  const { statuses } = work
  const isTrimmed = statuses.size > most * 20
  return { rows: work.newest(most), statuses: isTrimmed ? new Map([...statuses].slice(-most * 10)) : statuses }
}

type LiveRowFilter = { eventName?: string; status?: readonly DeliveryStatus[]; scriptId?: string }

/**
 * Whether a row passes the filter. Refusals have no name, status or channel, so any filter hides them. Calls of a
 * webhook only have a channel.
 */
export function passes(row: LiveRow, { eventName, status, scriptId }: LiveRowFilter): boolean {
  if (row.kind === 'refusal') return !eventName && !status?.length && !scriptId
  if (row.kind === 'run') return !eventName && !status?.length && (!scriptId || row.run.scriptId === scriptId)
  if (eventName && row.event.eventName !== eventName) return false
  if (scriptId && !row.scriptIds.includes(scriptId)) return false
  return !status?.length || status.some((each) => (row.event.counts?.[each] ?? 0) > 0)
}
