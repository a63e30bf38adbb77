import { type Operation, page } from './operation.ts'
import { type Static, Type } from './schema.ts'

const State = Type.Record(Type.String(), Type.Unknown())

/** One change of something of a team. */
export const AuditEntry = Type.Object({
  at: Type.Integer({ description: 'epoch ms' }),
  by: Type.String({ description: 'the id of a token or a person, `operator`, or `aglet` for what befell a channel' }),
  what: Type.String({
    description:
      'the operation, such as updateScript, or updateMember.refused where the caller lacked what it gives; or what befell a channel, such as channel.paused',
  }),
  object: Type.Optional(Type.String({ description: 'the id of what was changed' })),
  from: Type.Optional(Type.String({ description: 'the address that the call came from' })),
  before: Type.Optional(State),
  after: Type.Optional(State),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditList = Type.Object({ entries: Type.Array(AuditEntry), next: Type.Optional(Type.String()) })

export const auditRows = {
  listAudit: {
    method: 'GET',
    path: '/audit',
    summary: 'Every change of what belongs to the team, newest first: who, what, before and after, from where',
    access: ['audit:read'],
    teamHeader: true,
    query: page,
    gives: AuditList,
    faults: [],
  },
} as const satisfies Record<string, Operation>
