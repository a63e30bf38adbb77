import { accountOperations } from './account.ts'
import { alertOperations } from './alert.ts'
import { alertRuleOperations } from './alertRule.ts'
import { auditOperations } from './audit.ts'
import { channelOperations } from './channel.ts'
import { contactPointOperations } from './contactPoint.ts'
import { deliveryOperations } from './delivery.ts'
import { deploymentOperations } from './deployment.ts'
import { exportOperations } from './export.ts'
import type { FaultName } from './fault.ts'
import { hookOperations } from './hook.ts'
import { intakeOperations } from './intake.ts'
import { journeyOperations } from './journey.ts'
import { liveOperations } from './live.ts'
import { Manifest } from './manifest.ts'
import { matchOperations } from './matchQuality.ts'
import { Jwks, Me } from './me.ts'
import { needsTeam } from './needsTeam.ts'
import type { Operation } from './operation.ts'
import { operatorOperations } from './operator.ts'
import { orderOperations } from './orderOperations.ts'
import { policyOperations } from './policy.ts'
import { previewOperations } from './preview.ts'
import { previewLinkOperations } from './previewLink.ts'
import { replayOperations } from './replay.ts'
import { type Static, type TObject, type TSchema, Type } from './schema.ts'
import { scriptOperations } from './script.ts'
import { sessionOperations } from './session.ts'
import { simulateOperations } from './simulate.ts'
import { statsOperations } from './stats.ts'
import { tagOperations } from './tag.ts'
import { tagConfigOperations } from './tagConfig.ts'
import { teamOperations } from './team.ts'
import { testOperations } from './testEvent.ts'
import { userOperations } from './userRecord.ts'
import { runOperations } from './webhookRun.ts'

export type { Operation }

const me = {
  method: 'GET',
  summary:
    'The team, scopes and tags of the caller, and the key for sealing secrets; a signed-in person sends Team-Id, a token need not',
  access: [],
  isTeamOptional: true,
  response: Me,
  faults: ['teamIdMissing', 'teamRefused'],
} as const

/** The control API, one row for each operation. Router, OpenAPI document, typed client and tests derive from it. */
export const operations = {
  ...scriptOperations,
  ...runOperations,
  ...tagOperations,
  ...tagConfigOperations,
  ...deploymentOperations,
  ...hookOperations,
  ...alertOperations,
  ...alertRuleOperations,
  ...contactPointOperations,
  ...replayOperations,
  ...orderOperations,
  ...journeyOperations,
  ...deliveryOperations,
  ...statsOperations,
  ...channelOperations,
  ...matchOperations,
  ...intakeOperations,
  ...liveOperations,
  ...exportOperations,
  ...previewOperations,
  ...simulateOperations,
  ...testOperations,
  ...previewLinkOperations,
  ...userOperations,
  ...policyOperations,
  ...auditOperations,
  ...accountOperations,
  ...sessionOperations,
  ...teamOperations,
  ...operatorOperations,
  readManifest: {
    method: 'GET',
    path: '/manifest',
    summary: 'The available versions, hosts, providers and plugins',
    access: ['manifest:read'],
    response: Manifest,
    maxAgeS: 0,
  },
  readMe: { ...me, path: '/me' },
  readUserMe: { ...me, path: '/user/me' },
  readKeys: {
    method: 'GET',
    path: '/jwks.json',
    summary: 'The public keys for sealing secret entries: the active one first, then the next',
    access: 'public',
    response: Jwks,
    maxAgeS: 300,
  },
  readOpenapi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This OpenAPI document',
    access: 'public',
    response: Type.Record(Type.String(), Type.Unknown()),
    maxAgeS: 300,
  },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof operations
export const operationIds = Object.keys(operations) as OperationId[]

/** The names in braces of a path. */
type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
type PathInput<O> = O extends { path: `${string}{${string}` } ? { [Name in NamesIn<O['path']>]: string } : unknown

/** The validated type of one part of an operation's input. `unknown` if the operation has no such part. */
export type OperationInput<O, Part extends 'params' | 'query' | 'body'> = O extends {
  [K in Part]: infer S extends TSchema
}
  ? Static<S>
  : Part extends 'params'
    ? PathInput<O>
    : unknown
export type OperationResponse<O extends Operation> = Static<O['response']>

/** The schema of the names in an operation's path; undefined for a path without names. */
export function paramsOf({ path, params }: Operation): TObject | undefined {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, Type.String()] as const)
  return params ?? (names.length > 0 ? Type.Object(Object.fromEntries(names)) : undefined)
}

/** Every fault of an operation: those that follow from its row, then its own. */
export function faultsOf(operation: Operation): FaultName[] {
  const { method, access, query, body, isQuery, takesVersion, faults = [] } = operation
  const isOfTeam = needsTeam(operation)
  const scopes = typeof access === 'string' ? undefined : access
  const derived: (FaultName | false)[] = [
    scopes !== undefined && 'tokenMissing',
    scopes !== undefined && 'tokenRefused',
    scopes === undefined && access !== 'public' && 'sessionMissing',
    access !== 'public' && 'sessionRefused',
    access === 'operator' && 'operatorRequired',
    'tooManyRequests',
    isOfTeam && 'teamIdMissing',
    isOfTeam && 'teamRefused',
    scopes !== undefined && scopes.length > 0 && 'scopeMissing',
    isQuery === true && 'tooManyQueries',
    isQuery === true && 'queryTooSlow',
    'databaseAway',
    method !== 'GET' && 'databaseReadOnly',
    method !== 'GET' && 'commitUnknown',
    method !== 'GET' && 'overloaded',
    body !== undefined && 'bodyTooLarge',
    body !== undefined && 'contentTypeRefused',
    body !== undefined && 'jsonBroken',
    (body !== undefined || query !== undefined || takesVersion === true) && 'badRequest',
    takesVersion === true && 'changedMeanwhile',
  ]
  return [...derived.filter((each) => each !== false), ...faults, 'internal']
}
