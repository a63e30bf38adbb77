import { Agent, request } from 'undici'
import { eventOf, type SentEvent } from './events.ts'

export type Sender = {
  /** Every sent event, by id. */
  sent: ReadonlyMap<string, SentEvent>
  /** When each event was answered 200, `accepted` or `duplicate`, by the clock of this process (ms). */
  accepted: ReadonlyMap<string, number>
  /** The number of requests that ended otherwise, by status or error code. */
  failed: ReadonlyMap<string, number>
  /** Sends these events again and returns their results. */
  repeat(ids: readonly string[]): Promise<string[]>
  /** How far the events' timestamps are ahead of this machine's clock. */
  aheadMs: number
  /** Events sent per second; a multiple of 50, or 0. */
  perSecond: number
  /** Stops sending, and resolves when all open requests were answered or have failed. */
  stop(): Promise<void>
}

const mostOpen = 256

/**
 * Sends events at a steady rate, to several edges in turn. An event without a 200 is sent again with the same id, as
 * senders do; one refused for its content (400) is not.
 */
export function startSender(tagUrls: string | readonly string[], { name = 'event', perSecond = 500 } = {}): Sender {
  const dispatcher = new Agent({ connections: 64, headersTimeout: 20_000, bodyTimeout: 20_000 })
  const sent = new Map<string, SentEvent>()
  const accepted = new Map<string, number>()
  const failed = new Map<string, number>()
  const open = new Set<Promise<unknown>>()
  const again: SentEvent[] = []
  const urls = [tagUrls].flat()
  let requests = 0

  async function post({ userId, event }: SentEvent): Promise<string> {
    const { statusCode, body } = await request(`${urls[requests++ % urls.length]}/tag`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', serviceuserid: userId },
      body: JSON.stringify(event),
      dispatcher,
    })
    const { result } = (await body.json()) as { result?: { status: string } }
    return statusCode === 200 && result ? result.status : String(statusCode)
  }
  async function send(each: SentEvent): Promise<string> {
    const { eventId } = each.event
    const ended = await post(each).catch((error) => String(error.code ?? error.message))
    if (ended === 'accepted' || ended === 'duplicate') accepted.set(eventId, accepted.get(eventId) ?? performance.now())
    else failed.set(ended, (failed.get(ended) ?? 0) + 1)
    if (!accepted.has(eventId) && ended !== '400') again.push(each)
    return ended
  }
  function next(): SentEvent {
    const before = again.shift()
    if (before) return before
    const made = eventOf(name, sent.size, Date.now() + sender.aheadMs)
    sent.set(made.event.eventId, made)
    return made
  }
  const timer = setInterval(() => {
    for (let n = 0; n < sender.perSecond / 50 && open.size < mostOpen; n++) {
      const one: Promise<unknown> = send(next()).finally(() => open.delete(one))
      open.add(one)
    }
  }, 20)
  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    clearInterval(timer)
    await Promise.all(open)
    await dispatcher.close()
  }
  const sender: Sender = {
    sent,
    accepted,
    failed,
    aheadMs: 0,
    perSecond,
    repeat: (ids) => Promise.all(ids.map((id) => send(sent.get(id)!))),
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
  return sender
}
