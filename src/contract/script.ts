import { reasons } from './deliveryStatus.ts'
import { type Operation, pageQuery } from './operation.ts'
import { providerIds } from './providerIds.ts'
import { NotLive, revisionFields } from './revision.ts'
import { ruleFields, ruleWriteFields } from './rule/ruleFields.ts'
import { EpochMs, Name, Nullable, OptionalFlag, OptionalTime, type Static, Type } from './schema.ts'

export const secretTypes = ['TEXT', 'PASSWORD', 'IDENTIFIER', 'CHECKBOX'] as const
export type SecretType = (typeof secretTypes)[number]

/** The consent categories: a script requires one, and a user grants them. */
export const consentCategories = ['necessary', 'advertising', 'analytics', 'functional'] as const
export type ConsentCategory = (typeof consentCategories)[number]

/** A secret in a script's write body, sealed by scheme SE1 (docs/secret-entries.md). */
export const SecretEntry = Type.Object({
  variable: Type.String({ minLength: 1, maxLength: 100 }),
  type: Type.String({ minLength: 1, maxLength: 100, documented: { enum: [...secretTypes] } }),
  optional: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  data: Type.String({ maxLength: 2_000_000, documented: { pattern: '^[A-Za-z0-9_-]+$' } }),
  iv: Type.String({ maxLength: 100, documented: { pattern: '^[A-Za-z0-9_-]{16}$' } }),
  key: Type.String({ maxLength: 2_000, documented: { pattern: '^[^.]+\\.[A-Za-z0-9_-]+$' } }),
  salt: Nullable(Type.String({ maxLength: 100, documented: { pattern: '^[A-Za-z0-9_-]{22,86}$' } })),
})
export type SecretEntry = Static<typeof SecretEntry>

/** A secret in a script's response. Never contains the value of a sensitive variable. */
export const SecretState = Type.Object({
  secretId: Type.Optional(Type.String()),
  value: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  isSet: Type.Optional(Type.Boolean()),
  setAt: OptionalTime('when the value was set, epoch ms'),
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
  consentCategory: Nullable(Type.String({ maxLength: 100, documented: { enum: [...consentCategories] } })),
  geoRegions: Nullable(
    Type.String({
      maxLength: 10_000,
      description: 'ISO 3166 codes, EU and EEA, separated by commas; a leading - excludes: `EU,US,-US-CA`',
      documented: { pattern: '^(-?[A-Z]{2,3}(-[A-Z0-9]{1,3})?)(, *-?[A-Z]{2,3}(-[A-Z0-9]{1,3})?)*$' },
    }),
  ),
  purchaseValueMode: Nullable(ValueMode),
  ...ruleWriteFields,
  secrets: Nullable(Type.Array(SecretEntry, { maxItems: 100 })),
})
export type ScriptWrite = Static<typeof ScriptWrite>

/** The fields of a script to change. An absent field stays unchanged, null resets it. */
export const ScriptPatch = Type.Object({
  name: Type.Optional(Name),
  shouldDeploy: ScriptWrite.properties.shouldDeploy,
  consentCategory: ScriptWrite.properties.consentCategory,
  geoRegions: ScriptWrite.properties.geoRegions,
  purchaseValueMode: ScriptWrite.properties.purchaseValueMode,
  ...ruleWriteFields,
  secrets: ScriptWrite.properties.secrets,
})
export type ScriptPatch = Static<typeof ScriptPatch>

const WebhookUrl = Type.Optional(
  Type.String({
    format: 'uri',
    description: 'the URL at which other systems call a webhook; absent for other providers',
  }),
)

