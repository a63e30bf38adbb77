import { callHook } from '#script/hook.ts'
import type { AlertRecord, AlertSending } from '#store/alerts.ts'
import { type AlertWorld, whatOf } from './world.ts'

const second = 1_000
const minute = 60 * second
/** How long after a try in vain the next is made; after the last it is given up. */
export const againMs: readonly number[] = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, 60 * minute]
const atOnce = 20

type Due = AlertRecord & { sending: AlertSending }

/** Tells the hooks whose time has come, all at once. */
export async function sendDue(on: AlertWorld): Promise<void> {
  const due = await on.store.alerts.due(on.clock.now(), atOnce)
  await Promise.all(due.map(async (each) => on.store.alerts.settle(each.alertId, await send(each, on))))
}

async function send({ sending, ...alert }: Due, on: AlertWorld): Promise<AlertSending> {
  const { hookId } = sending
  const tries = sending.tries + 1
  const hook = await on.store.hook(hookId)
  if (!hook) return { hookId, status: 'failed', tries, message: 'The hook was removed.' }
  const script = on.snapshots.get(alert.tagId)?.scripts.find(({ scriptId }) => scriptId === alert.scriptId)
  const { kind, ...data } = alert
  const channel = script && { name: script.name, providerId: script.providerId }
  const message = await callHook(hook, { id: alert.alertId, type: whatOf(kind), data: { ...data, ...channel } }, on)
  if (message === undefined) return { hookId, status: 'sent', tries }
  const wait = againMs[sending.tries]
  return wait === undefined
    ? { hookId, status: 'failed', tries, message }
    : { hookId, status: 'pending', tries, message, nextAt: on.clock.now() + wait }
}
