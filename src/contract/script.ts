import { type Operation, page } from './operation.ts'
import { providerIds } from './providerIds.ts'
import { Name, Nullable, type Static, Type } from './schema.ts'

export const secretTypes = ['TEXT', 'PASSWORD', 'IDENTIFIER', 'CHECKBOX'] as const
export type SecretType = (typeof secretTypes)[number]

/** A consent category of the product: what a script asks for, and what a user grants. */
export const consentCategories = ['necessary', 'advertising', 'analytics', 'functional'] as const
export type ConsentCategory = (typeof consentCategories)[number]

/** Sent when a script is written; sealed by scheme SE1 (docs/secret-entries.md). */
export const SecretEntry = Type.Object({
  variable: Type.String({ minLength: 1, maxLength: 100 }),
  type: Type.String({ minLength: 1, maxLength: 100 }),
  optional: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  data: Type.String({ maxLength: 2_000_000 }),
  iv: Type.String({ maxLength: 100 }),
  key: Type.String({ maxLength: 2_000 }),
  salt: Nullable(Type.String({ maxLength: 100 })),
})
export type SecretEntry = Static<typeof SecretEntry>

/** Shown when a script is read: never the value of a sensitive variable. */
export const SecretState = Type.Object({
  secretId: Type.Optional(Type.String()),
  value: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  isSet: Type.Optional(Type.Boolean()),
  optional: Type.Optional(Type.Boolean()),
})
export type SecretState = Static<typeof SecretState>

export const ValueMode = Type.Enum(['gross', 'net'])
export type ValueMode = 'gross' | 'net'

export const ScriptWrite = Type.Object({
  name: Name,
  providerId: Type.Enum([...providerIds]),
  tagId: Type.String({ minLength: 1, maxLength: 100 }),
  shouldDeploy: Nullable(Type.Boolean()),
  consentCategory: Nullable(Type.String({ maxLength: 100 })),
  geoRegions: Nullable(Type.String({ maxLength: 10_000 })),
  purchaseValueMode: Nullable(ValueMode),
  secrets: Nullable(Type.Array(SecretEntry, { maxItems: 100 })),
})
export type ScriptWrite = Static<typeof ScriptWrite>

export const Script = Type.Object({
  scriptId: Type.String(),
  name: Type.String(),
  providerId: Type.Enum([...providerIds]),
  createdAt: Type.String({ format: 'date' }),
  consentCategory: Type.Optional(Type.String()),
  geoRegions: Type.Optional(Type.String()),
  purchaseValueMode: ValueMode,
  paused: Type.Optional(Type.Boolean({ description: 'its deliveries wait until it is resumed' })),
  isDraft: Type.Optional(Type.Boolean({ description: 'what is saved is not live, or not as it is saved' })),
  secrets: Type.Optional(Type.Record(Type.String(), SecretState)),
})
export type Script = Static<typeof Script>

export const ScriptWritten = Type.Object({ scriptId: Type.String() })
export const ScriptDeleted = Type.Object({ errors: Type.Array(Type.String()) })
export const ScriptList = Type.Object({ scripts: Type.Array(Script), next: Type.Optional(Type.String()) })
export const ScriptPaused = Type.Object({
  scriptId: Type.String(),
  paused: Type.Boolean(),
  errors: Type.Array(Type.String(), { description: 'deploy hooks that objected; they are told, they do not stop it' }),
})

const scriptId = Type.Object({ scriptId: Type.String() })

export const scriptRows = {
  createScript: {
    method: 'POST',
    path: '/script',
    summary: 'Binds a provider to a tag',
    access: ['script:write'],
    teamHeader: true,
    body: ScriptWrite,
    gives: ScriptWritten,
    faults: [
      'tagNotFound',
      'providerNotAvailable',
      'policyNotAccepted',
      'secretRefused',
      'nameTaken',
      'providerIsSingleton',
      'hookFailed',
      'tooManyScripts',
    ],
  },
  listScripts: {
    method: 'GET',
    path: '/script',
    summary: 'The scripts of a tag, as saved',
    access: ['script:read'],
    teamHeader: true,
    query: Type.Object({ tagId: Type.String(), ...page.properties }),
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
    faults: ['scriptOrTagNotFound', 'providerNotAvailable', 'secretRefused', 'hookFailed'],
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
  pauseScript: {
    method: 'POST',
    path: '/script/{scriptId}/pause',
    summary: 'Lets the deliveries of a script wait',
    access: ['script:write'],
    teamHeader: true,
    params: scriptId,
    gives: ScriptPaused,
    faults: ['scriptOrTagNotFound'],
  },
  resumeScript: {
    method: 'POST',
    path: '/script/{scriptId}/resume',
    summary: 'Lets the deliveries of a paused script go on, those that waited first',
    access: ['script:write'],
    teamHeader: true,
    params: scriptId,
    gives: ScriptPaused,
    faults: ['scriptOrTagNotFound'],
  },
} as const satisfies Record<string, Operation>
