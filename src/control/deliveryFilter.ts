import type { TeamAccess } from '#account/teamAccess.ts'
import { badRequest } from '#contract/fault.ts'
import { orderHash } from '#event/orderHash.ts'
import { requireScopes } from '#http/authorizeCall.ts'
import { defined } from '#kit/defined.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { TagRecord } from '#store/store.ts'
import { customerUserId } from '#user/customer.ts'
import type { ControlDeps } from './controlDeps.ts'

/** The filters in the query of a list, of statistics or of a stream. */
type DeliveryFilterQuery = {
  status?: NonNullable<DeliveryFilter['statuses']>
  reason?: NonNullable<DeliveryFilter['reasons']>
  scriptId?: string
  eventName?: string
  userId?: string
  httpStatus?: readonly number[]
  from?: number
  to?: number
}

/** The filter of a query. */
export const toDeliveryFilter = (query: DeliveryFilterQuery): DeliveryFilter => {
  const { status: statuses, reason: reasons, httpStatus: httpStatuses, from: fromMs, to: toMs } = query
  const { scriptId, eventName, userId } = query
  return defined({ statuses, reasons, httpStatuses, fromMs, toMs, scriptId, eventName, userId })
}

/** The ids of the users with a customer id, and the id that its events have while no device of the customer is known. */
const usersOfCustomer = async (deps: Pick<ControlDeps, 'profiles' | 'keys'>, tag: TagRecord, customerId: string) => [
  ...new Set([
    ...(await deps.profiles.byCustom(tag, 'customerId', customerId)),
    customerUserId(tag, customerId, deps.keys),
  ]),
]

/** The filter of a list of rows. Personal filters need the scope to read people. Throws scopeMissing, badRequest. */
export async function toRowFilter(
  deps: Pick<ControlDeps, 'profiles' | 'keys'>,
  { tag, access }: { tag: TagRecord; access: TeamAccess },
  { orderId, customerId, ...query }: DeliveryFilterQuery & { orderId?: string; customerId?: string },
): Promise<DeliveryFilter> {
  const filter = toDeliveryFilter(query)
  if (orderId === undefined && customerId === undefined) return filter
  requireScopes(['user:read'], access)
  if (orderId !== undefined && customerId !== undefined)
    throw badRequest({ path: 'customerId', message: 'cannot be combined with orderId' })
  const hash = orderHash(tag, orderId, deps.keys)
  return {
    ...filter,
    ...(hash && { orderHash: hash }),
    ...(customerId !== undefined && { people: await usersOfCustomer(deps, tag, customerId) }),
  }
}
