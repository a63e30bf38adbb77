import { type Operation, pageQuery } from './operation.ts'
import { type Static, Type } from './schema.ts'

/** The purposes of a hook. */
const hookKinds = ['deploy', 'alert'] as const
export type HookKind = (typeof hookKinds)[number]

const HookWrite = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'an https address that answers within 5 s',
    documented: { format: 'uri', pattern: '^https://[^#@\\s]+$' },
  }),
  kind: Type.Optional(
    Type.Enum([...hookKinds], {
      description:
        'deploy: called before a deployment goes live, which it can refuse (default); alert: called when a channel pauses, dies or recovers',
    }),
  ),
})

/** A URL of the team that is called before a deployment goes live, or for an alert about a channel. */
export const Hook = Type.Object({
  hookId: Type.String(),
  kind: Type.Enum([...hookKinds]),
  url: Type.String({ format: 'uri' }),
  createdAt: Type.String({ format: 'date' }),
})
export type Hook = Static<typeof Hook>
const CreatedHook = Type.Object({
  hookId: Type.String(),
  url: Type.String({ format: 'uri' }),
  secret: Type.String({ description: 'whsec_…: signs the requests; shown only once' }),
})

export const hookOperations = {
  createHook: {
    method: 'POST',
    path: '/hook',
    summary: 'Registers an address that gets a signed POST before a deployment, or for each alert',
    access: ['hook:write'],
    body: HookWrite,
    response: CreatedHook,
    faults: ['tooManyHooks'],
  },
  listHooks: {
    method: 'GET',
    path: '/hook',
    summary: 'Lists the hooks of the team',
    access: ['hook:read'],
    formerAccess: ['hook:write'],
    query: pageQuery,
    response: Type.Object({ hooks: Type.Array(Hook), next: Type.Optional(Type.String()) }),
  },
  deleteHook: {
    method: 'DELETE',
    path: '/hook/{hookId}',
    summary: 'Removes a hook',
    access: ['hook:write'],
    response: Type.Object({ hookId: Type.String() }),
    faults: ['hookUnknown'],
  },
} as const satisfies Record<string, Operation>
