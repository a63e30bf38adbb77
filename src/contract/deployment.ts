import { type Operation, pageQuery } from './operation.ts'
import { EpochMs, type Static, Type } from './schema.ts'

const fields = Type.Array(Type.String(), {
  description: 'the names of the changed fields, such as geoRegions or secrets.API_KEY',
})

/** The differences between a deployment and the previous one. */
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
  at: EpochMs({ description: 'epoch ms' }),
  by: Type.String({ description: 'the id of a token or a person, or `operator`' }),
  isLive: Type.Boolean(),
  activates: Type.Optional(Type.Integer({ description: 'the older deployment whose content this one has' })),
  changes: DeploymentChanges,
})
export type Deployment = Static<typeof Deployment>
export const DeploymentList = Type.Object({ deployments: Type.Array(Deployment), next: Type.Optional(Type.String()) })

const tagId = Type.Object({ tagId: Type.String() })

export const deploymentOperations = {
  deployTag: {
    method: 'POST',
    path: '/tag/{tagId}/deploy',
    summary: 'Publishes the saved tag and its scripts, drafts included',
    access: ['deploy'],
    teamHeader: true,
    params: tagId,
    response: Deployment,
    faults: ['tagUnknown', 'hookFailed'],
  },
  listDeployments: {
    method: 'GET',
    path: '/tag/{tagId}/deployment',
    summary: 'Lists the deployments of a tag, newest first, with their author and their changes',
    access: ['tag:read'],
    teamHeader: true,
    params: tagId,
    query: pageQuery,
    response: DeploymentList,
    faults: ['tagUnknown'],
  },
  activateDeployment: {
    method: 'POST',
    path: '/tag/{tagId}/deployment/{number}/activate',
    summary: 'Makes an older deployment live again as a new deployment; saved drafts do not change',
    access: ['deploy'],
    teamHeader: true,
    params: Type.Object({ tagId: Type.String(), number: Type.Integer() }),
    response: Deployment,
    faults: ['tagUnknown', 'deploymentUnknown', 'hookFailed'],
  },
} as const satisfies Record<string, Operation>
