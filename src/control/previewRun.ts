import type { PreviewTerms } from '#account/previewCode.ts'
import type { TagEvent } from '#contract/event.ts'
import { fault } from '#contract/fault.ts'
import type { Journey } from '#contract/journey.ts'
import type { Plaintexts } from '#delivery/scriptSecrets.ts'
import type { EventContext } from '#event/record.ts'
import type { PreviewLog } from '#journal/previewLog.ts'
import { nextSnapshot } from '#script/deploy.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { ControlDeps } from './controlDeps.ts'
import { readAllPages } from './pagination.ts'
import { testJourney, testSteps } from './testJourney.ts'

export type PreviewRunDeps = Pick<ControlDeps, 'clock' | 'log' | 'profiles' | 'rates' | 'runTest' | 'store'> & {
  previewLog: PreviewLog
  plaintexts: Plaintexts
}
type TagOfPreview = Pick<Snapshot, 'tagId' | 'teamId'>

/** An event of a preview, with the context of its call. */
export type PreviewedEvent = { event: TagEvent; context: EventContext }

export type PreviewRun = {
  /** The tag that the preview runs: everything saved, or the named deployment while it is stored. */
  snapshotOf(tag: TagOfPreview, terms: PreviewTerms): Promise<Snapshot>
  /** Uses one of the link's events for each, while it has any left, and runs them in order. Throws overloaded. */
  add(tag: TagOfPreview, terms: PreviewTerms, events: readonly PreviewedEvent[]): Promise<void>
  left(tag: TagOfPreview, previewId: string): Promise<number>
}

/** Maximum waiting events of a team. */
const maxWaiting = 1_000

const emptyJourney = ({ event, context }: PreviewedEvent): Journey => {
  const { userId, receivedAt, trusted } = context
  const { eventId, eventName } = event
  return { eventId, eventName, userId, receivedAt, trusted, deliveries: [] }
}

/**
 * Runs the events of previews. None of them reaches the stream, the journal, the profiles or a count; their results are
 * in the preview log. A team runs one event at a time.
 */
export function openPreviewRun(deps: PreviewRunDeps): PreviewRun {
  const { store, previewLog } = deps
  const turns = new Map<string, { waiting: number; last: Promise<void> }>()

  async function snapshotOf({ tagId }: TagOfPreview, { deployment }: PreviewTerms): Promise<Snapshot> {
    const chosen = deployment === undefined ? undefined : await store.deployment(tagId, deployment)
    if (chosen) return chosen.snapshot
    const [live, publish] = await Promise.all([store.deployment(tagId), store.tag(tagId)])
    if (!live || !publish) throw fault('tagUnknown')
    if (deployment !== undefined) return live.snapshot
    const scripts = await readAllPages((page) => store.scripts(tagId, page))
    return nextSnapshot(live.snapshot, { publish, scripts })
  }
  async function run({ event, context }: PreviewedEvent, tag: TagOfPreview, terms: PreviewTerms): Promise<Journey> {
    const snapshot = await snapshotOf(tag, terms)
    const send = terms.deliver === 'testMode' && 'testMode'
    const result = await deps.runTest({ tag: snapshot, event, context, plaintexts: deps.plaintexts, send })
    const steps = await testSteps(deps, snapshot, event, context.userId)
    return { ...testJourney(event, result, snapshot, steps), trusted: context.trusted, deployment: snapshot.number }
  }
  /** Runs the work of a team after its earlier work. Logs a failure. */
  function inTurn(teamId: string, work: () => Promise<void>): void {
    const turn = turns.get(teamId) ?? { waiting: 0, last: Promise.resolve() }
    turns.set(teamId, turn)
    turn.waiting++
    turn.last = turn.last
      .then(work)
      .catch((error) => deps.log({ level: 'error', message: 'could not run an event of a preview', teamId, error }))
      .finally(() => --turn.waiting === 0 && turns.delete(teamId))
  }
  return {
    snapshotOf,
    left: previewLog.left,
    async add(tag, terms, events) {
      if ((turns.get(tag.teamId)?.waiting ?? 0) + events.length > maxWaiting)
        throw fault('overloaded', { headers: { 'retry-after': '1' } })
      const placed = events.map((each) => {
        const kind = each.context.kind === 'user' ? ('user' as const) : ('event' as const)
        return { kind, isPlanned: false, journey: emptyJourney(each) }
      })
      const reserved = await previewLog.reserve(tag, terms, placed)
      for (const [index, entry] of reserved.entries())
        inTurn(tag.teamId, async () => {
          const journey = await run(events[index]!, tag, terms)
          await previewLog.put(tag, terms, { ...entry, isPlanned: true, journey })
        })
    },
  }
}
