import type { Keyring } from '#account/keyring.ts'
import type { TagEvent } from '#contract/event.ts'
import type { RecordEvent } from '#event/record.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import { openStreamRecord } from './recordCache.ts'

/**
 * The other half of a purchase that both a page and a shop report, so that each channel gets only one. `waitUntil`:
 * the page's half waits for the shop's half until then (epoch ms). `takenBy`: the scripts that have received the other
 * half, or `all`.
 */
export type OtherHalf = { waitUntil?: number; takenBy?: ReadonlySet<string> | 'all' }

type JoinDeps = {
  stream: Pick<Stream, 'find' | 'read'>
  store: { journal: Pick<Store['journal'], 'event'> }
  keys: Keyring
}

const defaultJoinMs = 60_000
const sent = ['pending', 'delivered', 'simulated']

/** The digest of the checkout token. Equal digests identify the two halves. */
function joinOf({ eventName, source }: TagEvent): string | undefined {
  const { join } = (source ?? {}) as { join?: unknown }
  return eventName === 'Purchase' && typeof join === 'string' && join !== '' ? join : undefined
}

/**
 * The page's half waits for the shop's half, which has the authoritative amounts and the buyer. The shop's half is sent
 * unless the page's half was sent before. Both halves have one event id: a vendor that gets both because they arrived at
 * the same moment counts one.
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
  // a stranger may send an order id before the shop does, but does not know its checkout token
  if (!half || joinOf(half.event) !== join) return undefined
  const journalled = await store.journal.event(tagId, other.position, other.index)
  const deliveries = journalled?.deliveries ?? []
  return { takenBy: new Set(deliveries.flatMap(({ scriptId, status }) => (sent.includes(status) ? [scriptId] : []))) }
}
