import type { Keyring } from '#account/keyring.ts'
import type { Run } from '#contract/webhookRun.ts'
import type { Clock } from '#kit/clock.ts'
import { newId } from '#kit/id.ts'
import type { Log } from '#kit/log.ts'
import { writePeriodically } from '#store/periodicWrite.ts'
import type { Store } from '#store/store.ts'
import { keptRuns, type RunRecord } from '#store/webhookRuns.ts'

type RunOwner = { teamId: string; tagId: string; scriptId: string }

/** Journals the runs of webhook code for calls from outside. They are written every second, and lost by a crash. */
export type RunLog = {
  add(owner: RunOwner, run: Omit<Run, 'runId'>): void
  /** Resolves when what was added before is on disk, or when the write failed and the runs are kept. */
  flush(): Promise<void>
}

/** Journals nothing: for tests. */
export const noRunLog: RunLog = { add() {}, flush: async () => {} }

const flushMs = 1_000
/** Runs between two writes; beyond that the oldest are not journalled. */
const maxWaiting = 5 * keptRuns

const runAad = ({ tagId }: Pick<RunOwner, 'tagId'>) => `${tagId} run`

export const openRun = (
  keys: Keyring,
  teamId: string,
  { runId, tagId, sealed }: Omit<RunRecord, 'eventKeys'>,
): Run => ({
  runId,
  ...(JSON.parse(Buffer.from(keys.team(teamId).openEvent(sealed, runAad({ tagId }))).toString()) as Omit<Run, 'runId'>),
})

type RunLogDeps = { clock: Clock; keys: Keyring; store: Pick<Store, 'write'>; log: Log }

export function openRunLog({ clock, keys, store, log }: RunLogDeps, signal: AbortSignal): RunLog {
  let waiting: RunRecord[] = []

  const flush = writePeriodically(
    { clock, store, log },
    {
      kind: 'runs',
      label: 'the runs of webhooks',
      everyMs: flushMs,
      take() {
        const rows = waiting
        waiting = []
        return rows.length === 0 ? undefined : { add: 'runs', rows }
      },
      restore: ({ rows }) => {
        waiting = [...rows, ...waiting].slice(-maxWaiting)
      },
    },
    signal,
  )

  return {
    add({ teamId, tagId, scriptId }, run) {
      const team = keys.team(teamId)
      const eventKeys = run.eventIds.map((eventId) => team.eventKey(tagId, eventId, true))
      const sealed = team.sealEvent(Buffer.from(JSON.stringify(run)), runAad({ tagId }))
      waiting.push({ runId: newId('run', run.at), tagId, scriptId, at: run.at, sealed, eventKeys })
      if (waiting.length > maxWaiting) waiting.shift()
    },
    flush,
  }
}
