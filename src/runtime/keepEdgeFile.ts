import { environmentKeyOf } from '#account/loadKeyring.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { logFailureOnce } from '#kit/logFailureOnce.ts'
import { settingNames } from './demo.ts'
import { edgeFileOf, writeEdgeFile } from './edgeFile.ts'
import type { EnvironmentStore } from './environmentStore.ts'

const pollMs = 5_000
/** Interval of rewrites without changes, so that the file's age shows how long the database has been unreachable. */
const renewMs = 600_000
/** The file is only written if this process has renewed its lease within this time; otherwise its state may be stale. */
const maxSilentMs = 5_000
/** Writing takes at most one percent of the time. */
const restFactor = 100

const texts = {
  failed: 'could not write the file that lets this edge start without its database',
  again: 'writing the file that lets this edge start without its database works again',
}

type KeepDeps = Pick<
  EnvironmentStore,
  'environment' | 'store' | 'cluster' | 'keys' | 'rootKeys' | 'snapshots' | 'servedHosts'
> & {
  path: string
  demoInbox: string
  /** This machine's clock, because the next start may have no other. */
  clock: Clock
  log: Log
  monotonicMs?(): number
}

/** Keeps the edge file up to date until `stop`. Call `changed` when any of its data changes. */
export function keepEdgeFile(deps: KeepDeps): { changed(): void; stop(): Promise<void> } {
  const { store, cluster, keys, clock, monotonicMs = performance.now.bind(performance) } = deps
  const runLogged = logFailureOnce(deps.log, texts)
  const stopping = new AbortController()
  let isChanged = true
  let writtenAt = Number.NEGATIVE_INFINITY
  let tookMs = 0

  async function write(): Promise<void> {
    const startedAt = monotonicMs()
    isChanged = false
    try {
      const { name, value } = environmentKeyOf(keys)
      const settings = { [name]: value, [settingNames.inbox]: deps.demoInbox }
      const state = { ...deps, settings, sealingKeys: await store.sealingKeys() }
      await writeEdgeFile(deps, edgeFileOf(state, clock.now()))
      writtenAt = monotonicMs()
      tookMs = writtenAt - startedAt
    } catch (error) {
      isChanged = true
      throw error
    }
  }
  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      const isDue = isChanged || monotonicMs() - writtenAt > renewMs
      if (isDue && cluster.members.silentMs() < maxSilentMs) await runLogged(write)
      await clock.wait(Math.max(pollMs, tookMs * restFactor), stopping.signal)
    }
  }
  const keeping = keep()
  return {
    changed() {
      isChanged = true
    },
    stop() {
      stopping.abort()
      return keeping
    },
  }
}
