import { type Operation, page } from './operation.ts'
import { type Static, Type } from './schema.ts'

/** What an address is registered for. */
export const hookKinds = ['deploy', 'alert'] as const
export type HookKind = (typeof hookKinds)[number]

export const HookWrite = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2_000, description: 'an https address that answers within 5 s' }),
  kind: Type.Optional(
    Type.Enum([...hookKinds], {
      description:
        'deploy: is asked before a deployment goes live (default); alert: is told when a channel pauses, dies or recovers',
    }),
  ),
})
export type HookWrite = Static<typeof HookWrite>

/** An address of the team that is asked before a deployment goes live, or told of its channels. */
export const Hook = Type.Object({
  hookId: Type.String(),
  kind: Type.Enum([...hookKinds]),
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
    summary: 'Registers an address that is asked before a deployment, or told of channels, by a signed POST',
    access: ['hook:write'],
    teamHeader: true,
    body: HookWrite,
    gives: HookMade,
    faults: ['tooManyHooks'],
  },
  listHooks: {
    method: 'GET',
    path: '/hook',
    summary: 'The hooks of the team',
    access: ['hook:write'],
    teamHeader: true,
    query: page,
    gives: HookList,
    faults: [],
  },
  deleteHook: {
    method: 'DELETE',
    path: '/hook/{hookId}',
    summary: 'Removes a hook',
    access: ['hook:write'],
    teamHeader: true,
    params: Type.Object({ hookId: Type.String() }),
    gives: HookDeleted,
    faults: ['hookUnknown'],
  },
} as const satisfies Record<string, Operation>
