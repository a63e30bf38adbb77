import { endedOf, healthOf } from '#contract/channel.ts'
import type { ChannelEvent } from '#delivery/deliveryDeps.ts'
import { newId } from '#kit/id.ts'
import { createLruCache } from '#kit/lruCache.ts'
import { repeatEvery } from '#kit/repeatEvery.ts'
import { openTeamTurns } from '#kit/teamTurns.ts'
import { findHooks } from '#script/hook.ts'
import type { AlertRecord } from '#store/alerts.ts'
import { type AlertDeps, alertEventType } from './alertDeps.ts'
import { sendDueNotifications, sendingLimits } from './sendNotifications.ts'

/** Alerts teams when the state of their channels changes. */
export type AlertNotifier = {
  /** Queues an event in memory. Does not block delivery. */
  report(event: ChannelEvent): void
  stop(): Promise<void>
}

/**
 * The minimum time between two alerts of the same kind for one channel. Events in between are counted in the next
 * alert.
 */
export const alertIntervalMs = 600_000
const pollMs = 1_000
const checkIntervalMs = 60_000
const hourMs = 3_600_000
const writingLimits = { parallel: 16, parallelPerLane: 2, maxPerLane: 100_000, maxPerKey: 100_000 }

type PendingAlert = ChannelEvent & { count: number; since: number }
const alertKey = ({ scriptId, kind }: Pick<ChannelEvent, 'scriptId' | 'kind'>) => `${scriptId} ${kind}`

export function openAlertNotifier(deps: AlertDeps): AlertNotifier {
  const waiting = new Map<string, PendingAlert>()
  const checkedAt = createLruCache<string, number>(10_000)
  const stopping = new AbortController()

  function enqueue(event: ChannelEvent): void {
    const pending = waiting.get(alertKey(event))
    waiting.set(alertKey(event), { ...event, count: (pending?.count ?? 0) + 1, since: pending?.since ?? event.at })
  }
  /** Counts at most once a minute per channel. Drops an event that is not an alert. */
  async function hasFailed(event: PendingAlert): Promise<boolean> {
    const now = deps.clock.now()
    const last = checkedAt.get(event.scriptId)
    if (last !== undefined && last <= now && now < last + checkIntervalMs) return false
    checkedAt.set(event.scriptId, now)
    if (await isFailing(event, deps)) return true
    // An event that arrived meanwhile is checked with the next count.
    if (waiting.get(alertKey(event)) === event) waiting.delete(alertKey(event))
    return false
  }
  async function writeIfDue(name: string): Promise<void> {
    const event = waiting.get(name)
    if (!event || (await isSuppressed(event, deps))) return
    if (event.kind === 'failing' && !(await hasFailed(event))) return
    waiting.delete(name) // later events belong to the next alert
    await writeAlert(event, deps).catch((error) => {
      waiting.set(name, mergeAlerts(event, waiting.get(name)))
      throw error
    })
  }
  const failedTo = (what: string) => (error: unknown) =>
    deps.log({ level: 'error', message: `could not ${what}`, error })
  const writing = openTeamTurns(writingLimits, failedTo('write alerts'))
  const sending = openTeamTurns(sendingLimits, failedTo('send alerts'))
  /** A team whose channels change often, or whose health is slow to count, must not delay the alerts of other teams. */
  async function writeAlerts(): Promise<void> {
    for (const [name, { tagId, scriptId }] of waiting) {
      const lane = deps.snapshots.get(tagId)?.teamId ?? tagId
      writing.start(name, { lane, key: scriptId }, () => writeIfDue(name))
    }
  }
  /** Only one process sends the alerts, including those that other processes wrote. */
  const sendAlerts = async () =>
    void ((await deps.leases.holds('alerts')) && (await sendDueNotifications(deps, sending)))
  const loops = [
    repeatEvery(pollMs, 'write alerts', writeAlerts, deps, stopping.signal),
    repeatEvery(pollMs, 'send alerts', sendAlerts, deps, stopping.signal),
  ]
  return {
    report: enqueue,
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await Promise.all([writing.stop(), sending.stop()])
    },
  }
}

const mergeAlerts = (event: PendingAlert, since: PendingAlert | undefined): PendingAlert =>
  since ? { ...since, count: since.count + event.count, since: event.since } : event

/**
 * Reads the last alert from the store, so that a restart repeats none. A clock that was set back suppresses nothing.
 */
async function isSuppressed({ scriptId, kind }: PendingAlert, { store, clock }: AlertDeps): Promise<boolean> {
  const lastAt = await store.alerts.lastAt(scriptId, kind)
  const now = clock.now()
  return lastAt !== undefined && lastAt <= now && now < lastAt + alertIntervalMs
}

/** True if the deliveries of the last hour make the channel `failing`, by the shared definition of channel health. */
async function isFailing(
  { tagId, scriptId }: PendingAlert,
  { snapshots, store, clock }: Pick<AlertDeps, 'snapshots' | 'store' | 'clock'>,
): Promise<boolean> {
  const teamId = snapshots.get(tagId)?.teamId
  if (teamId === undefined) return false
  const now = clock.now()
  const range = { from: now - hourMs, to: now + 1, step: 'hour', scriptId } as const
  const { byScript } = await store.queries(teamId).stats(tagId, range)
  const lastHour = { ...endedOf(byScript[0]?.counts ?? {}), runs: 0, failedRuns: 0 }
  return healthOf({ state: 'ok', lastHour, waiting: 0, now }) === 'failing'
}

/** Writes an alert with its audit row and the pending notifications of hooks. Does nothing for a deleted tag. */
async function writeAlert(
  { kind, tagId, scriptId, reason, count, since }: PendingAlert,
  deps: AlertDeps,
): Promise<void> {
  const teamId = deps.snapshots.get(tagId)?.teamId
  if (teamId === undefined) return
  const at = deps.clock.now()
  const row: AlertRecord = { alertId: newId('alert', at), teamId, kind, tagId, scriptId, reason, count, since, at }
  const hooks = await findHooks('alert', teamId, deps)
  const after = { tagId, reason, count, since }
  await deps.store.write([
    { add: 'alert', row, hookIds: hooks.map(({ hookId }) => hookId) },
    { add: 'audit', row: { at, by: 'aglet', what: alertEventType(kind), teamId, object: scriptId, after } },
  ])
  deps.log({
    level: kind === 'paused' || kind === 'failing' || kind === 'dead' ? 'warn' : 'info',
    message: alertEventType(kind),
    teamId,
    scriptId,
    ...after,
  })
}
