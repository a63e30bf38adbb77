import type { TeamKeys } from '#account/teamKeys.ts'

type Tag = { tagId: string; teamId: string }
type Keys = { team(teamId: string): Pick<TeamKeys, 'customFingerprint'> }

/** The keyed fingerprint by which the events of an order are found, in hex. Undefined if the value is no order id. */
export function orderHash({ tagId, teamId }: Tag, orderId: unknown, keys: Keys): string | undefined {
  if ((typeof orderId !== 'string' && typeof orderId !== 'number') || orderId === '') return undefined
  return keys.team(teamId).customFingerprint(tagId, 'event order', String(orderId))
}
