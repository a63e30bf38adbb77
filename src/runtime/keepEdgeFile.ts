import { environmentKeyOf } from '#account/loadKeyring.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { tellOnce } from '#kit/tellOnce.ts'
import { settingNames } from './demo.ts'
import { edgeFileOf, writeEdgeFile } from './edgeFile.ts'
import type { EnvironmentStore } from './environmentStore.ts'

const lookMs = 5_000
/** A file without changes is written again, so that its age tells how long the database has been away. */
const renewMs = 600_000
/** A file is not made of what may be old: the lease of this process was renewed within this time. */
const maxSilentMs = 5_000
/** Writing takes at most a hundredth of the time. */
const restFactor = 100

const texts = {
  failed: 'could not write the file with which this edge starts while its database is away',
  again: 'the file with which this edge starts is written again',
}

type KeepDeps = Pick<
  EnvironmentStore,
  'environment' | 'store' | 'cluster' | 'keys' | 'rootKeys' | 'snapshots' | 'servedHosts'
> & {
  path: string
  demoInbox: string
  /** That of this machine: at the next start there may be no other. */
  clock: Clock
  log: Log
  monotonicMs?(): number
}

/** Keeps the file of an edge up to date until `stop`. `changed`: something of it is another. */
export function keepEdgeFile(deps: KeepDeps): { changed(): void; stop(): Promise<void> } {
  const { store, cluster, keys, clock, monotonicMs = performance.now.bind(performance) } = deps
  const telling = tellOnce(deps.log, texts)
  const stopping = new AbortController()
  let isChanged = true
  let writtenAt = Number.NEGATIVE_INFINITY
  let tookMs = 0

  async function write(): Promise<void> {
    const beganAt = monotonicMs()
    isChanged = false
    try {
      const { name, value } = environmentKeyOf(keys)
      const settings = { [name]: value, [settingNames.inbox]: deps.demoInbox }
      const state = { ...deps, settings, sealingKeys: await store.sealingKeys() }
      await writeEdgeFile(deps, edgeFileOf(state, clock.now()))
      writtenAt = monotonicMs()
      tookMs = writtenAt - beganAt
    } catch (error) {
      isChanged = true
      throw error
    }
  }
  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      const isDue = isChanged || monotonicMs() - writtenAt > renewMs
      if (isDue && cluster.members.silentMs() < maxSilentMs) await telling(write)
      await clock.wait(Math.max(lookMs, tookMs * restFactor), stopping.signal)
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
