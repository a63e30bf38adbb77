import assert from 'node:assert/strict'
import { slotOf } from '../../src/cluster/slotOf.ts'
import { type Customer, makeCustomer, until } from '../fake/aglet.ts'
import type { DatabasePaths, TestCluster } from '../fake/cluster.ts'
import { type Destination, openDestination } from '../fault/destination.ts'
import { kinds } from '../fault/events.ts'
import type { Verdict } from '../fault/oracle.ts'
import { type Sender, startSender } from '../fault/sender.ts'
import { makeChannels, type RigChannel, reachVerdict } from '../fault/verdict.ts'
import { type RowSender, startRowSender } from './rowSender.ts'

/** Events on two tags, one for each worker, and rows of a plain database client. */
export type ClusterLoad = {
  senders: readonly Sender[]
  rows: RowSender
  /** Waits until this many more events and rows were acknowledged. */
  more(count: number): Promise<void>
  /** The time from this moment until a new event was answered with 200 (ms). */
  acceptedAfterMs(at: number): number
  /** Stops sending, waits for late arrivals, and returns the verdict. */
  verdict(quietMs?: number): Promise<ClusterVerdict>
  stop(): Promise<void>
}

/** The verdict on both tags, with missing rows and the longest outages (ms). */
export type ClusterVerdict = Verdict & {
  rows: number
  lostRows: string[]
  slowestAcceptGapMs: number
  slowestDeliveryGapMs: number
  /** The number of requests that did not end with 200, by status or error. */
  refused: Record<string, number>
}

type LoadPlace = {
  cluster: TestCluster
  control: { data: string; origin: string }
  edgeOrigins: readonly string[]
  rowPaths: DatabasePaths
}

export const channelKinds = [kinds.sink, kinds.sink]
const perSecond = 50
const manyMs = 120_000
/** The verdict comes after this time without arrivals: failed calls are retried within it. */
export const quietMs = 70_000

const ownerOf = async (cluster: TestCluster, { tagId }: Customer) => {
  const found = await cluster.sql(`SELECT owner FROM aglet_production.slot WHERE no = ${slotOf(tagId)}`, 'aglet')
  return found[0]!.owner
}

/** Creates two tags that belong to two workers. Both workers must already own their share of the slots. */
async function makeTwoCustomers({ cluster, control }: LoadPlace, name: string): Promise<Customer[]> {
  const first = await makeCustomer(control, name)
  let second: Customer | undefined
  await until(async () => {
    const made = await makeCustomer(control, name)
    const owners = [await ownerOf(cluster, first), await ownerOf(cluster, made)]
    second = owners[0] !== owners[1] && !owners.includes(null) ? made : undefined
    return second !== undefined
  }, manyMs)
  return [first, second!]
}

export type Stream = { customer: Customer; sender: Sender; channels: readonly RigChannel[] }

/** Starts to send the events of one tag to all edges in turn. */
export async function startStream(
  customer: Customer,
  name: string,
  { edgeOrigins }: Pick<LoadPlace, 'edgeOrigins'>,
): Promise<Stream> {
  let sender: Sender | undefined
  const sentOf = (eventId: string) => sender?.sent.get(eventId)
  const destinations = await Promise.all(channelKinds.map((kind) => openDestination(kind, sentOf)))
  const channels = await makeChannels(customer, channelKinds, destinations)
  sender = startSender(
    edgeOrigins.map((origin) => origin + new URL(customer.tagUrl).pathname),
    { name, perSecond },
  )
  return { customer, sender, channels }
}

/** The longest gap between these times (ms). */
function longestGapMs(times: Iterable<number>): number {
  const sorted = [...times].sort((one, other) => one - other)
  return Math.round(sorted.reduce((longest, at, n) => Math.max(longest, at - (sorted[n - 1] ?? at)), 0))
}

