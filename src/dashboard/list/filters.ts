import { type DeliveryReason, type DeliveryStatus, reasons, statuses } from '#contract/deliveryStatus.ts'
import type { Query } from '#dashboard/addresses.ts'

/** The filter of a list of events or deliveries, as the control API takes it. */
export type ApiFilter = {
  eventName?: string
  userId?: string
  orderId?: string
  customerId?: string
  scriptId?: string
  status?: DeliveryStatus[]
  reason?: DeliveryReason[]
  httpStatus?: number[]
  from?: number
  to?: number
}

const listOf = (text: string | undefined) => text?.split(',').filter(Boolean) ?? []

/** The known values of a comma-separated list; unknown ones are ignored. */
export const knownOf = <Value extends string>(text: string | undefined, known: readonly Value[]): Value[] =>
  listOf(text).filter((each): each is Value => (known as readonly string[]).includes(each))

/** Parses a time of an address: epoch ms or ISO 8601. */
export function timeOf(text: string | undefined): number | undefined {
  if (!text) return undefined
  const ms = /^\d{1,13}$/.test(text) ? Number(text) : Date.parse(text)
  return Number.isFinite(ms) ? ms : undefined
}

/** The filters that name a person. */
export const personFilters = ['visitor', 'order', 'customer'] as const
/** The names of the filters that a list reads from its address. */
export const filterNames = ['name', 'status', 'reason', 'channel', 'http', ...personFilters, 'from', 'to'] as const

/** The filter of the control API for the query of an address. */
export function apiFilterOf(query: Query): ApiFilter {
  const status = knownOf(query.status, statuses)
  const reason = knownOf(query.reason, reasons)
  const httpStatus = listOf(query.http)
    .map(Number)
    .filter((each) => Number.isInteger(each) && each >= 100 && each <= 599)
  const [from, to] = [timeOf(query.from), timeOf(query.to)]
  return {
    ...(query.name && { eventName: query.name }),
    ...(query.visitor && { userId: query.visitor }),
    ...(query.order && { orderId: query.order }),
    ...(query.customer && { customerId: query.customer }),
    ...(query.channel && { scriptId: query.channel }),
    ...(status.length > 0 && { status }),
    ...(reason.length > 0 && { reason }),
    ...(httpStatus.length > 0 && { httpStatus }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
}

/** Whether a replay supports all filters of the query; otherwise it would send more than the list shows. */
export const isReplayable = (query: Query) => !['reason', 'http', ...personFilters].some((name) => Boolean(query[name]))

export const hasFilter = (query: Query) => filterNames.some((name) => Boolean(query[name]))

/** The query without its filters. */
export const withoutFilters = (query: Query): Query =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !(filterNames as readonly string[]).includes(name)))

/** Adds a value to a comma-separated list of the query, or removes it; an empty list is absent. */
export function toggled(text: string | undefined, value: string): string | undefined {
  const values = listOf(text)
  const next = values.includes(value) ? values.filter((each) => each !== value) : [...values, value]
  return next.length > 0 ? next.join(',') : undefined
}
