import type { TeamAccess } from '#account/teamAccess.ts'
import type { TagEvent } from '#contract/event.ts'
import type { WrittenScript } from '#contract/script.ts'
import type { RecordEvent } from '#event/record.ts'
import { periodicYield } from '#kit/yieldToEventLoop.ts'
import { runPlugins } from '#plugin/runPlugins.ts'
import { plugins } from '#plugins/index.ts'
import { vendorEventName } from '#provider/engine/vendorEventName.ts'
import { personOf } from '#provider/form/person.ts'
import { providers } from '#providers/index.ts'
import { compileRules } from '#rule/compileRules.ts'
import { toSnapshotScript } from '#store/snapshotParts.ts'
import type { ScriptRecord, TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { readEventsAt } from './events.ts'
import { reserveSearch, runFairly } from './searchSlots.ts'

type Affected = NonNullable<WrittenScript['affected']>
type ReadRow = { position: number; index: number; status?: string; reason?: string }

const maxEvents = 1_000

/** Whether the delivery was decided for a reason that no rule changes. */
const isDecidedBefore = ({ status, reason }: ReadRow) =>
  status === 'held' || (status === 'skipped' && ['consent', 'region', 'notSelected'].includes(reason ?? ''))

/** The last events of the tag: those delivered to the script, or any if it has no deliveries yet. */
async function readRows(deps: ControlDeps, { teamId, tagId }: TagRecord, scriptId: string): Promise<ReadRow[]> {
  const queries = deps.store.queries(teamId)
  const page = { limit: maxEvents }
  const { rows } = await queries.deliveries(tagId, { scriptId }, page)
  return rows.length > 0 ? rows : (await queries.events(tagId, {}, page)).rows
}

/** The event after the plugins of the live tag, as channels get it; undefined if no channel gets it. */
function afterPlugins(deps: ControlDeps, tag: TagRecord, { event, context }: RecordEvent): TagEvent | undefined {
  const chosen = deps.snapshots.get(tag.tagId)?.plugins ?? []
  if (chosen.length === 0 || context.isMadeByCode) return event
  const rates = deps.rates?.()
  const result = runPlugins(event, chosen, plugins, { history: {}, now: deps.clock.now(), ...(rates && { rates }) })
  return 'filtered' in result ? undefined : result.event
}

/** Whether a script with these rules gets an event, judged only by rules and provider. */
function deliversWith(script: ScriptRecord): (event: TagEvent, row: PlacedEvent) => boolean {
  const rules = compileRules(toSnapshotScript(script))
  const provider = providers[script.providerId]
  return (event, { place, userId }) => {
    const person: Record<string, unknown> = personOf(event)
    if (rules?.whyFiltered({ event, place, hasKey: (key) => person[key] !== undefined }, userId)) return false
    return (
      provider !== undefined &&
      vendorEventName(provider, rules?.nameOf(event.eventName) ?? event.eventName) !== undefined
    )
  }
}

type PlacedEvent = { place: { country?: string; region?: string } | undefined; userId: string }

/** Counts the effect of a rule change on the last 1,000 events of the tag. `before`: undefined for a new script. */
async function countAffected(
  deps: ControlDeps,
  tag: TagRecord,
  { before, after }: { before: ScriptRecord | undefined; after: ScriptRecord },
): Promise<Affected> {
  const rows = await readRows(deps, tag, after.scriptId)
  const [was, is] = [before && deliversWith(before), deliversWith(after)]
  const needsPlace = JSON.stringify([before?.filter, after.filter]).includes('"place')
  const affected: Affected = { events: 0, before: 0, after: 0 }
  const yieldPeriodically = periodicYield(deps.clock)
  let current: { position: number; events: readonly RecordEvent[] } | undefined
  for (const row of rows) {
    const { position, index } = row
    if (current?.position !== position) current = { position, events: await readEventsAt(deps, tag, position) }
    const recorded = current.events[index]
    if (!recorded || recorded.isErased || recorded.context.kind !== undefined) continue
    affected.events++
    const event = isDecidedBefore(row) ? undefined : afterPlugins(deps, tag, recorded)
    const place = needsPlace ? (await deps.store.journal.event(tag.tagId, position, index))?.place : undefined
    const placed = { place, userId: recorded.userId }
    if (event && was?.(event, placed)) affected.before++
    if (event && is(event, placed)) affected.after++
    await yieldPeriodically()
  }
  return affected
}

/** Counts if the caller may read events and the team has a free search slot; undefined otherwise. */
export async function affectedEvents(
  deps: ControlDeps,
  { scopes, teamId }: TeamAccess,
  tag: TagRecord,
  scripts: { before: ScriptRecord | undefined; after: ScriptRecord },
): Promise<Affected | undefined> {
  if (!scopes.has('event:read')) return undefined
  try {
    using _search = reserveSearch(deps, teamId)
    return await runFairly(deps, teamId, () => countAffected(deps, tag, scripts))
  } catch (error) {
    deps.log({ message: 'could not count the events that a change of rules affects', tagId: tag.tagId, error })
    return undefined
  }
}
