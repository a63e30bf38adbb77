import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'

export type FunnelPart = { status: DeliveryStatus; reason?: DeliveryReason | undefined; count: number }

const funnelGroups = ['delivered', 'notSent', 'waiting', 'failed'] as const
export type FunnelGroup = (typeof funnelGroups)[number]

const groupOf: Record<DeliveryStatus, FunnelGroup> = {
  delivered: 'delivered',
  simulated: 'delivered',
  skipped: 'notSent',
  held: 'waiting',
  pending: 'waiting',
  refused: 'failed',
  dead: 'failed',
}

type FunnelRow = { group: FunnelGroup; count: number; parts: FunnelPart[] }

/** The number of failed deliveries, and the share of finished deliveries that succeeded; undefined if none finished. */
export function endOf(parts: readonly FunnelPart[]): { failed: number; rate: number | undefined } {
  const sumOf = (group: FunnelGroup) =>
    parts.reduce((sum, { status, count }) => sum + (groupOf[status] === group ? count : 0), 0)
  const [delivered, failed] = [sumOf('delivered'), sumOf('failed')]
  return { failed, rate: delivered + failed > 0 ? delivered / (delivered + failed) : undefined }
}

/** The parts of a funnel by outcome, largest first. The counts add up to those of the parts. */
export const funnelRows = (parts: readonly FunnelPart[]): FunnelRow[] =>
  funnelGroups.map((group) => {
    const own = parts.filter(({ status }) => groupOf[status] === group).sort((one, other) => other.count - one.count)
    return { group, count: own.reduce((sum, { count }) => sum + count, 0), parts: own }
  })
