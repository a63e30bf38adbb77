import { fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { Replay } from '#contract/replay.ts'
import { defined } from '#kit/defined.ts'
import { newId } from '#kit/id.ts'
import type { JournalQueries } from '#store/journalQueries.ts'
import type { ReplayFilter, ReplayRecord, ReplayTally } from '#store/replays.ts'
import type { TagRecord } from '#store/store.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { toPageRequest } from './pagination.ts'
import { eventPositions, parseReplayRequest } from './replayRequest.ts'
import { type ApiCaller, saveChange } from './saveChange.ts'
import { reserveSearch } from './searchSlots.ts'
import { requireTag } from './tags.ts'

type StatusCounts = Awaited<ReturnType<JournalQueries['replayed']>>[number]

const totals = (tally: ReplayTally) => {
  const counts = Object.values(tally)
  const sum = (field: 'matched' | 'replayed') => counts.reduce((all, each) => all + each[field], 0)
  return { matched: sum('matched'), replayed: sum('replayed') }
}

const scriptCounts = (tally: ReplayTally, statusCounts: StatusCounts): Replay['scripts'] =>
  Object.entries(tally).map(([scriptId, counts]) => ({ scriptId, ...counts, now: statusCounts[scriptId] ?? {} }))

/** The filter as the API shows it: parsed, with the number of events instead of their ids. */
const describeFilter = ({ places, statuses, eventNames, scriptIds, ...range }: ReplayFilter) => ({
  ...range,
  statuses: [...statuses],
  ...defined({ eventNames: eventNames && [...eventNames], scriptIds: scriptIds && [...scriptIds] }),
  ...(places && { events: places.length }),
})

function toReplay({ filter, tally, ...record }: ReplayRecord, statusCounts: StatusCounts): Replay {
  const { replayId, state, by, createdAt: at, startedAt, endedAt } = record
  return {
    ...{ replayId, state, at, by },
    ...defined({ startedAt, endedAt }),
    ...describeFilter(filter),
    ...totals(tally),
    isWhole: state === 'sending' || state === 'done',
    scripts: scriptCounts(tally, statusCounts),
  }
}

/** The records must be of one tag. */
async function loadReplayViews(deps: ControlDeps, teamId: string, records: readonly ReplayRecord[]): Promise<Replay[]> {
  if (!records[0]) return []
  const replayIds = records.map(({ replayId }) => replayId)
  const statusCounts = await deps.store.queries(teamId).replayed(records[0].tagId, replayIds)
  return records.map((record, at) => toReplay(record, statusCounts[at]!))
}

const loadReplayView = async (deps: ControlDeps, record: ReplayRecord) =>
  (await loadReplayViews(deps, record.teamId, [record]))[0]!

/** The result of a dry run. Throws tooManyQueries. */
async function dryRun(deps: ControlDeps, tag: TagRecord, filter: ReplayFilter, by: string): Promise<Replay> {
  const at = deps.clock.now()
  using _search = reserveSearch(deps, tag.teamId)
  const { tally, isWhole } = await deps.dryRunReplay(tag.tagId, filter)
  const scripts = scriptCounts(tally, {})
  return { state: 'dryRun', at, by, ...describeFilter(filter), ...totals(tally), isWhole, scripts }
}

export const createReplay: AnswerFor<'createReplay'> = async ({ params, body, ...who }, deps) => {
  const tag = await requireTag(deps, who.access, params.tagId)
  const places = body.eventIds ? await eventPositions(body.eventIds, tag, deps) : undefined
  const filter: ReplayFilter = { ...parseReplayRequest(body), ...(places && { places }) }
  const { by } = who.access
  if (body.dryRun) return dryRun(deps, tag, filter, by)
  return toReplay(await queueReplay(deps, who, tag, filter), {})
}

/** Throws tooManyReplays. */
export async function refuseMoreReplays({ store, limits }: ControlDeps, teamId: string): Promise<void> {
  const others = (await store.replays.unfinished()).filter((each) => each.teamId === teamId)
  if (others.length >= limits.replaysPerTeam) throw limitReached('tooManyReplays', limits.replaysPerTeam)
}

/** Queues a replay; the worker runs it in turns with other teams' replays. Throws tooManyReplays. */
export function queueReplay(
  deps: ControlDeps,
  who: ApiCaller,
  { tagId, teamId }: TagRecord,
  filter: ReplayFilter,
): Promise<ReplayRecord> {
  const { by } = who.access
  return withChangeLock(`${teamId} replays`, async () => {
    await refuseMoreReplays(deps, teamId)
    const createdAt = deps.clock.now()
    const replayId = newId('rep', createdAt)
    const row: ReplayRecord = { replayId, tagId, teamId, filter, by, state: 'queued', createdAt, tally: {} }
    const rows = [{ add: 'replay' as const, row }]
    await saveChange(deps, who, {
      what: 'createReplay',
      object: replayId,
      after: { tagId, ...describeFilter(filter) },
      rows,
    })
    return row
  })
}

export const listReplays: AnswerFor<'listReplays'> = async ({ params, query, access }, deps) => {
  const { tagId, teamId } = await requireTag(deps, access, params.tagId)
  const { rows, next } = await deps.store.replays.list(tagId, toPageRequest(query))
  return { replays: await loadReplayViews(deps, teamId, rows), ...(next !== undefined && { next }) }
}

async function requireReplay(deps: ControlDeps, tagId: string, replayId: string): Promise<ReplayRecord> {
  const record = await deps.store.replays.get(replayId)
  if (record?.tagId !== tagId) throw fault('replayUnknown')
  return record
}

export const readReplay: AnswerFor<'readReplay'> = async ({ params, access }, deps) => {
  const { tagId } = await requireTag(deps, access, params.tagId)
  return loadReplayView(deps, await requireReplay(deps, tagId, params.replayId))
}

export const stopReplay: AnswerFor<'stopReplay'> = async ({ params, ...who }, deps) => {
  const { tagId } = await requireTag(deps, who.access, params.tagId)
  const { replayId, state, endedAt } = await requireReplay(deps, tagId, params.replayId)
  if (endedAt === undefined && state !== 'stopping') {
    const rows = [{ stop: 'replay' as const, replayId }]
    await saveChange(deps, who, {
      what: 'stopReplay',
      object: replayId,
      before: { state },
      after: { state: 'stopping' },
      rows,
    })
  }
  return loadReplayView(deps, await requireReplay(deps, tagId, replayId))
}
