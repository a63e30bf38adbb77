import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '#kit/log.ts'
import type { Cluster, ClusterChange } from './cluster.ts'

const askAgainMs = 200

type LateClusterDeps = {
  /** Makes this process a member. It is repeated until it succeeds. */
  join(): Promise<Cluster>
  /** Whether an error means that the database is away. Other errors are logged, each once. */
  mayPass(error: unknown): boolean
  log: Log
  /** Applied before the changes of the feed, and repeated until it succeeds. Until then, `silentMs` is infinite. */
  first?: ClusterChange
}

/** Repeats work until it succeeds. Errors for which `mayPass` is false are logged, each once. */
async function repeat<Result>(
  work: () => Promise<Result>,
  { mayPass, log }: Pick<LateClusterDeps, 'mayPass' | 'log'>,
  signal: AbortSignal,
): Promise<Result> {
  for (let lastLogged = ''; ; ) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!mayPass(error) && lastLogged !== `${error}`) {
        lastLogged = `${error}`
        log({ level: 'error', message: 'a database that did not respond at startup cannot be used', error })
      }
      await wait(askAgainMs, undefined, { signal }).catch(() => {})
    }
  }
}

/**
 * The cluster of a database that is away while this process starts. Until it has joined, this process knows no other
 * process, holds no lease, and owns no slot.
 */
export function openLateCluster(deps: LateClusterDeps): Cluster {
  const closing = new AbortController()
  const followers: ((change: ClusterChange) => Promise<void>)[] = []
  let joined: Cluster | undefined
  let applying = 0
  async function follow(apply: (change: ClusterChange) => Promise<void>, cluster: Cluster): Promise<void> {
    applying++
    if (deps.first) await repeat(() => apply(deps.first!), deps, closing.signal)
    applying--
    cluster.changes.follow(apply)
  }
  const startToFollow = (apply: (change: ClusterChange) => Promise<void>, cluster: Cluster) =>
    void follow(apply, cluster).catch(() => {}) // closed before it was applied
  const joining = repeat(deps.join, deps, closing.signal).then((cluster) => {
    deps.log({ message: 'a database that did not respond at startup now responds' })
    joined = cluster
    for (const apply of followers) startToFollow(apply, cluster)
    return cluster
  })
  joining.catch(() => {}) // closed before it was joined
  return {
    members: {
      count: (role) => joined?.members.count(role) ?? 1,
      silentMs: () => (joined && applying === 0 ? joined.members.silentMs() : Number.POSITIVE_INFINITY),
    },
    leases: {
      holds: async (name) => (joined ? joined.leases.holds(name) : false),
      exclusive: async (name, work) => (await joining).leases.exclusive(name, work),
    },
    changes: {
      follow(apply) {
        followers.push(apply)
        if (joined) startToFollow(apply, joined)
      },
      async acknowledged(seq) {
        await joined?.changes.acknowledged(seq)
      },
    },
    async startWorker(start) {
      const working = joining.then((cluster) => cluster.startWorker(start))
      working.catch(() => {}) // closed before it was joined
      let isStopped = false
      void working.then(async (worker) => isStopped && worker.stop()).catch(() => {})
      return {
        async stop() {
          isStopped = true
          if (joined) await (await working).stop()
        },
      }
    },
    async close() {
      closing.abort()
      const cluster = await joining.catch(() => undefined)
      await cluster?.close()
    },
  }
}