/** Starts to send to both edges, for channels whose destinations count what they receive. */
export async function startClusterLoad(place: LoadPlace, name: string): Promise<ClusterLoad> {
  const customers = await makeTwoCustomers(place, name)
  const streams: Stream[] = []
  for (const [n, customer] of customers.entries()) streams.push(await startStream(customer, `${name}-${n}`, place))
  const rows = startRowSender(place.rowPaths.url, name)
  const senders = streams.map(({ sender }) => sender)
  const stop = async () => void (await Promise.all([rows.stop(), ...senders.map((each) => each.stop())]))
  return {
    senders,
    rows,
    async more(count) {
      const enough = [...senders.map(({ accepted }) => accepted), rows.acknowledged].map((set) => ({
        set,
        size: set.size + count / 2,
      }))
      await until(() => enough.every(({ set, size }) => set.size > size), manyMs)
    },
    acceptedAfterMs(at) {
      const after = senders.flatMap(({ accepted }) => [...accepted.values()].filter((each) => each >= at))
      return Math.round(Math.min(...after) - at)
    },
    async verdict(withinMs = quietMs) {
      await stop()
      const verdicts = await Promise.all(streams.map((stream) => reachVerdict(stream, withinMs)))
      return sumUp(verdicts, { streams, rows, lostRows: await missingRows(place.cluster, rows.acknowledged) })
    },
    async stop() {
      await stop()
      await Promise.all(streams.flatMap(({ channels }) => channels.map(({ destination }) => destination.close())))
    },
  }
}

/** The rows with these keys that the database lacks. */
export async function missingRows(cluster: TestCluster, keys: Iterable<string>): Promise<string[]> {
  const rows = await cluster.sql('SELECT key FROM public.row_sent', 'aglet')
  const stored = new Set(rows.map(({ key }) => key as string))
  return [...keys].filter((key) => !stored.has(key))
}

type Counted = { streams: readonly Stream[]; rows: Pick<RowSender, 'acknowledged'>; lostRows: string[] }

export function sumUp(verdicts: readonly Verdict[], { streams, rows, lostRows }: Counted): ClusterVerdict {
  const sum = (name: 'sent' | 'accepted' | 'delivered' | 'pending' | 'failed' | 'repeated') =>
    verdicts.reduce((total, verdict) => total + verdict[name], 0)
  const refused: Record<string, number> = {}
  for (const { sender } of streams)
    for (const [status, count] of sender.failed) refused[status] = (refused[status] ?? 0) + count
  const arrivals = (destination: Destination) => destination.firstAt.values()
  return {
    ...{ sent: sum('sent'), accepted: sum('accepted'), delivered: sum('delivered') },
    ...{ pending: sum('pending'), failed: sum('failed'), repeated: sum('repeated') },
    lost: verdicts.flatMap(({ lost }) => lost),
    phantom: verdicts.flatMap(({ phantom }) => phantom),
    rows: rows.acknowledged.size,
    lostRows,
    slowestAcceptGapMs: Math.max(...streams.map(({ sender }) => longestGapMs(sender.accepted.values()))),
    slowestDeliveryGapMs: Math.max(
      ...streams.flatMap(({ channels }) => channels.map(({ destination }) => longestGapMs(arrivals(destination)))),
    ),
    refused,
  }
}

/** Asserts all promises: up to `mayRepeat` deliveries of each channel may be repeated. */
export function assertPromise(verdict: ClusterVerdict, mayRepeat: number): void {
  assert.deepEqual(verdict.lost, [])
  assert.deepEqual(verdict.lostRows, [])
  assert.deepEqual(verdict.phantom, [])
  assert.equal(verdict.pending, 0, 'deliveries still wait')
  assert.equal(verdict.failed, 0, 'deliveries were given up')
  assert.ok(verdict.repeated <= mayRepeat, `${verdict.repeated} repeated: more than could be in flight`)
  const unexpected = Object.keys(verdict.refused).filter((status) => /^\d+$/.test(status) && status !== '503')
  assert.deepEqual(unexpected, [], 'requests were answered with other than 200 and 503')
}
