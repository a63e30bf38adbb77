import type { Keyring } from '#account/keyring.ts'
import { badRequest } from '#contract/fault.ts'
import type { ReplayableStatus, ReplayWrite } from '#contract/replay.ts'
import type { Issue } from '#contract/schema.ts'
import { type EventsDeps, openOutboundEvents } from '#delivery/outboundEvents.ts'
import { addToTally, decideReplay, type ReplayDecisionDeps } from '#delivery/replayDecision.ts'
import { placesOfId } from '#event/dedupKeys.ts'
import { yieldToEventLoop } from '#kit/yieldToEventLoop.ts'
import type { Snapshot, Snapshots } from '#script/snapshot.ts'
import type { EventPosition, ReplayFilter, ReplayTally } from '#store/replays.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'

const failedStatuses: readonly ReplayableStatus[] = ['dead', 'refused']
const isDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** Epoch ms of a number, a string of digits or an ISO date; NaN for anything else. */
function parseTime(value: number | string): number {
  if (typeof value === 'number') return value
  if (/^\d{1,15}$/.test(value)) return Number(value)
  return isDate.test(value) ? Date.parse(value) : Number.NaN
}

function parseTimeRange({ from, to, eventIds }: ReplayWrite, issues: Issue[]): Pick<ReplayFilter, 'from' | 'to'> {
  const range: { from?: number; to?: number } = {}
  for (const [path, value] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (value === undefined || value === null) {
      if (!eventIds) issues.push({ path, message: 'is required if eventIds is absent' })
      continue
    }
    range[path] = parseTime(value)
    if (Number.isNaN(range[path]))
      issues.push({ path, message: 'is not a time: write, for example, 2026-11-20T10:00:00Z or epoch ms' })
  }
  if ((range.from ?? 0) > (range.to ?? Number.MAX_SAFE_INTEGER))
    issues.push({ path: 'from', message: 'must not be after `to`' })
  return range
}

function parseStatuses({ status, force = false }: ReplayWrite, issues: Issue[]): readonly ReplayableStatus[] {
  const values = status === undefined || status === null ? undefined : [...new Set([status].flat())]
  if (values?.includes('delivered') && !force)
    issues.push({ path: 'status', message: 'delivered requires force: true' })
  return values ?? (force ? [...failedStatuses, 'delivered'] : failedStatuses)
}

/** The filter of a replay without the positions of its events, which `eventPositions` finds. Throws badRequest. */
export function parseReplayRequest(request: ReplayWrite): Omit<ReplayFilter, 'places'> {
  const issues: Issue[] = []
  const range = parseTimeRange(request, issues)
  const statuses = parseStatuses(request, issues)
  if (issues.length > 0) throw badRequest(...issues)
  const { eventNames, scriptIds } = request
  return { statuses, ...range, ...(eventNames && { eventNames }), ...(scriptIds && { scriptIds }) }
}

/**
 * The stream positions of events by id, in order of arrival. An id that both a trusted and an untrusted caller used
 * gives both events. Unknown ids are left out.
 */
export async function eventPositions(
  eventIds: readonly string[],
  tag: Pick<Snapshot, 'tagId' | 'teamId'>,
  deps: { stream: Pick<Stream, 'find'>; keys: Keyring },
): Promise<EventPosition[]> {
  const found = await Promise.all([...new Set(eventIds)].map((eventId) => placesOfId(eventId, tag, deps)))
  const positions = found.flat().map(({ position, index }): EventPosition => [position, index])
  return positions.sort(([position, index], [other, at]) => position - other || index - at)
}

/** Candidates that a dry run reads at once. */
const pageSize = 200
/** After this time a dry run starts no further page. */
const maxScanMs = 5_000
/** After this time a dry run aborts its lookups. */
const timeoutMs = 30_000

/** The result of a dry run. `isWhole` is false if it ran out of time before the last candidate. */
type DryRun = { tally: ReplayTally; isWhole: boolean }
export type RunDryRun = (tagId: string, filter: ReplayFilter) => Promise<DryRun>

type DryRunDeps = Omit<ReplayDecisionDeps, 'events' | 'giveUp'> &
  EventsDeps & { store: Pick<Store, 'replays'>; snapshots: Pick<Snapshots, 'get'> }

/** Counts the deliveries that each script would get, and the reasons for those that it would not. */
export function openDryRun(deps: DryRunDeps): RunDryRun {
  const { profiles, captures, brand, locate, plugins, rates, clock, log, providers, stream, store, keys } = deps
  const decideDeps = { profiles, captures, brand, locate, plugins, rates, clock, log, providers, stream, store, keys }
  const events = openOutboundEvents(deps)
  return async (tagId, filter) => {
    const endAt = deps.clock.now() + maxScanMs
    const giveUp = AbortSignal.timeout(timeoutMs)
    const tag = deps.snapshots.get(tagId)
    let tally: ReplayTally = {}
    let cursor: string | undefined
    if (!tag) return { tally, isWhole: true }
    do {
      const found = await deps.store.replays.candidates(tagId, filter, cursor, pageSize)
      tally = addToTally(tally, await decideReplay(found.rows, tag, { ...decideDeps, events, giveUp }))
      cursor = found.cursor
      await yieldToEventLoop()
    } while (cursor !== undefined && deps.clock.now() < endAt)
    return { tally, isWhole: cursor === undefined }
  }
}
