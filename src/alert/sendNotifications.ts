import { callHook } from '#script/hook.ts'
import type { AlertNotification, AlertRecord } from '#store/alerts.ts'
import { type AlertDeps, alertEventType } from './alertDeps.ts'

const second = 1_000
const minute = 60 * second
/** The delay of each retry after a failed try. After the last one the notification is given up. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  60 * minute,
]
const notificationsPerPoll = 20

type DueNotification = AlertRecord & { sending: AlertNotification }

/** Sends the due notifications concurrently. */
export async function sendDueNotifications(deps: AlertDeps): Promise<void> {
  const due = await deps.store.alerts.due(deps.clock.now(), notificationsPerPoll)
  await Promise.all(due.map(async (each) => deps.store.alerts.settle(each.alertId, await sendNotification(each, deps))))
}

async function sendNotification({ sending, ...alert }: DueNotification, deps: AlertDeps): Promise<AlertNotification> {
  const { hookId } = sending
  const tries = sending.tries + 1
  const hook = await deps.store.hook(hookId)
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
