import { Application } from './account.ts'
import type { Operation } from './operation.ts'
import { PolicyUrl, policyTypes } from './policy.ts'
import { EpochMs, Nullable, type Static, Type } from './schema.ts'
import { patterns } from './schemaPatterns.ts'
import { Team, TeamWrite } from './team.ts'

/** An application that waits for approval, with its team. */
export const PendingApplication = Type.Object({
  ...Application.properties,
  teamId: Type.String(),
  teamName: Type.String(),
})
export type PendingApplication = Static<typeof PendingApplication>

/** A published version of a policy. */
export const PublishedPolicy = Type.Object({
  policyType: Type.Enum([...policyTypes]),
  version: Type.String(),
  required: Type.Boolean({ description: 'whether a team must accept the latest version before it creates a script' }),
  publishedAt: EpochMs(),
  url: Type.Optional(PolicyUrl),
  isLatest: Type.Boolean({ description: 'whether it is the latest version of its type' }),
})
export type PublishedPolicy = Static<typeof PublishedPolicy>

const PolicyWrite = Type.Object({
  policyType: Type.Enum([...policyTypes]),
  version: Type.String({
    pattern: patterns.version,
    description: '1 to 100 letters, digits, dots and dashes, such as 2026-11',
  }),
  required: Type.Boolean(),
  url: Nullable(PolicyUrl),
})

/** The state of the server. */
export const ServerHealth = Type.Object({
  version: Type.String(),
  isReady: Type.Boolean(),
  checks: Type.Record(Type.String(), Type.String(), { description: 'the result of each readiness check, by name' }),
  advice: Type.Array(Type.String(), { description: 'what the operator should change' }),
})
export type ServerHealth = Static<typeof ServerHealth>

/** A setting of the server, as it is in effect. */
export const ServerSetting = Type.Object({
  name: Type.String({ description: 'the environment variable' }),
  value: Type.String({ description: 'as text; empty if it is not set' }),
  isHidden: Type.Boolean({ description: 'a secret: the value shows only whether it is set' }),
  help: Type.String(),
})
export type ServerSetting = Static<typeof ServerSetting>

export const operatorOperations = {
  listTeams: {
    access: 'operator',
    method: 'GET',
    path: '/operator/team',
    summary: 'Lists every team of the environment, oldest first; for the operator',
    response: Type.Object({ teams: Type.Array(Team) }),
  },
  createTeam: {
    access: 'operator',
    method: 'POST',
    path: '/operator/team',
    summary: 'Creates a team; for the operator',
    body: TeamWrite,
    response: Team,
  },
  listPendingApplications: {
    access: 'operator',
    method: 'GET',
    path: '/operator/application',
    summary: 'Lists the applications of all teams that wait for approval, oldest first; for the operator',
    response: Type.Object({ applications: Type.Array(PendingApplication) }),
  },
  approvePendingApplication: {
    access: 'operator',
    method: 'POST',
    path: '/operator/application/{applicationId}/approve',
    summary: 'Approves an application of any team, so that it can get tokens; for the operator',
    response: Application,
    faults: ['applicationUnknown'],
  },
  listPublishedPolicies: {
    access: 'operator',
    method: 'GET',
    path: '/operator/policy',
    summary: 'Lists the published versions of policies, in the order of publication; for the operator',
    response: Type.Object({ policies: Type.Array(PublishedPolicy) }),
  },
  publishPolicy: {
    access: 'operator',
    method: 'POST',
    path: '/operator/policy',
    summary: 'Publishes a version of a policy, which becomes the latest of its type; for the operator',
    body: PolicyWrite,
    response: PublishedPolicy,
  },
  readHealth: {
    access: 'operator',
    method: 'GET',
    path: '/operator/health',
    summary: 'The version and the readiness checks of the server, with advice; for the operator',
    response: ServerHealth,
  },
  readSettings: {
    access: 'operator',
    method: 'GET',
    path: '/operator/settings',
    summary: 'The settings of the server, without secrets; for the operator',
    response: Type.Object({ settings: Type.Array(ServerSetting) }),
  },
} as const satisfies Record<string, Operation>
