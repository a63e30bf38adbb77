import type { WorkLeases } from '#cluster/cluster.ts'
import type { Clock } from '#kit/clock.ts'
import { repeatEvery } from '#kit/repeatEvery.ts'
import { openTeamTurns } from '#kit/teamTurns.ts'
import type { Store } from '#store/store.ts'
import { openIncidentBook } from './incidentBook.ts'
import { createRuleEvaluator, type RuleDeps } from './ruleEvaluator.ts'
import { type ContactTurns, type IncidentSendDeps, sendDueIncidents } from './sendIncidents.ts'
import { sendingLimits } from './sendNotifications.ts'

export type AlertWatchDeps = IncidentSendDeps &
  RuleDeps & {
    clock: Clock
    leases: Pick<WorkLeases, 'holds'>
    store: Pick<Store, 'write' | 'team' | 'tags' | 'incidents'>
  }

const sendEveryMs = 1_000
const watchEveryMs = 15_000
/**
 * Time to wait after a takeover, so that the messages of the previous process are sent and written before this one
 * reads them.
 */
const takeoverMs = 10_000
const keptMs = 90 * 86_400_000
const dropEveryMs = 3_600_000
const watchingLimits = { parallel: 4, parallelPerLane: 1, maxPerLane: 1, maxPerKey: 1 }
/** Evaluates the alert rules of all teams and sends their messages. Only one process does so at a time. */
export function openAlertWatch(deps: AlertWatchDeps): { stop(): Promise<void> } {
  const { clock, log, store } = deps
  const book = openIncidentBook(deps)
  const stopping = new AbortController()
  const evaluateTeam = createRuleEvaluator(deps, book, stopping.signal)
  const failedTo = (what: string) => (error: unknown) => log({ level: 'error', message: `could not ${what}`, error })
  const watching = openTeamTurns(watchingLimits, failedTo('evaluate alert rules'))
  const sending: ContactTurns = {
    turns: openTeamTurns(sendingLimits, failedTo('send alerts')),
    rests: new Map(),
    running: new Set(),
  }
  let heldSince: number | undefined
  let watchedAt = Number.NEGATIVE_INFINITY
  let droppedAt = Number.NEGATIVE_INFINITY

  async function evaluateAll(): Promise<void> {
    const now = clock.now()
    if (watchedAt <= now && now < watchedAt + watchEveryMs) return
    watchedAt = now
    const byTeam = Map.groupBy(await store.incidents.allRules(), ({ teamId }) => teamId)
    for (const { teamId } of book.all()) if (!byTeam.has(teamId)) byTeam.set(teamId, [])
    for (const [teamId, rules] of byTeam)
      if (!watching.isBusy(teamId))
        watching.start(teamId, { lane: teamId, key: teamId }, () => evaluateTeam(teamId, rules))
    if (droppedAt <= now && now < droppedAt + dropEveryMs) return
    droppedAt = now
    await store.write([{ alerting: { drop: 'incidents', before: now - keptMs } }])
  }
  /** Writes what was sent, so that the next process does not send it again. */
  async function giveUp(): Promise<void> {
    heldSince = undefined
    if (book.isLoaded()) await book.flush()
    if (sending.running.size === 0) book.clear()
  }
  async function watch(): Promise<void> {
    if (!(await deps.leases.holds('alerts'))) return giveUp()
    heldSince ??= clock.now()
    if (Math.abs(clock.now() - heldSince) < takeoverMs && !book.isLoaded()) return
    if (!book.isLoaded()) await book.load()
    await book.flush()
    await evaluateAll()
    sendDueIncidents(book, sending, deps)
  }
  const loop = repeatEvery(sendEveryMs, 'watch alert rules', watch, deps, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await loop
      await Promise.all([watching.stop(), sending.turns.stop()])
      await book.flush().catch(failedTo('write incidents'))
    },
  }
}
