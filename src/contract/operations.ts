import { accountRows } from './account.ts'
import { alertRows } from './alert.ts'
import { auditRows } from './audit.ts'
import { deliveryRows } from './delivery.ts'
import { deploymentRows } from './deployment.ts'
import type { FaultName } from './fault.ts'
import { hookRows } from './hook.ts'
import { callers, EventList, Journey } from './journey.ts'
import { Manifest } from './manifest.ts'
import { Jwks, Me } from './me.ts'
import { type Operation, page } from './operation.ts'
import { policyRows } from './policy.ts'
import { previewRows } from './preview.ts'
import { replayRows } from './replay.ts'
import { type Static, type TSchema, Type } from './schema.ts'
import { scriptRows } from './script.ts'
import { sessionRows } from './session.ts'
import { simulateRows } from './simulate.ts'
import { tagRows } from './tag.ts'
import { userRows } from './userRecord.ts'

export type { Operation }

const tagId = Type.Object({ tagId: Type.String() })
const event = Type.Object({ tagId: Type.String(), eventId: Type.String() })
const me = {
  method: 'GET',
  summary: 'Who the token is: its team, scopes and tags, and the key that secrets are sealed for',
  access: [],
  teamHeader: false,
  gives: Me,
  faults: [],
} as const

/** The control API, one row per operation. Router, OpenAPI document, typed client and tests are read from it. */
export const operations = {
  ...scriptRows,
  ...tagRows,
  ...deploymentRows,
  ...hookRows,
  ...alertRows,
  ...replayRows,
  listEvents: {
    method: 'GET',
    path: '/tag/{tagId}/event',
    summary: 'The events of a tag that were planned, newest first',
    access: ['event:read'],
    teamHeader: true,
    params: tagId,
    query: page,
    gives: EventList,
    isQuery: true,
    faults: ['tagUnknown'],
  },
  readEvent: {
    method: 'GET',
    path: '/tag/{tagId}/event/{eventId}',
    summary: 'The journey of an event: each delivery with its attempts and its reason',
    access: ['event:read'],
    teamHeader: true,
    params: event,
    query: Type.Object({
      caller: Type.Optional(
        Type.Enum([...callers], {
          description: 'whose event, where a trusted and an untrusted caller used the same eventId (the trusted one)',
        }),
      ),
    }),
    gives: Journey,
    faults: ['tagUnknown', 'eventUnknown'],
  },
  ...deliveryRows,
  ...previewRows,
  ...simulateRows,
  ...userRows,
  ...policyRows,
  ...auditRows,
  ...accountRows,
  ...sessionRows,
  readManifest: {
    method: 'GET',
    path: '/manifest',
    summary: 'The versions, hosts, providers and plugins there are',
    access: ['manifest:read'],
    teamHeader: true,
    gives: Manifest,
    maxAgeS: 0,
    faults: [],
  },
  readMe: { ...me, path: '/me' },
  readUserMe: { ...me, path: '/user/me' },
  readKeys: {
    method: 'GET',
    path: '/jwks.json',
    summary: 'The public keys that secret entries are sealed for: the active one first, then the next',
    access: 'public',
    teamHeader: false,
    gives: Jwks,
    maxAgeS: 300,
    faults: [],
  },
  readOpenapi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description',
    access: 'public',
    teamHeader: false,
    gives: Type.Record(Type.String(), Type.Unknown()),
    maxAgeS: 300,
    faults: [],
  },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof operations
export const operationIds = Object.keys(operations) as OperationId[]

/** What an operation takes, checked: `Taken<Row, 'params'>`, `'query'` or `'body'`; nothing is `unknown`. */
export type Taken<O, Part extends 'params' | 'query' | 'body'> = O extends { [K in Part]: infer S extends TSchema }
  ? Static<S>
  : unknown
export type Given<O extends Operation> = Static<O['gives']>

/** Every fault of an operation: those that follow from what its row asks for, then its own. */
export function faultsOf({ method, access, teamHeader, query, body, isQuery, faults }: Operation): FaultName[] {
  const scopes = typeof access === 'string' ? undefined : access
  const follow: (FaultName | false)[] = [
    scopes !== undefined && 'tokenMissing',
    scopes !== undefined && 'tokenRefused',
    access === 'session' && 'sessionMissing',
    access === 'session' && 'sessionRefused',
    'tooManyRequests',
    teamHeader && 'teamIdMissing',
    teamHeader && 'teamRefused',
    scopes !== undefined && scopes.length > 0 && 'scopeMissing',
    isQuery === true && 'tooManyQueries',
    isQuery === true && 'queryTooSlow',
    method !== 'GET' && 'overloaded',
    body !== undefined && 'bodyTooLarge',
    body !== undefined && 'contentTypeRefused',
    body !== undefined && 'jsonBroken',
    (body !== undefined || query !== undefined) && 'badRequest',
  ]
  return [...follow.filter((each) => each !== false), ...faults, 'internal']
}
