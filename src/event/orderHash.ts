import type { TeamKeys } from '#account/teamKeys.ts'
import { normalOrderId } from '#contract/orderId.ts'

type Tag = { tagId: string; teamId: string }
type Keys = { team(teamId: string): Pick<TeamKeys, 'customFingerprint'> }

/** The keyed fingerprint to look up the events of an order, in hex. Undefined if the value is not an order id. */
export function orderHash({ tagId, teamId }: Tag, orderId: unknown, keys: Keys): string | undefined {
  if ((typeof orderId !== 'string' && typeof orderId !== 'number') || orderId === '') return undefined
  const id = normalOrderId(String(orderId))
  return id === '' ? undefined : keys.team(teamId).customFingerprint(tagId, 'event order', id)
}
