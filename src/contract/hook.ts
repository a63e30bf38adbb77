import { type Operation, page } from './operation.ts'
import { type Static, Type } from './schema.ts'

export const HookWrite = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2_000, description: 'an https address that answers within 5 s' }),
})
export type HookWrite = Static<typeof HookWrite>

/** An address that is asked before a deployment of the team goes live. */
export const Hook = Type.Object({
  hookId: Type.String(),
  url: Type.String(),
  createdAt: Type.String({ format: 'date' }),
})
export type Hook = Static<typeof Hook>
export const HookMade = Type.Object({
  hookId: Type.String(),
  url: Type.String(),
  secret: Type.String({ description: 'whsec_…: what requests are signed with; shown this once' }),
})
export const HookList = Type.Object({ hooks: Type.Array(Hook), next: Type.Optional(Type.String()) })
export const HookDeleted = Type.Object({ hookId: Type.String() })

export const hookRows = {
  createHook: {
    method: 'POST',
    path: '/hook',
    summary: 'Registers an address that is asked, by a signed POST, before a deployment of the team goes live',
    access: ['hook:write'],
    teamHeader: true,
    body: HookWrite,
    gives: HookMade,
    faults: ['tooManyHooks'],
  },
  listHooks: {
    method: 'GET',
    path: '/hook',
    summary: 'The deploy hooks of the team',
    access: ['hook:write'],
    teamHeader: true,
    query: page,
    gives: HookList,
    faults: [],
  },
  deleteHook: {
    method: 'DELETE',
    path: '/hook/{hookId}',
    summary: 'Removes a deploy hook',
    access: ['hook:write'],
    teamHeader: true,
    params: Type.Object({ hookId: Type.String() }),
    gives: HookDeleted,
    faults: ['hookUnknown'],
  },
} as const satisfies Record<string, Operation>
