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

/** How many deliveries failed, and the share that was delivered of those that ended; undefined where none ended. */
export function endOf(parts: readonly FunnelPart[]): { failed: number; rate: number | undefined } {
  const sumOf = (group: FunnelGroup) =>
    parts.reduce((sum, { status, count }) => sum + (groupOf[status] === group ? count : 0), 0)
  const [delivered, failed] = [sumOf('delivered'), sumOf('failed')]
  return { failed, rate: delivered + failed > 0 ? delivered / (delivered + failed) : undefined }
}

/** The parts of a funnel by outcome, the largest part of each first. Their counts add up to that of the parts. */
export const funnelRows = (parts: readonly FunnelPart[]): FunnelRow[] =>
  funnelGroups.map((group) => {
    const own = parts.filter(({ status }) => groupOf[status] === group).sort((one, other) => other.count - one.count)
    return { group, count: own.reduce((sum, { count }) => sum + count, 0), parts: own }
  })
