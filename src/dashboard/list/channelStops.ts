import type { Alert } from '#contract/alert.ts'

/** What a page knows about stopped channels: the alerts it has read, and the stops since it was opened. */
export type ChannelStops = { readIds: ReadonlySet<string>; open: readonly Alert[] }

const channelOf = ({ tagId, scriptId }: Alert) => `${tagId} ${scriptId}`

/**
 * The stops after one more read of the alerts, newest first. The alerts of the first read happened before the page was
 * opened, so none of them is open. A channel that resumes or recovers is no longer open.
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

/** The stops that one read added. */
export const addedStops = (before: ChannelStops | undefined, after: ChannelStops): readonly Alert[] =>
  after.open.filter(({ alertId }) => !before?.open.some((alert) => alert.alertId === alertId))
