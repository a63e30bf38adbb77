import { auditFilter } from './audit.ts'
import { deliveryQuery } from './delivery.ts'
import { commaList, ExportFormatField, type Operation } from './operation.ts'
import { CellField } from './order.ts'
import { Type } from './schema.ts'

const ExportedRow = Type.Record(Type.String(), Type.Unknown())

export const exportOperations = {
  exportTag: {
    method: 'GET',
    path: '/tag/{tagId}/export',
    summary:
      'Streams every event, delivery, order or consent that matches the filter as a CSV or NDJSON file, newest first',
    access: ['event:read'],
    query: Type.Object({
      of: Type.Enum(['event', 'delivery', 'order', 'consent', 'userConsent'], {
        description:
          'with order:read, `order`: a row for each order and channel, by `from`, `to`, `scriptId` and `cell` · for an auditor, with user:read: `consent`: each event that carries a consent, with its proof · `userConsent`: the last answer of each visitor, with its proof, by `from` and `to` of the answer and by `userId` alone. Erased visitors are in neither',
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
    query: Type.Object({ format: ExportFormatField, ...auditFilter }),
    response: ExportedRow,
    isExport: true,
  },
} as const satisfies Record<string, Operation>
