import type { MatchSource } from '#contract/matchQuality.ts'
import { isStandardEvent } from '#contract/standardEvents.ts'
import { wellKnownEvents } from '#contract/wellKnownEvents.ts'
import type { Provider } from '#provider/form/provider.ts'
import { hashed } from '#provider/form/userRule.ts'
import { otherNames } from '#store/deliveryQueries.ts'
import type { MatchCount } from '#store/matchCounts.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { type CheckedEvent, checkOf, faultsOf } from './eventFaults.ts'
import { openEventPairs } from './eventPairs.ts'
import { bitCount, findingsMask, nameOfBit } from './findingBits.ts'
import { type MatchKeyReader, matchKeyReaders } from './matchKeyReaders.ts'
import { openSharedValues, type SharedKind, type SharedValues, sharedKinds } from './sharedValues.ts'

/** An event that a channel delivered, and where it came from. */
export type DeliveredEvent = {
  tag: Snapshot
  scriptId: string
  provider: Provider
  place: { position: number; index: number }
  outgoing: CheckedEvent & { isFromServer?: true; kind?: 'user' }
}

/** Counts the match keys of delivered events. Counting in any order gives the same counts. */
export type MatchCounter = {
  add(delivered: DeliveredEvent, now: number): void
  /** The counts since the last call. */
  take(): MatchCount[]
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The channels whose shared values are looked for in one process: each takes up to 20 kB. */
const maxShared = 2_000

type Place = DeliveredEvent['place']
/** The counts of one event name and source in one hour: events, those with a strong key, keys, wrong keys, bits. */
type Cell = { eventName: string; source: MatchSource; at: number; counts: Uint32Array; examples: (Place | undefined)[] }

/** What is read and checked for a provider. `checks`: by the place of the key, else undefined. */
type MatchPlan = { keys: readonly MatchKeyReader[]; checks: readonly (string | undefined)[]; shared: SharedKind[] }

const plans = new WeakMap<Provider, MatchPlan>()
function planOf(provider: Provider): MatchPlan {
  const known = plans.get(provider)
  if (known) return known
  const keys = matchKeyReaders(provider)
  const checks = keys.map(checkOf)
  const plan = { keys, checks, shared: sharedKinds.filter((kind) => checks.includes(kind)) }
  plans.set(provider, plan)
  return plan
}

const isNamed = (name: string) => isStandardEvent(name) || Object.hasOwn(wellKnownEvents, name)
const sourceOf = ({ isFromServer }: DeliveredEvent['outgoing']): MatchSource => (isFromServer ? 'server' : 'browser')
const emailDigest = hashed('email')

type ChannelCounts = {
  tagId: string
  plan: MatchPlan
  cells: Map<string, Cell>
  shared?: SharedValues | undefined
  day: number
}

const fixed = 2
const sizeOf = ({ keys }: MatchPlan) => fixed + 2 * keys.length + bitCount

/** Adds an event to a cell. `pairBits`: what the comparison with its other side found. */
function addToCell(
  cell: Cell,
  { keys, checks }: MatchPlan,
  { outgoing, tag, place }: DeliveredEvent,
  pairBits: number,
) {
  const { counts } = cell
  counts[0]!++
  let bits = pairBits | faultsOf('', outgoing, tag)
  let hasStrong = false
  for (let n = 0; n < keys.length; n++) {
    const key = keys[n]!
    const isPresent = key.isPresent(outgoing)
    if (isPresent) {
      counts[fixed + n]!++
      if (key.strength === 'strong') hasStrong = true
    }
    const check = checks[n]
    const found = check === undefined ? 0 : faultsOf(check, outgoing, tag)
    bits |= found
    if ((found & findingsMask) !== 0 || (!isPresent && key.isGiven(outgoing))) counts[fixed + keys.length + n]!++
  }
  if (hasStrong) counts[1]!++
  const first = fixed + 2 * keys.length
  for (let bit = 0; bits !== 0; bit++, bits >>>= 1) {
    if ((bits & 1) === 0) continue
    counts[first + bit]!++
    cell.examples[bit] = place
  }
}

const nameAt = (n: number, { keys }: MatchPlan): string => {
  if (n < fixed) return n === 0 ? 'events' : 'strong'
  if (n < fixed + keys.length) return `key ${keys[n - fixed]!.vendorKey}`
  if (n < fixed + 2 * keys.length) return `faulty ${keys[n - fixed - keys.length]!.vendorKey}`
  return nameOfBit(n - fixed - 2 * keys.length)
}

function* rowsOf(scriptId: string, { tagId, plan, cells }: ChannelCounts): Generator<MatchCount> {
  for (const { eventName, source, at, counts, examples } of cells.values())
    for (const [n, count] of counts.entries()) {
      if (count === 0) continue
      const what = nameAt(n, plan)
      const example = what.startsWith('finding ') ? examples[n - fixed - 2 * plan.keys.length] : undefined
      yield { tagId, scriptId, at, eventName, source, what, count, ...(example && { example }) }
    }
}

/** What is shared belongs to no event name; its source is that of no event either. */
function* sharedRows(scriptId: string, { tagId, shared }: ChannelCounts, at: number): Generator<MatchCount> {
  for (const { kind, total, top } of shared?.take() ?? []) {
    const row = { tagId, scriptId, at, eventName: '', source: 'server' } as const
    if (total > 0) yield { ...row, what: `checked shared ${kind}`, count: total }
    if (top > 0) yield { ...row, what: `shared ${kind}`, count: top }
  }
}

export function openMatchCounter(): MatchCounter {
  const channels = new Map<string, ChannelCounts>()
  const pairs = openEventPairs()
  let lastAt = 0

  function channelOf({ tag, scriptId, provider }: DeliveredEvent): ChannelCounts {
    const plan = planOf(provider)
    const known = channels.get(scriptId)
    if (known?.plan === plan) return known
    const made: ChannelCounts = { tagId: tag.tagId, plan, cells: new Map(), day: -1 }
    channels.set(scriptId, made)
    return made
  }
  function sharedOf(channel: ChannelCounts, now: number): SharedValues | undefined {
    const day = Math.floor(now / dayMs)
    if (channel.day === day) return channel.shared
    channel.day = day
    channel.shared = channels.size <= maxShared ? openSharedValues(channel.plan.shared) : undefined
    return channel.shared
  }
  function cellOf(channel: ChannelCounts, { outgoing }: DeliveredEvent, now: number): Cell {
    const { event } = outgoing
    const source = sourceOf(outgoing)
    const eventName = isNamed(event.eventName) ? event.eventName : otherNames
    const at = Math.floor(now / hourMs) * hourMs
    const key = `${source[0]}${at}${eventName}`
    const known = channel.cells.get(key)
    if (known) return known
    const counts = new Uint32Array(sizeOf(channel.plan))
    const made: Cell = { eventName, source, at, counts, examples: [] }
    channel.cells.set(key, made)
    return made
  }
  return {
    add(delivered, now) {
      const { scriptId, outgoing } = delivered
      const channel = channelOf(delivered)
      if (channel.plan.keys.length === 0 || outgoing.kind === 'user') return
      lastAt = now
      const { eventId, data } = outgoing.event
      const value = typeof data?.value === 'number' ? data.value : undefined
      const email = channel.plan.checks.includes('email') ? outgoing.identity.read(emailDigest) : undefined
      const pairBits = pairs(`${scriptId}${eventId}`, { source: sourceOf(outgoing), email, value })
      addToCell(cellOf(channel, delivered, now), channel.plan, delivered, pairBits)
      sharedOf(channel, now)?.add(outgoing.identity.person, outgoing.captured, outgoing.isFromServer === true)
    },
    take() {
      const rows: MatchCount[] = []
      for (const [scriptId, channel] of channels) {
        rows.push(...rowsOf(scriptId, channel), ...sharedRows(scriptId, channel, Math.floor(lastAt / hourMs) * hourMs))
        channel.cells.clear()
        if (channel.day < Math.floor(lastAt / dayMs)) channels.delete(scriptId)
      }
      return rows
    },
  }
}
