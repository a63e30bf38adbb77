import { longPageQuery, type Operation } from './operation.ts'
import { EpochMs, OptionalText, OptionalTime, type Static, Type } from './schema.ts'

const State = Type.Record(Type.String(), Type.Unknown())

/** One change of an object of a team. */
export const AuditEntry = Type.Object({
  at: EpochMs({ description: 'epoch ms' }),
  by: Type.String({
    description: 'the id of a token or a person, `operator`, or `aglet` for a change of the state of a channel',
  }),
  what: Type.String({
    description:
      'the operation, such as updateScript; updateMember.refused when the caller lacked a right that it would give; or a change of the state of a channel, such as channel.paused',
  }),
  object: OptionalText('the id of the changed object'),
  from: OptionalText('the IP address of the caller'),
  before: Type.Optional(State),
  after: Type.Optional(State),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditList = Type.Object({ entries: Type.Array(AuditEntry), next: Type.Optional(Type.String()) })

/** The search fields of the audit. */
export const auditFilter = {
  by: Type.Optional(Type.String({ maxLength: 200, description: 'only changes of this token or person' })),
  what: Type.Optional(Type.String({ maxLength: 200, description: 'only this operation' })),
  object: Type.Optional(Type.String({ maxLength: 500, description: 'only changes of the object with this id' })),
  from: OptionalTime('changes at or after this time, epoch ms'),
  to: OptionalTime('changes before this time, epoch ms'),
}

export const auditOperations = {
  listAudit: {
    method: 'GET',
    path: '/audit',
    summary:
      'Lists the changes of the team’s objects, newest first: caller, operation, state before and after, IP address',
    access: ['audit:read'],
    query: Type.Object({ ...longPageQuery.properties, ...auditFilter }),
    response: AuditList,
  },
} as const satisfies Record<string, Operation>