export const Script = Type.Object({
  scriptId: Type.String(),
  name: Type.String(),
  providerId: Type.Enum([...providerIds]),
  createdAt: Type.String({ format: 'date' }),
  consentCategory: Type.Optional(Type.String()),
  geoRegions: Type.Optional(Type.String()),
  purchaseValueMode: ValueMode,
  ...ruleFields,
  paused: OptionalFlag('its deliveries wait until the script is resumed'),
  stopped: Type.Optional(
    Type.Object(
      {
        reason: Type.Enum([...reasons]),
        since: EpochMs(),
        nextAt: EpochMs({ description: 'when one delivery is tried again, epoch ms' }),
      },
      { description: 'deliveries wait, because the vendor rejects the key or is down' },
    ),
  ),
  isDraft: OptionalFlag('the saved script differs from the live one, or is not live'),
  webhookUrl: WebhookUrl,
  notLive: NotLive,
  secrets: Type.Optional(Type.Record(Type.String(), SecretState)),
  ...revisionFields,
})
export type Script = Static<typeof Script>

/** How the rules of a write affect the tag's last events. */
const Affected = Type.Optional(
  Type.Object(
    {
      events: Type.Integer({ description: 'how many of the last 1,000 events of the tag were read' }),
      before: Type.Integer({ description: 'how many of them the channel gets with the rules that were saved before' }),
      after: Type.Integer({ description: 'how many it gets with the rules of this write' }),
    },
    { description: 'if the write changes rules; needs event:read' },
  ),
)

export const WrittenScript = Type.Object({
  scriptId: Type.String(),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'what was accepted and may be a mistake: a host that does not resolve, a webhook that anybody can call, a field that does not exist, a filter that no event fulfils',
    }),
  ),
  webhookUrl: WebhookUrl,
  affected: Affected,
  notLive: NotLive,
})
export type WrittenScript = Static<typeof WrittenScript>
const PausedScript = Type.Object({
  scriptId: Type.String(),
  paused: Type.Boolean(),
})

export const scriptOperations = {
  createScript: {
    method: 'POST',
    path: '/script',
    summary: 'Creates a script, which connects a provider to a tag',
    access: ['script:write'],
    body: ScriptWrite,
    response: WrittenScript,
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
    summary: 'Lists the saved scripts of a tag',
    access: ['script:read'],
    query: Type.Object({ tagId: Type.String(), ...pageQuery.properties }),
    response: Type.Object({ scripts: Type.Array(Script), next: Type.Optional(Type.String()) }),
    faults: ['tagUnknown'],
  },
  readScript: {
    method: 'GET',
    path: '/script/{scriptId}',
    summary: 'Reads a saved script',
    access: ['script:read'],
    response: Script,
    faults: ['scriptOrTagNotFound'],
  },
  updateScript: {
    method: 'PUT',
    path: '/script/{scriptId}',
    summary:
      'Replaces the settings of a script and publishes them; secrets that are not listed, and rules that are absent, stay unchanged',
    access: ['script:write'],
    takesVersion: true,
    body: ScriptWrite,
    response: WrittenScript,
    faults: ['scriptOrTagNotFound', 'providerNotAvailable', 'secretRefused', 'hookFailed'],
  },
  patchScript: {
    method: 'PATCH',
    path: '/script/{scriptId}',
    summary:
      'Changes the fields of a script that it names, and publishes only them; a script that is not live stays a draft',
    access: ['script:write'],
    takesVersion: true,
    body: ScriptPatch,
    response: WrittenScript,
    faults: ['scriptOrTagNotFound', 'providerNotAvailable', 'secretRefused', 'hookFailed'],
  },
  deleteScript: {
    method: 'DELETE',
    path: '/script/{scriptId}',
    summary: 'Deletes a script and removes it from the live tag',
    access: ['script:delete'],
    takesVersion: true,
    response: Type.Object({ errors: Type.Array(Type.String()) }),
    faults: ['scriptNotFound'],
  },
  pauseScript: {
    method: 'POST',
    path: '/script/{scriptId}/pause',
    summary: 'Pauses a script: its deliveries wait',
    access: ['script:write'],
    response: PausedScript,
    faults: ['scriptOrTagNotFound'],
  },
  resumeScript: {
    method: 'POST',
    path: '/script/{scriptId}/resume',
    summary: 'Resumes a paused script; waiting deliveries are sent first',
    access: ['script:write'],
    response: PausedScript,
    faults: ['scriptOrTagNotFound'],
  },
} as const satisfies Record<string, Operation>
