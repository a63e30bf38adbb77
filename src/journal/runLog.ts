import type { Keyring } from '#account/keyring.ts'
import type { Run } from '#contract/webhookRun.ts'
import type { Clock } from '#kit/clock.ts'
import { newId } from '#kit/id.ts'
import type { Log } from '#kit/log.ts'
import { type Store, type StoreChange, unwrittenOf } from '#store/store.ts'
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

  async function flush(): Promise<void> {
    const rows = waiting
    if (rows.length === 0) return
    waiting = []
    const changes: StoreChange[] = [{ add: 'runs', rows }]
    try {
      await store.write(changes)
    } catch (error) {
      log({
        level: 'error',
        message: 'could not write the runs of webhooks; they are written with the next flush',
        error,
      })
      const unwritten = unwrittenOf(error, changes).flatMap((each) =>
        'add' in each && each.add === 'runs' ? each.rows : [],
      )
      waiting = [...unwritten, ...waiting].slice(-maxWaiting)
    }
  }

  async function flushPeriodically(): Promise<void> {
    while (!signal.aborted) {
      await clock.wait(flushMs, signal)
      await flush()
    }
  }
  void flushPeriodically()

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
