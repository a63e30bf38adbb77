import { type Operation, page } from './operation.ts'
import { type Static, Type } from './schema.ts'

const fields = Type.Array(Type.String(), {
  description: 'names of what differs, such as geoRegions or secrets.API_KEY',
})

/** How a deployment differs from the one before it. */
export const DeploymentChanges = Type.Object({
  settings: fields,
  scripts: Type.Array(
    Type.Object({
      scriptId: Type.String(),
      name: Type.String(),
      change: Type.Enum(['added', 'changed', 'removed']),
      fields,
    }),
  ),
})
export type DeploymentChanges = Static<typeof DeploymentChanges>

/** An immutable, numbered state of a tag that is or was live. */
export const Deployment = Type.Object({
  number: Type.Integer(),
  at: Type.Number({ description: 'epoch ms' }),
  by: Type.String({ description: 'the id of a token or a person, or `operator`' }),
  isLive: Type.Boolean(),
  activates: Type.Optional(Type.Integer({ description: 'the older deployment whose content this one has' })),
  changes: DeploymentChanges,
})
export type Deployment = Static<typeof Deployment>
export const DeploymentList = Type.Object({ deployments: Type.Array(Deployment), next: Type.Optional(Type.String()) })

const tagId = Type.Object({ tagId: Type.String() })

export const deploymentRows = {
  deployTag: {
    method: 'POST',
    path: '/tag/{tagId}/deploy',
    summary: 'Publishes the tag and its scripts as they are saved, drafts included',
    access: ['deploy'],
    teamHeader: true,
    params: tagId,
    gives: Deployment,
    faults: ['tagUnknown', 'hookFailed'],
  },
  listDeployments: {
    method: 'GET',
    path: '/tag/{tagId}/deployment',
    summary: 'What was live when, newest first: who deployed it and what changed',
    access: ['tag:read'],
    teamHeader: true,
    params: tagId,
    query: page,
    gives: DeploymentList,
    faults: ['tagUnknown'],
  },
  activateDeployment: {
    method: 'POST',
    path: '/tag/{tagId}/deployment/{number}/activate',
    summary: 'Makes an older deployment live again, as a new one; what is saved stays as it is',
    access: ['deploy'],
    teamHeader: true,
    params: Type.Object({ tagId: Type.String(), number: Type.Integer() }),
    gives: Deployment,
    faults: ['tagUnknown', 'deploymentUnknown', 'hookFailed'],
  },
} as const satisfies Record<string, Operation>
