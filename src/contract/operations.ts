import type { FaultName } from './fault.ts'
import { EventList, Journey } from './journey.ts'
import { Manifest } from './manifest.ts'
import { Jwks, Me } from './me.ts'
import { type Static, type TObject, type TSchema, Type } from './schema.ts'
import type { Scope } from './scopes.ts'
import { Script, ScriptDeleted, ScriptList, ScriptWrite, ScriptWritten } from './script.ts'
import { Tag, TagList, TagWrite } from './tag.ts'

/** One call of the control API: who may make it, what it takes and gives, and the faults of its own. */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `/script/{scriptId}`; what stands in braces is a member of `params`. */
  path: string
  summary: string
  /** The scopes the token must have, all of them; none asks for any good token, `public` for no token at all. */
  access: 'public' | readonly Scope[]
  /** Whether the call names its team in `Team-Id`. */
  teamHeader: boolean
  params?: TObject
  query?: TObject
  body?: TSchema
  /** What a 200 holds. */
  gives: TSchema
  /** Where set, the answer has an ETag and may be kept for so long; otherwise it is not stored at all. */
  maxAgeS?: number
  /** What can go wrong besides what goes wrong everywhere (see `faultsOf`). */
  faults: readonly FaultName[]
}

const scriptId = Type.Object({ scriptId: Type.String() })
const tagId = Type.Object({ tagId: Type.String() })
const event = Type.Object({ tagId: Type.String(), eventId: Type.String() })
const page = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 1000, description: '`next` of the page before' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
})
const pageOfTag = Type.Object({ ...tagId.properties, ...page.properties })
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
  createScript: {
    method: 'POST',
    path: '/script',
    summary: 'Binds a provider to a tag',
    access: ['script:write'],
    teamHeader: true,
    body: ScriptWrite,
    gives: ScriptWritten,
    faults: ['tagNotFound', 'providerNotAvailable', 'secretRefused', 'nameTaken', 'providerIsSingleton'],
  },
  listScripts: {
    method: 'GET',
    path: '/script',
    summary: 'The scripts of a tag, as saved',
    access: ['script:read'],
    teamHeader: true,
    query: pageOfTag,
    gives: ScriptList,
    faults: ['tagUnknown'],
  },
  readScript: {
    method: 'GET',
    path: '/script/{scriptId}',
    summary: 'A script, as saved',
    access: ['script:read'],
    teamHeader: true,
    params: scriptId,
    gives: Script,
    faults: ['scriptOrTagNotFound'],
  },
  updateScript: {
    method: 'PUT',
    path: '/script/{scriptId}',
    summary: 'Replaces the settings of a script; secrets that are not listed stay',
    access: ['script:write'],
    teamHeader: true,
    params: scriptId,
    body: ScriptWrite,
    gives: ScriptWritten,
    faults: ['scriptOrTagNotFound', 'providerNotAvailable', 'secretRefused'],
  },
  deleteScript: {
    method: 'DELETE',
    path: '/script/{scriptId}',
    summary: 'Deletes a script and takes it off the edge',
    access: ['script:delete'],
    teamHeader: true,
    params: scriptId,
    gives: ScriptDeleted,
    faults: ['scriptNotFound'],
  },
  createTag: {
    method: 'POST',
    path: '/tag',
    summary: 'Makes a tag: one website or app, with an event endpoint of its own',
    access: ['tag:write'],
    teamHeader: true,
    body: TagWrite,
    gives: Tag,
    faults: ['nameTaken'],
  },
  listTags: {
    method: 'GET',
    path: '/tag',
    summary: 'The tags of the team',
    access: ['tag:read'],
    teamHeader: true,
    query: page,
    gives: TagList,
    faults: [],
  },
  readTag: {
    method: 'GET',
    path: '/tag/{tagId}',
    summary: 'A tag',
    access: ['tag:read'],
    teamHeader: true,
    params: tagId,
    gives: Tag,
    faults: ['tagUnknown'],
  },
  listEvents: {
    method: 'GET',
    path: '/tag/{tagId}/event',
    summary: 'The events of a tag that were planned, newest first',
    access: ['event:read'],
    teamHeader: true,
    params: tagId,
    query: page,
    gives: EventList,
    faults: ['tagUnknown'],
  },
  readEvent: {
    method: 'GET',
    path: '/tag/{tagId}/event/{eventId}',
    summary: 'The journey of an event: each delivery with its attempts and its reason',
    access: ['event:read'],
    teamHeader: true,
    params: event,
    gives: Journey,
    faults: ['tagUnknown', 'eventUnknown'],
  },
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
export function faultsOf({ access, teamHeader, query, body, faults }: Operation): FaultName[] {
  const follow: (FaultName | false)[] = [
    access !== 'public' && 'tokenMissing',
    access !== 'public' && 'tokenRefused',
    teamHeader && 'teamIdMissing',
    teamHeader && 'teamRefused',
    access !== 'public' && access.length > 0 && 'scopeMissing',
    body !== undefined && 'bodyTooLarge',
    body !== undefined && 'contentTypeRefused',
    body !== undefined && 'jsonBroken',
    (body !== undefined || query !== undefined) && 'badRequest',
  ]
  return [...follow.filter((each) => each !== false), ...faults, 'internal']
}
