import type { Alert } from '#contract/alert.ts'

/** What a page knows of stopped channels: the alerts that it has read, and the stops since it was opened. */
export type ChannelStops = { readIds: ReadonlySet<string>; open: readonly Alert[] }

const channelOf = ({ tagId, scriptId }: Alert) => `${tagId} ${scriptId}`

/**
 * The stops after one more reading of the alerts, newest first. The first reading tells what happened before the page was
 * opened, so nothing of it is open. A channel that goes on or recovers is not open any more.
 */
export function channelStops(before: ChannelStops | undefined, alerts: readonly Alert[]): ChannelStops {
  const readIds = new Set([...(before?.readIds ?? []), ...alerts.map(({ alertId }) => alertId)])
  if (before === undefined) return { readIds, open: [] }
  const open = new Map(before.open.map((alert) => [channelOf(alert), alert]))
  const fresh = alerts.filter(({ alertId }) => !before.readIds.has(alertId))
  for (const alert of [...fresh].reverse())
    if (alert.kind === 'paused') open.set(channelOf(alert), alert)
    else if (alert.kind === 'resumed' || alert.kind === 'recovered') open.delete(channelOf(alert))
  return { readIds, open: [...open.values()] }
}

/** The stops that one reading added. */
export const addedStops = (before: ChannelStops | undefined, after: ChannelStops): readonly Alert[] =>
  after.open.filter(({ alertId }) => !before?.open.some((alert) => alert.alertId === alertId))
