import type { Keyring } from '#account/keyring.ts'
import type { TagEvent } from '#contract/event.ts'
import type { RecordEvent } from '#event/record.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import { openStreamRecord } from './recordCache.ts'

/**
 * The other half of a purchase that a page and a shop both report, so that each channel gets one of them. `waitUntil`:
 * the page's half waits so long for the shop's (epoch ms). `takenBy`: the scripts that have got the other half, or
 * `all`.
 */
export type OtherHalf = { waitUntil?: number; takenBy?: ReadonlySet<string> | 'all' }

type JoinDeps = {
  stream: Pick<Stream, 'find' | 'read'>
  store: { journal: Pick<Store['journal'], 'event'> }
  keys: Keyring
}

const defaultJoinMs = 60_000
const sent = ['pending', 'delivered', 'simulated']

/** The digest of the checkout's token by which the halves know each other. */
function joinOf({ eventName, source }: TagEvent): string | undefined {
  const { join } = (source ?? {}) as { join?: unknown }
  return eventName === 'Purchase' && typeof join === 'string' && join !== '' ? join : undefined
}

/**
 * The page's half waits for the shop's, whose sums count and which has the buyer. The shop's half is sent unless the
 * page's was before. The halves have one event id: a vendor that gets both because they came at the same moment counts one.
 */
export async function findOtherHalf(
  { event, context }: Pick<RecordEvent, 'event' | 'context'>,
  tag: Snapshot,
  { stream, store, keys }: JoinDeps,
): Promise<OtherHalf | undefined> {
  const { shops = [] } = tag
  const join = joinOf(event)
  if (shops.length === 0 || join === undefined || context.kind !== undefined) return undefined
  const { tagId, teamId } = tag
  const other = await stream.find(keys.team(teamId).eventKey(tagId, event.eventId, !context.trusted))
  if (!context.trusted) {
    const name = (event.source as { name?: unknown }).name
    const joinMs = shops.find(({ source }) => source === name)?.joinMs ?? defaultJoinMs
    return other ? { takenBy: 'all' } : { waitUntil: context.receivedAt + joinMs }
  }
  const record = other && (await stream.read(other.position))
  if (!record) return undefined
  await keys.findTeamKey(teamId, record.payload)
  const half = openStreamRecord(record, tag, keys).events[other.index]
  // a stranger may send the id of an order before its shop does, and never knows its checkout
  if (!half || joinOf(half.event) !== join) return undefined
  const journalled = await store.journal.event(tagId, other.position, other.index)
  const deliveries = journalled?.deliveries ?? []
  return { takenBy: new Set(deliveries.flatMap(({ scriptId, status }) => (sent.includes(status) ? [scriptId] : []))) }
}
