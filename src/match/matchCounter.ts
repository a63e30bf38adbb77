import type { TagEvent } from '#contract/event.ts'
import type { MatchSource } from '#contract/matchSources.ts'
import { isStandardEvent } from '#contract/standardEvents.ts'
import { wellKnownEvents } from '#contract/wellKnownEvents.ts'
import { sentFields } from '#provider/engine/contacts.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { UserRules } from '#provider/form/userRule.ts'
import { otherNames } from '#store/deliveryQueries.ts'
import type { MatchCount } from '#store/matchCounts.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { type CheckedEvent, checkOf, eventFaults, faultsOf, type MatchCheck } from './eventFaults.ts'
import { openEventPairs } from './eventPairs.ts'
import { bitCount, checkedParts, findingsMask, nameOfBit } from './findingBits.ts'
import { isGiven, isPresent, type MatchKeyReader, matchKeyReaders, type SentFields } from './matchKeyReaders.ts'
import { MatchNotes, personChecks, randomKey } from './matchNotes.ts'
import { openSharedValues, type SharedKind, type SharedValues, sharedKinds } from './sharedValues.ts'

/** An event that a channel delivered, and where it came from. */
export type DeliveredEvent = {
  tag: Snapshot
  scriptId: string
  provider: Provider
  place: { position: number; index: number }
  outgoing: CheckedEvent & { isFromServer?: true; kind?: 'user' }
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/**
 * The maximum number of channels in which one process looks for shared values and pairs. Each takes up to 20 kB, and
 * its pairs.
 */
const maxShared = 2_000

/** The rules and checks of a provider. `checks`: by the index of the key. `email`: the vendor's field for it. */
type MatchPlan = {
  rules: UserRules
  keys: readonly MatchKeyReader[]
  checks: readonly (MatchCheck | undefined)[]
  shared: SharedKind[]
  email?: string
}

type Place = DeliveredEvent['place']
/** The counts of one event name and source in one hour: events, those with a strong key, keys, wrong keys, bits. */
type Cell = {
  plan: MatchPlan
  eventName: string
  source: MatchSource
  at: number
  counts: Uint32Array
  examples: (Place | undefined)[]
}

const plans = new WeakMap<Provider, MatchPlan>()
function planOf(provider: Provider): MatchPlan {
  const known = plans.get(provider)
  if (known) return known
  const keys = matchKeyReaders(provider)
  const checks = keys.map(checkOf)
  const isChecked = (kind: SharedKind) =>
    checks.some((check) => (typeof check === 'number' ? personChecks[check] : check) === kind)
  const email = keys.find(({ key }) => key === 'email')
  const plan: MatchPlan = {
    ...{ rules: provider.user, keys, checks, shared: sharedKinds.filter(isChecked) },
    ...(email && { email: email.vendorKey }),
  }
  plans.set(provider, plan)
  return plan
}

const isNamed = (name: string) => isStandardEvent(name) || Object.hasOwn(wellKnownEvents, name)

type ChannelCounts = {
  tagId: string
  plan: MatchPlan
  /** The cells of the current hour by event name, of browsers and of servers, and the cells of earlier hours. */
  cells: Readonly<Record<MatchSource, Map<string, Cell>>>
  earlier: Cell[]
  pairs?: ReturnType<typeof openEventPairs>
  shared?: SharedValues
  day: number
}

const fixed = 2
const sizeOf = ({ keys }: MatchPlan) => fixed + 2 * keys.length + bitCount

/** `bits`: the checks and findings so far. */
type Found = { notes: MatchNotes; sent: SentFields; bits: number }

/** Adds an event to a cell. */
function addToCell(cell: Cell, { outgoing, place }: DeliveredEvent, found: Found): void {
  const { notes, bits: foundBits } = found
  const { counts, plan } = cell
  const { keys, checks } = plan
  counts[0]!++
  let bits = foundBits
  let hasStrong = false
  for (let n = 0; n < keys.length; n++) {
    const key = keys[n]!
    const isSent = isPresent(key, outgoing, found)
    if (isSent) {
      counts[fixed + n]!++
      if (key.strength === 'strong') hasStrong = true
    }
    const check = checks[n]
    const faults = check === undefined ? 0 : faultsOf(check, outgoing, notes)
    bits |= faults
    if ((faults & findingsMask) !== 0 || (!isSent && isGiven(key, outgoing))) counts[fixed + keys.length + n]!++
  }
  if (hasStrong) counts[1]!++
  const first = fixed + 2 * keys.length
  for (let bit = 0; bits !== 0; bit++, bits >>>= 1) {
    if ((bits & 1) === 0) continue
    counts[first + bit]!++
    if (bit >= checkedParts.length) cell.examples[bit] = place
  }
}

const nameAt = (n: number, { keys }: MatchPlan): string => {
  if (n < fixed) return n === 0 ? 'events' : 'strong'
  if (n < fixed + keys.length) return `key ${keys[n - fixed]!.vendorKey}`
  if (n < fixed + 2 * keys.length) return `faulty ${keys[n - fixed - keys.length]!.vendorKey}`
  return nameOfBit(n - fixed - 2 * keys.length)
}

function* rowsOf(scriptId: string, { tagId, cells, earlier }: ChannelCounts): Generator<MatchCount> {
  for (const { plan, eventName, source, at, counts, examples } of [
    ...earlier,
    ...cells.browser.values(),
    ...cells.server.values(),
  ])
    for (const [n, count] of counts.entries()) {
      if (count === 0) continue
      const place = examples[n - fixed - 2 * plan.keys.length]
      const example = place && { position: place.position, index: place.index }
      yield { tagId, scriptId, at, eventName, source, what: nameAt(n, plan), count, ...(example && { example }) }
    }
}

/** Shared values are counted for all event names and sources together. */
function* sharedRows(scriptId: string, { tagId, shared }: ChannelCounts, at: number): Generator<MatchCount> {
  for (const { kind, total, top } of shared?.take() ?? []) {
    const row = { tagId, scriptId, at, eventName: '', source: 'server' } as const
    if (total > 0) yield { ...row, what: `checked shared ${kind}`, count: total }
    if (top > 0) yield { ...row, what: `shared ${kind}`, count: top }
  }
}

function cellOf(channel: ChannelCounts, { eventName }: { eventName: string }, source: MatchSource, now: number): Cell {
  const cells = channel.cells[source]
  const name = isNamed(eventName) ? eventName : otherNames
  const known = cells.get(name)
  if (known && now >= known.at && now < known.at + hourMs) return known
  if (known) channel.earlier.push(known)
  const at = Math.floor(now / hourMs) * hourMs
  const { plan } = channel
  const made: Cell = { plan, eventName: name, source, at, counts: new Uint32Array(sizeOf(plan)), examples: [] }
  cells.set(name, made)
  return made
}

/** The bits from comparing the event with its other side. */
function pairBitsOf(channel: ChannelCounts, event: TagEvent, sent: SentFields, source: MatchSource): number {
  const { pairs, plan } = channel
  if (!pairs) return 0
  const value = event.data?.value
  const email = plan.email && sent[plan.email]
  if (email === undefined && typeof value !== 'number') return 0
  return pairs(event.eventId, { source, email, value: typeof value === 'number' ? value : undefined })
}

/** Counts the match keys of delivered events. Counting in any order gives the same counts. */
export function openMatchCounter() {
  const channels = new Map<string, ChannelCounts>()
  let lastAt = 0
  let key = { day: -1, value: 0 }

  function channelOf({ tag, scriptId, provider }: DeliveredEvent, now: number): ChannelCounts {
    const plan = planOf(provider)
    const day = Math.floor(now / dayMs)
    const known = channels.get(scriptId)
    if (known?.plan === plan && known.day === day) return known
    if (key.day !== day) key = { day, value: randomKey() }
    const made: ChannelCounts = {
      ...{ tagId: tag.tagId, plan, cells: { browser: new Map(), server: new Map() }, day },
      earlier: known ? [...known.earlier, ...known.cells.browser.values(), ...known.cells.server.values()] : [],
      ...(channels.size < maxShared && { shared: openSharedValues(plan.shared, key.value), pairs: openEventPairs() }),
    }
    channels.set(scriptId, made)
    return made
  }
  return {
    add(delivered: DeliveredEvent, now: number) {
      const { outgoing, tag } = delivered
      if (outgoing.kind === 'user' || planOf(delivered.provider).keys.length === 0) return
      lastAt = now
      const channel = channelOf(delivered, now)
      const isFromServer = outgoing.isFromServer === true
      const source = isFromServer ? 'server' : 'browser'
      const notes = outgoing.matchNotes ?? new MatchNotes()
      const sent = sentFields(channel.plan.rules, outgoing.identity)
      const bits = pairBitsOf(channel, outgoing.event, sent, source) | eventFaults(outgoing, tag, notes)
      addToCell(cellOf(channel, outgoing.event, source, now), delivered, { notes, sent, bits })
      const { identity, captured } = outgoing
      channel.shared?.add({ person: identity.person, captured, isFromServer, notes })
    },
    /** The counts since the last call. */
    take() {
      const rows: MatchCount[] = []
      for (const [scriptId, channel] of channels) {
        rows.push(...rowsOf(scriptId, channel), ...sharedRows(scriptId, channel, Math.floor(lastAt / hourMs) * hourMs))
        channel.cells.browser.clear()
        channel.cells.server.clear()
        channel.earlier = []
        if (channel.day < Math.floor(lastAt / dayMs)) channels.delete(scriptId)
      }
      return rows
    },
  }
}
