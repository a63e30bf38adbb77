import type { FairQueueLimits } from '#kit/fairQueue.ts'
import type { TeamTurns } from '#kit/teamTurns.ts'
import { callHook } from '#script/hook.ts'
import type { AlertNotification, AlertRecord } from '#store/alerts.ts'
import type { HookRecord } from '#store/store.ts'
import { type AlertDeps, alertEventType } from './alertDeps.ts'

const second = 1_000
const minute = 60 * second
/** The delay before each retry. After the last one the notification has failed. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  60 * minute,
]
const notificationsPerPoll = 500
const notificationsPerTeam = 16
/**
 * An address that does not answer takes five seconds, which must not delay the team's other addresses or other teams.
 */
export const sendingLimits: FairQueueLimits = {
  parallel: 64,
  parallelPerLane: 4,
  parallelPerKey: 2,
  maxPerLane: notificationsPerTeam,
  maxPerKey: notificationsPerTeam,
}

type DueNotification = AlertRecord & { sending: AlertNotification }

/** Starts to send the due notifications; the teams take turns. */
export async function sendDueNotifications(deps: AlertDeps, turns: TeamTurns): Promise<void> {
  for (const each of await deps.store.alerts.due(deps.clock.now(), notificationsPerPoll, notificationsPerTeam)) {
    const { hookId } = each.sending
    const name = `${each.alertId} ${hookId}`
    if (turns.isBusy(name)) continue
    const hook = await deps.store.hook(hookId)
    const address = hook && URL.canParse(hook.url) ? new URL(hook.url).host : hookId
    turns.start(name, { lane: each.teamId, key: address }, async () =>
      deps.store.alerts.settle(each.alertId, await sendNotification(each, hook, deps)),
    )
  }
}

async function sendNotification(
  { sending, ...alert }: DueNotification,
  hook: HookRecord | undefined,
  deps: AlertDeps,
): Promise<AlertNotification> {
  const { hookId } = sending
  const tries = sending.tries + 1
  if (!hook) return { hookId, status: 'failed', tries, message: 'The hook was removed.' }
  const script = deps.snapshots.get(alert.tagId)?.scripts.find(({ scriptId }) => scriptId === alert.scriptId)
  const { kind, ...data } = alert
  const channel = script && { name: script.name, providerId: script.providerId }
  const message = await callHook(
    hook,
    { id: alert.alertId, type: alertEventType(kind), data: { ...data, ...channel } },
    deps,
  )
  if (message === undefined) return { hookId, status: 'sent', tries }
  const wait = retryDelaysMs[sending.tries]
  return wait === undefined
    ? { hookId, status: 'failed', tries, message }
    : { hookId, status: 'pending', tries, message, nextAt: deps.clock.now() + wait }
}
