import { fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { operations } from '#contract/operations.ts'
import type { Replay } from '#contract/replay.ts'
import { placesOf, readAsked } from '#delivery/replayAsk.ts'
import type { Answer } from '#http/bind.ts'
import { newId } from '#kit/id.ts'
import type { Queries } from '#store/queries.ts'
import type { ReplayFilter, ReplayRecord, ReplayTally } from '#store/replays.ts'
import type { TagRecord } from '#store/store.ts'
import { pageOf } from './page.ts'
import { save } from './save.ts'
import { takeSearch } from './search.ts'
import { knownTag } from './tags.ts'
import { inTurn } from './turn.ts'
import type { ControlWorld } from './world.ts'

type Of<Id extends keyof typeof operations> = Answer<(typeof operations)[Id], ControlWorld>

type Standing = Awaited<ReturnType<Queries['replayed']>>[number]

const totals = (tally: ReplayTally) => {
  const counts = Object.values(tally)
  const sum = (of: 'matched' | 'replayed') => counts.reduce((all, each) => all + each[of], 0)
  return { matched: sum('matched'), replayed: sum('replayed') }
}

const scriptsOf = (tally: ReplayTally, standing: Standing): Replay['scripts'] =>
  Object.entries(tally).map(([scriptId, counts]) => ({ scriptId, ...counts, now: standing[scriptId] ?? {} }))

/** What was asked for, as it was understood. */
const askedFor = ({ places, statuses, eventNames, scriptIds, ...range }: ReplayFilter) => ({
  ...range,
  statuses: [...statuses],
  ...(eventNames && { eventNames: [...eventNames] }),
  ...(scriptIds && { scriptIds: [...scriptIds] }),
  ...(places && { events: places.length }),
})

function show({ filter, tally, ...record }: ReplayRecord, standing: Standing): Replay {
  const { replayId, state, by, createdAt: at, startedAt, endedAt } = record
  return {
    replayId,
    state,
    at,
    by,
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...askedFor(filter),
    ...totals(tally),
    isWhole: state === 'sending' || state === 'done',
    scripts: scriptsOf(tally, standing),
  }
}

async function shownAll(on: ControlWorld, teamId: string, records: readonly ReplayRecord[]): Promise<Replay[]> {
  const standings = await on.store.queries(teamId).replayed(records.map(({ replayId }) => replayId))
  return records.map((record, at) => show(record, standings[at]!))
}

const shown = async (on: ControlWorld, record: ReplayRecord) => (await shownAll(on, record.teamId, [record]))[0]!

/** What a replay would do. Throws tooManyQueries. */
async function tryOut(on: ControlWorld, tag: TagRecord, filter: ReplayFilter, by: string): Promise<Replay> {
  const at = on.clock.now()
  using _search = takeSearch(on, tag.teamId)
  const { tally, isWhole } = await on.tryReplay(tag.tagId, filter)
  const scripts = scriptsOf(tally, {})
  return { state: 'dryRun', at, by, ...askedFor(filter), ...totals(tally), isWhole, scripts }
}

export const createReplay: Of<'createReplay'> = async ({ params, body, ...who }, on) => {
  const tag = await knownTag(on, who.access, params.tagId)
  const places = body.eventIds ? await placesOf(body.eventIds, tag, on) : undefined
  const filter: ReplayFilter = { ...readAsked(body), ...(places && { places }) }
  const { tagId, teamId } = tag
  const { tokenId: by } = who.access
  if (body.dryRun) return tryOut(on, tag, filter, by)
  return inTurn(`${teamId} replays`, async () => {
    const others = (await on.store.replays.open()).filter((each) => each.teamId === teamId)
    const { replaysPerTeam } = on.limits
    if (others.length >= replaysPerTeam) throw limitReached('tooManyReplays', replaysPerTeam)
    const createdAt = on.clock.now()
    const replayId = newId('rep', createdAt)
    const row: ReplayRecord = { replayId, tagId, teamId, filter, by, state: 'queued', createdAt, tally: {} }
    const rows = [{ add: 'replay' as const, row }]
    await save(on, who, { what: 'createReplay', object: replayId, after: { tagId, ...askedFor(filter) }, rows })
    return show(row, {})
  })
}

export const listReplays: Of<'listReplays'> = async ({ params, query, access }, on) => {
  const { tagId, teamId } = await knownTag(on, access, params.tagId)
  const { rows, next } = await on.store.replays.list(tagId, pageOf(query))
  return { replays: await shownAll(on, teamId, rows), ...(next !== undefined && { next }) }
}

async function known(on: ControlWorld, tagId: string, replayId: string): Promise<ReplayRecord> {
  const record = await on.store.replays.get(replayId)
  if (record?.tagId !== tagId) throw fault('replayUnknown')
  return record
}

export const readReplay: Of<'readReplay'> = async ({ params, access }, on) => {
  const { tagId } = await knownTag(on, access, params.tagId)
  return shown(on, await known(on, tagId, params.replayId))
}

export const stopReplay: Of<'stopReplay'> = async ({ params, ...who }, on) => {
  const { tagId } = await knownTag(on, who.access, params.tagId)
  const { replayId, state, endedAt } = await known(on, tagId, params.replayId)
  if (endedAt === undefined && state !== 'stopping') {
    const rows = [{ stop: 'replay' as const, replayId }]
    await save(on, who, { what: 'stopReplay', object: replayId, before: { state }, after: { state: 'stopping' }, rows })
  }
  return shown(on, await known(on, tagId, replayId))
}
