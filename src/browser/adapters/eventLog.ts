import type { AdapterName } from '#contract/adapterNames.ts'

/** An event as read by an adapter; `eventId` if the page gave one. */
type ReadEvent = { name: string; orderId: unknown; eventId: string | undefined }

/** Finds the id of an event. `isNew`: it must be sent. */
export type EventLog = (adapter: AdapterName, event: ReadEvent) => { eventId: string; isNew: boolean }

type EventLogDeps = {
  now(): number
  randomId(): string
  /** The adapter whose events are sent, if it is in the page. */
  primary(): AdapterName | undefined
}

type LoggedEvent = {
  name: string
  orderId: unknown
  eventId: string
  at: number
  by: AdapterName[]
  isSent?: boolean
}

/** Tools in one page report the same event within this time. */
const sameEventMs = 10_000

/**
 * The events of a page. Two with the same name and order are the same event. Without an order, two calls of one adapter
 * are two events, and calls of two adapters are the same event.
 */
export function openEventLog({ now, randomId, primary }: EventLogDeps): EventLog {
  let events: LoggedEvent[] = []
  const given = new Set<string>()

  return (adapter, { name, orderId, eventId }) => {
    const key = `${name} ${eventId}`
    if (eventId && given.has(key)) return { eventId, isNew: false }
    const at = now()
    events = events.filter((each) => at - each.at < sameEventMs)
    let event = events.find(
      (each) => each.name === name && each.orderId === orderId && (orderId || !each.by.includes(adapter)),
    )
    if (!event) {
      event = { name, orderId, eventId: eventId ?? randomId(), at, by: [] }
      events.push(event)
    }
    event.by.push(adapter)
    const isNew = !event.isSent && (primary() ?? adapter) === adapter
    if (isNew) event.isSent = true
    given.add(key).add(`${name} ${event.eventId}`)
    return { eventId: eventId ?? event.eventId, isNew }
  }
}
