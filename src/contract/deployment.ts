import { type Operation, pageQuery } from './operation.ts'
import { ValueChange } from './revision.ts'
import { EpochMs, OptionalInteger, type Static, Type } from './schema.ts'

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
  activates: OptionalInteger('the older deployment whose content this one has'),
  changes: DeploymentChanges,
})
export type Deployment = Static<typeof Deployment>

/** The differences between two states of a tag, with the values. */
export const DeploymentValues = Type.Object({
  settings: Type.Array(ValueChange),
  scripts: Type.Array(
    Type.Object({
      scriptId: Type.String(),
      name: Type.String(),
      providerId: Type.String(),
      change: Type.Enum(['added', 'changed', 'removed']),
      values: Type.Array(ValueChange),
    }),
  ),
})
export type DeploymentValues = Static<typeof DeploymentValues>

export const DeploymentDetail = Type.Object({ ...Deployment.properties, values: DeploymentValues })
export type DeploymentDetail = Static<typeof DeploymentDetail>
export const Draft = Type.Object({
  live: Type.Integer({ description: 'the number of the live deployment' }),
  values: DeploymentValues,
})
export type Draft = Static<typeof Draft>

const ofDeployment = Type.Object({ tagId: Type.String(), number: Type.Integer() })

export const deploymentOperations = {
  deployTag: {
    method: 'POST',
    path: '/tag/{tagId}/deploy',
    summary: 'Publishes the saved tag and its scripts, drafts included',
    access: ['deploy'],
    response: Deployment,
    faults: ['tagUnknown', 'hookFailed'],
  },
  listDeployments: {
    method: 'GET',
    path: '/tag/{tagId}/deployment',
    summary: 'Lists the deployments of a tag, newest first, with their author and their changes',
    access: ['tag:read'],
    query: pageQuery,
    response: Type.Object({ deployments: Type.Array(Deployment), next: Type.Optional(Type.String()) }),
    faults: ['tagUnknown'],
  },
  readDeployment: {
    method: 'GET',
    path: '/tag/{tagId}/deployment/{number}',
    summary: 'A deployment with each value that it changed, before and after; for secrets, only the version',
    access: ['tag:read', 'script:read'],
    params: ofDeployment,
    response: DeploymentDetail,
    faults: ['tagUnknown', 'deploymentUnknown'],
  },
  readDraft: {
    method: 'GET',
    path: '/tag/{tagId}/draft',
    summary: 'What a deployment of the saved tag and scripts would change now, with each value before and after',
    access: ['tag:read', 'script:read'],
    response: Draft,
    faults: ['tagUnknown'],
  },
  discardDraft: {
    method: 'DELETE',
    path: '/tag/{tagId}/draft',
    summary:
      'Sets the saved tag and scripts, or one script, back to what is live; a script that is not live stays as it is',
    access: ['tag:read', 'tag:write', 'script:read', 'script:write'],
    query: Type.Object({ scriptId: Type.Optional(Type.String({ maxLength: 100, description: 'only this script' })) }),
    response: Draft,
    faults: ['tagUnknown', 'scriptOrTagNotFound', 'nameTaken'],
  },
  activateDeployment: {
    method: 'POST',
    path: '/tag/{tagId}/deployment/{number}/activate',
    summary: 'Makes an older deployment live again as a new deployment; saved drafts do not change',
    access: ['deploy'],
    params: ofDeployment,
    response: Deployment,
    faults: ['tagUnknown', 'deploymentUnknown', 'hookFailed'],
  },
} as const satisfies Record<string, Operation>
