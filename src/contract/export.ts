import { auditFilter } from './audit.ts'
import { deliveryQuery } from './delivery.ts'
import { TagParams } from './deliveryFilters.ts'
import { commaList, ExportFormatField, type Operation } from './operation.ts'
import { CellField } from './order.ts'
import { Type } from './schema.ts'

const ExportedRow = Type.Record(Type.String(), Type.Unknown())

export const exportOperations = {
  exportTag: {
    method: 'GET',
    path: '/tag/{tagId}/export',
    summary: 'Streams every event, delivery or order that matches the filter as a CSV or NDJSON file, newest first',
    access: ['event:read'],
    teamHeader: true,
    params: TagParams,
    query: Type.Object({
      of: Type.Enum(['event', 'delivery', 'order'], {
        description:
          '`order` also needs order:read: a row for each order and channel; its filters are from, to, scriptId and cell',
      }),
      cell: Type.Optional(commaList(CellField, 'of orders: one of these cells')),
      format: ExportFormatField,
      ...deliveryQuery,
    }),
    response: ExportedRow,
    isExport: true,
    isQuery: true,
    faults: ['tagUnknown'],
  },
  exportAudit: {
    method: 'GET',
    path: '/audit/export',
    summary: 'Streams every change of the team’s objects that matches the filter as a CSV or NDJSON file, newest first',
    access: ['audit:read'],
    teamHeader: true,
    query: Type.Object({ format: ExportFormatField, ...auditFilter }),
    response: ExportedRow,
    isExport: true,
    faults: [],
  },
} as const satisfies Record<string, Operation>
