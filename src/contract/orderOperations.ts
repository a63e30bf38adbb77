import { TimeMs } from './deliveryFilters.ts'
import { commaList, longPageQuery, type Operation } from './operation.ts'
import {
  CellField,
  Order,
  OrderList,
  OrderRepair,
  OrderRepairWrite,
  OrderReport,
  OrderResult,
  OrderRow,
  OrderScope,
  reportIntervals,
} from './order.ts'
import { Type } from './schema.ts'

const timeRange = {
  from: Type.Optional(
    Type.Integer({ ...TimeMs, description: 'orders placed at or after this time, epoch ms (30 days ago)' }),
  ),
  to: Type.Optional(Type.Integer({ ...TimeMs, description: 'orders placed before this time, epoch ms (now)' })),
}
const scriptId = Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'only this channel' }))

export const orderOperations = {
  putOrders: {
    method: 'POST',
    path: '/tag/{tagId}/order',
    summary: 'Adds or updates orders of the shop; the same call again changes nothing',
    access: ['order:write'],
    body: OrderList,
    response: Type.Object({ rows: Type.Array(OrderResult) }),
    faults: ['tagUnknown'],
  },
  listOrders: {
    method: 'GET',
    path: '/tag/{tagId}/order',
    summary:
      'Lists the orders of a tag, newest first, and their cell in each channel; a page may have fewer rows than the limit and still a next',
    access: ['order:read'],
    query: Type.Object({
      ...timeRange,
      scriptId,
      cell: Type.Optional(commaList(CellField, 'one of these cells, in scriptId or in any channel')),
      ...longPageQuery.properties,
    }),
    response: Type.Object({ orders: Type.Array(OrderRow), next: Type.Optional(Type.String()) }),
    isQuery: true,
    faults: ['tagUnknown'],
  },
  readOrder: {
    method: 'GET',
    path: '/tag/{tagId}/order/{orderId}',
    summary: 'An order by its id or an alias, with all its events and deliveries',
    access: ['order:read'],
    response: Order,
    isQuery: true,
    faults: ['tagUnknown', 'orderUnknown'],
  },
  readReconciliation: {
    method: 'GET',
    path: '/tag/{tagId}/reconciliation',
    summary: 'The orders of a time range by channel: each expected order is in one cell of each channel',
    access: ['order:read'],
    query: Type.Object({
      ...timeRange,
      interval: Type.Optional(Type.Enum([...reportIntervals], { description: 'the interval of the series (day)' })),
      scriptId,
    }),
    response: OrderReport,
    isQuery: true,
    faults: ['tagUnknown'],
  },
  setReconciliation: {
    method: 'PUT',
    path: '/tag/{tagId}/reconciliation',
    summary: 'Sets which orders are expected and how they are compared; absent fields get their defaults',
    access: ['order:write'],
    body: OrderScope,
    response: OrderScope,
    faults: ['tagUnknown', 'hookFailed'],
  },
  repairOrders: {
    method: 'POST',
    path: '/tag/{tagId}/reconciliation/repair',
    summary: 'Sends what is missing: failed deliveries again, and a Purchase of orders without an event',
    access: ['order:write', 'replay:write'],
    body: OrderRepairWrite,
    response: OrderRepair,
    isQuery: true,
    faults: ['tagUnknown', 'tooManyReplays'],
  },
} as const satisfies Record<string, Operation>
