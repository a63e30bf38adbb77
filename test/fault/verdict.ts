import { setTimeout } from 'node:timers/promises'
import { type Customer, call, makeScript } from '../fake/aglet.ts'
import type { Destination } from './destination.ts'
import type { ChannelKind } from './events.ts'
import { type ChannelLog, judge, type ReportedStatus, type Verdict } from './oracle.ts'
import type { Sender } from './sender.ts'

export type RigChannel = { name: string; scriptId: string; destination: Destination }

/** Makes a channel to each of these destinations. */
export async function makeChannels(
  customer: Customer,
  used: readonly ChannelKind[],
  destinations: readonly Destination[],
): Promise<RigChannel[]> {
  const channels: RigChannel[] = []
  for (const [at, kind] of used.entries()) {
    const name = `${kind.providerId}-${at}`
    const destination = destinations[at]!
    const scriptId = await makeScript(customer, kind.providerId, name, kind.secrets(destination.url))
    channels.push({ name, scriptId, destination })
  }
  return channels
}

const idsMissing = ({ accepted }: Sender, { times }: Destination) => [...accepted.keys()].filter((id) => !times.has(id))

type ReportedJourney = { deliveries: (NonNullable<ReportedStatus> & { scriptId: string })[] }

/** The API's answer about an event; undefined if it does not know the event. */
export async function journeyOf(customer: Customer, eventId: string): Promise<ReportedJourney | undefined> {
  const { status, body } = await call<ReportedJourney>(customer, 'GET', `/tag/${customer.tagId}/event/${eventId}`)
  return status === 200 ? body : undefined
}

async function readReportedStatus(customer: Customer, eventId: string, scriptId: string): Promise<ReportedStatus> {
  const journey = await journeyOf(customer, eventId)
  // Accepted and not planned yet: it waits for every channel.
  if (journey?.deliveries.length === 0) return { status: 'pending' }
  return journey?.deliveries.find((each) => each.scriptId === scriptId)
}

/** Waits until nothing is left, or the rest has not decreased for `quietMs`. */
async function untilQuiet(left: () => number, quietMs: number): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  let since = performance.now()
  for (let now = left(); now > 0 && performance.now() - since < quietMs; now = left()) {
    if (now < least) since = performance.now()
    least = Math.min(least, now)
    await setTimeout(100)
  }
}

type VerdictDeps = { customer: Customer; sender: Sender; channels: readonly RigChannel[] }

/** Stops sending, waits for late arrivals, asks the API about missing events, and returns the verdict. */
export async function reachVerdict({ customer, sender, channels }: VerdictDeps, quietMs = 90_000): Promise<Verdict> {
  await sender.stop()
  await untilQuiet(
    () => channels.reduce((sum, { destination }) => sum + idsMissing(sender, destination).length, 0),
    quietMs,
  )
  const logs = channels.map(async ({ name, scriptId, destination }): Promise<ChannelLog> => {
    const standings = new Map<string, ReportedStatus>()
    for (const id of idsMissing(sender, destination))
      standings.set(id, await readReportedStatus(customer, id, scriptId))
    return { name, times: destination.times, wrong: destination.wrong, standings }
  })
  return judge(sender.sent, sender.accepted.keys(), await Promise.all(logs))
}
