import type { DeliveryRow } from '#contract/delivery.ts'
import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Refusal } from '#contract/intake.ts'
import type { EventRow } from '#contract/journey.ts'

/** A row of the live page: an event with what became of it, or a call that was refused. */
export type LiveRow =
  | { kind: 'event'; key: string; at: number; event: EventRow; scriptIds: readonly string[] }
  | { kind: 'refusal'; key: string; at: number; refusal: Refusal }

export type LiveRowMessage =
  | { kind: 'event'; event: EventRow }
  | { kind: 'delivery'; delivery: DeliveryRow }
  | { kind: 'refusal'; id: string; refusal: Refusal }

export type LiveRows = {
  rows: readonly LiveRow[]
  /** The last known status of each delivery that a message named. */
  statuses: ReadonlyMap<string, DeliveryStatus>
}

export const noLiveRows: LiveRows = { rows: [], statuses: new Map() }

const eventKey = ({ eventId, caller }: Pick<EventRow, 'eventId' | 'caller'>) => `event ${caller ?? ''} ${eventId}`

export const rowOfEvent = (event: EventRow): LiveRow => ({
  kind: 'event',
  key: eventKey(event),
  at: event.receivedAt,
  event,
  scriptIds: [],
})

/** One delivery moves from a status to another; without a known one it was waiting. */
function moved(
  counts: EventRow['counts'],
  before: DeliveryStatus | undefined,
  after: DeliveryStatus,
): EventRow['counts'] {
  if (!counts || before === after) return counts
  const from = before ?? (counts.pending ? 'pending' : counts.held ? 'held' : undefined)
  const next = { ...counts }
  if (from && next[from]) next[from] -= 1
  // A delivery that was never counted as waiting was counted in its present status already.
  else if (before === undefined && next[after]) return counts
  next[after] = (next[after] ?? 0) + 1
  return next
}

function withDelivery(state: LiveRows, delivery: DeliveryRow): LiveRows {
  const { deliveryId, eventId, status, scriptId } = delivery
  const at = state.rows.findIndex((row) => row.kind === 'event' && row.event.eventId === eventId)
  const row = state.rows[at]
  if (row?.kind !== 'event') return state
  const counts = moved(row.event.counts, state.statuses.get(deliveryId), status)
  const scriptIds = row.scriptIds.includes(scriptId) ? row.scriptIds : [...row.scriptIds, scriptId]
  const rows = state.rows.with(at, { ...row, scriptIds, event: { ...row.event, ...(counts && { counts }) } })
  return { rows, statuses: new Map(state.statuses).set(deliveryId, status) }
}

function withRow(state: LiveRows, row: LiveRow, most: number): LiveRows {
  if (state.rows.some(({ key }) => key === row.key)) return state
  const rows = [row, ...state.rows].sort((one, other) => other.at - one.at)
  return { ...state, rows: rows.slice(0, most) }
}

/** The rows after messages, newest first; each event and refusal stands once. The oldest beyond `most` are dropped. */
export function addMessages(state: LiveRows, messages: readonly LiveRowMessage[], most = 2_000): LiveRows {
  let next = state
  for (const message of messages) {
    if (message.kind === 'delivery') next = withDelivery(next, message.delivery)
    else if (message.kind === 'event') next = withRow(next, rowOfEvent(message.event), most)
    else
      next = withRow(
        next,
        { kind: 'refusal', key: `refusal ${message.id}`, at: message.refusal.at, refusal: message.refusal },
        most,
      )
  }
  const isTrimmed = next.statuses.size > most * 20
  return isTrimmed ? { ...next, statuses: new Map([...next.statuses].slice(-most * 10)) } : next
}

export type LiveRowFilter = { eventName?: string; status?: readonly DeliveryStatus[]; scriptId?: string }

/** Whether a row passes the filter. Refusals have no name, status or channel: any filter hides them. */
export function passes(row: LiveRow, { eventName, status, scriptId }: LiveRowFilter): boolean {
  if (row.kind === 'refusal') return !eventName && !status?.length && !scriptId
  if (eventName && row.event.eventName !== eventName) return false
  if (scriptId && !row.scriptIds.includes(scriptId)) return false
  return !status?.length || status.some((each) => (row.event.counts?.[each] ?? 0) > 0)
}
