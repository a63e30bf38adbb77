import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { logFailureOnce } from '#kit/logFailureOnce.ts'
import { type Meter, noMeter } from '#kit/meter.ts'
import type { Database } from '#postgres/database.ts'
import type { Cluster, ProcessRole } from '../cluster.ts'
import { openChangeFeed, type PostgresChangeFeed } from './changeFeed.ts'
import { openLeases, type PostgresLeases } from './leases.ts'
import { openMembership, type ProcessMembership } from './membership.ts'
import { openSlotWork, type SlotWork } from './slotWork.ts'

type PostgresClusterOptions = {
  database: Database
  role: ProcessRole
  version: string
  clock: Clock
  log: Log
  meter?: Meter
  /** A clock that is never set (ms). Default: the time since the start of the process. */
  monotonicMs?(): number
}

const renewalTexts = {
  failed: 'could not renew the lease of this process',
  again: 'renewed the lease of this process again',
}
const dropEveryRenewals = 4_500 // an hour

async function leave(leases: PostgresLeases, membership: ProcessMembership): Promise<void> {
  await leases.release()
  await membership.leave()
}

async function joinFirst(membership: ProcessMembership, changes: PostgresChangeFeed): Promise<void> {
  try {
    await membership.join(changes.seen())
  } catch (error) {
    await changes.close()
    throw error
  }
}

/** Adds this process to the members of an environment, and renews its lease until it is closed. */
export async function openPostgresCluster(options: PostgresClusterOptions): Promise<Cluster> {
  const { database, clock, log, meter = noMeter, monotonicMs = performance.now.bind(performance) } = options
  const lost = meter.counter('aglet_leases_lost_total', 'How often the lease of this process was lost.')
  meter.gauge('aglet_slots_owned', 'Slots whose events this process delivers.', () => work?.owned() ?? 0)
  const membership = openMembership({ ...options, monotonicMs })
  const leases = openLeases({ database, membership, monotonicMs })
  const changes = await openChangeFeed({ database, membership, log })
  const closing = new AbortController()
  let work: SlotWork | undefined
  let renewals = 0
  const runLogged = logFailureOnce(log, renewalTexts)

  async function renew(): Promise<void> {
    const changed = await membership.renew(changes.seen())
    if (changed !== undefined) {
      if (changed > changes.seen()) void changes.poll()
      await leases.renew()
    } else {
      lost.add()
      work?.lost()
      await membership.join(changes.seen())
      log({ level: 'warn', message: 'this process lost its lease and has joined again', id: membership.id() })
    }
    if (renewals++ % dropEveryRenewals === 0) await changes.dropOld()
  }
  async function keepRenewing(): Promise<void> {
    while (!closing.signal.aborted) {
      await clock.wait(membership.renewInMs(), closing.signal)
      if (closing.signal.aborted) return
      await runLogged(renew)
      void work?.balance()
    }
  }
  await joinFirst(membership, changes)
  const renewing = keepRenewing()
  return {
    members: membership,
    leases,
    changes,
    async startWorker(start) {
      const started = openSlotWork({ database, membership, log, meter, start })
      work = started
      await started.balance()
      return {
        stop: () =>
          started.stop().finally(() => {
            work = undefined
          }),
      }
    },
    async close() {
      closing.abort()
      await renewing
      await changes.close()
      await leave(leases, membership).catch((error) =>
        log({ level: 'warn', message: 'could not release the lease of this process', error }),
      )
    },
  }
}
