import type { Keyring } from '#account/keyring.ts'
import { badRequest } from '#contract/fault.ts'
import type { Replayable, ReplayWrite } from '#contract/replay.ts'
import type { Issue } from '#contract/schema.ts'
import { placesOfId } from '#event/dedupKeys.ts'
import { breath } from '#kit/breath.ts'
import type { Snapshot, Snapshots } from '#script/snapshot.ts'
import type { EventSpot, ReplayFilter, ReplayTally } from '#store/replays.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import { type EventsWorld, openEvents } from './events.ts'
import { type JudgeWorld, judge, tallied } from './replay.ts'

const failed: readonly Replayable[] = ['dead', 'refused']
const isDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** Epoch ms of a time as it was asked for: itself, or a date; NaN for what is none. */
function momentOf(asked: number | string): number {
  if (typeof asked === 'number') return asked
  if (/^\d{1,15}$/.test(asked)) return Number(asked)
  return isDate.test(asked) ? Date.parse(asked) : Number.NaN
}

function rangeOf({ from, to, eventIds }: ReplayWrite, issues: Issue[]): Pick<ReplayFilter, 'from' | 'to'> {
  const range: { from?: number; to?: number } = {}
  for (const [path, asked] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (asked === undefined || asked === null) {
      if (!eventIds) issues.push({ path, message: 'is required where no eventIds are given' })
      continue
    }
    range[path] = momentOf(asked)
    if (Number.isNaN(range[path])) issues.push({ path, message: 'is no time: write 2026-11-20T10:00:00Z or epoch ms' })
  }
  if ((range.from ?? 0) > (range.to ?? Number.MAX_SAFE_INTEGER)) issues.push({ path: 'from', message: 'is after to' })
  return range
}

function statusesOf({ status, force = false }: ReplayWrite, issues: Issue[]): readonly Replayable[] {
  const asked = status === undefined || status === null ? undefined : [...new Set([status].flat())]
  if (asked?.includes('delivered') && !force)
    issues.push({ path: 'status', message: 'delivered ones are sent again with force alone' })
  return asked ?? (force ? [...failed, 'delivered'] : failed)
}

/** Which deliveries are asked for, but for the places of events. Throws badRequest. */
export function readAsked(asked: ReplayWrite): Omit<ReplayFilter, 'places'> {
  const issues: Issue[] = []
  const range = rangeOf(asked, issues)
  const statuses = statusesOf(asked, issues)
  if (issues.length > 0) throw badRequest(...issues)
  const { eventNames, scriptIds } = asked
  return { statuses, ...range, ...(eventNames && { eventNames }), ...(scriptIds && { scriptIds }) }
}

/**
 * Where the events of these ids lie, in the order they came: of an id that a trusted and an untrusted caller used, both.
 * Those that are not known any more are left out.
 */
export async function placesOf(
  eventIds: readonly string[],
  tag: Pick<Snapshot, 'tagId' | 'teamId'>,
  on: { stream: Pick<Stream, 'find'>; keys: Keyring },
): Promise<EventSpot[]> {
  const found = await Promise.all([...new Set(eventIds)].map((eventId) => placesOfId(eventId, tag, on)))
  const spots = found.flat().map(({ position, index }): EventSpot => [position, index])
  return spots.sort(([position, index], [other, at]) => position - other || index - at)
}

/** Looked at together, for how long a dry run looks, and after which it gives up what it waits for. */
const atOnce = 200
const lookMs = 5_000
const giveUpMs = 30_000

/** What a replay would do. `isWhole` is false where there was too much to look at all of it. */
export type Trial = { tally: ReplayTally; isWhole: boolean }
export type TryReplay = (tagId: string, filter: ReplayFilter) => Promise<Trial>

type TrialWorld = Omit<JudgeWorld, 'events' | 'giveUp'> &
  EventsWorld & { store: Pick<Store, 'replays'>; snapshots: Pick<Snapshots, 'get'> }

/** Dry runs: how many deliveries would go where, and why the others would not. */
export function openTrial(on: TrialWorld): TryReplay {
  const events = openEvents(on)
  return async (tagId, filter) => {
    const until = on.clock.now() + lookMs
    const giveUp = AbortSignal.timeout(giveUpMs)
    const tag = on.snapshots.get(tagId)
    let tally: ReplayTally = {}
    let reached: string | undefined
    if (!tag) return { tally, isWhole: true }
    do {
      const found = await on.store.replays.candidates(tagId, filter, reached, atOnce)
      tally = tallied(tally, await judge(found.rows, tag, { ...on, events, giveUp }))
      reached = found.reached
      await breath()
    } while (reached !== undefined && on.clock.now() < until)
    return { tally, isWhole: reached === undefined }
  }
}
