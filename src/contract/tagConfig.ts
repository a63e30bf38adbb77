import type { Operation } from './operation.ts'
import { Nullable, type Static, Type } from './schema.ts'
import { ScriptWrite } from './script.ts'
import { TagUpdate } from './tag.ts'

const Id = Type.String({ minLength: 1, maxLength: 100 })
const { tagId: _, shouldDeploy: __, ...scriptFields } = ScriptWrite.properties

/** A script of a configuration. With `scriptId`, it replaces the settings of that script; without, it is a new script. */
export const TagConfigScript = Type.Object({ scriptId: Type.Optional(Id), ...scriptFields })
export type TagConfigScript = Static<typeof TagConfigScript>

/** Changes to one tag and its scripts that are applied together. */
export const TagConfigWrite = Type.Object({
  tagId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'the tag; absent for a new one, which needs `name` and `domain` in `tag`',
    }),
  ),
  tag: Type.Optional(TagUpdate),
  scripts: Type.Optional(Type.Array(TagConfigScript, { maxItems: 500 })),
  removedScriptIds: Type.Optional(Type.Array(Id, { maxItems: 500, description: 'the scripts to delete' })),
  shouldDeploy: Nullable(Type.Boolean({ description: 'false: the scripts are saved and not deployed' })),
})
export type TagConfigWrite = Static<typeof TagConfigWrite>

export const TagConfigCheck = Type.Object({
  ...TagConfigWrite.properties,
  newTags: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'how many tags the caller creates before this one; they count towards the limit of tags',
    }),
  ),
})
export type TagConfigCheck = Static<typeof TagConfigCheck>

const warnings = Type.Array(Type.String(), {
  description: 'accepted, but may stop deliveries: a host that does not resolve',
})
const WrittenTagConfig = Type.Object({
  tagId: Type.String(),
  scripts: Type.Array(Type.Object({ scriptId: Type.String(), name: Type.String() })),
  warnings,
  errors: Type.Array(Type.String(), { description: 'errors of deploy hooks that could not stop the change' }),
})
const CheckedTagConfig = Type.Object({
  warnings,
  missingScopes: Type.Array(Type.String(), { description: 'the scopes that the caller lacks to make these changes' }),
})

const faults = [
  'tagUnknown',
  'scriptOrTagNotFound',
  'providerNotAvailable',
  'policyNotAccepted',
  'secretRefused',
  'nameTaken',
  'providerIsSingleton',
  'tooManyTags',
  'tooManyScripts',
] as const

export const tagConfigOperations = {
  applyTagConfig: {
    method: 'POST',
    path: '/config',
    summary:
      'Changes a tag and its scripts together, in one deployment: all of it, or nothing when something is refused',
    access: ['tag:write', 'script:write'],
    body: TagConfigWrite,
    response: WrittenTagConfig,
    faults: [...faults, 'hookFailed'],
  },
  checkTagConfig: {
    method: 'POST',
    path: '/config/check',
    summary: 'Checks such changes and refuses what POST /config would refuse; asks no deploy hook and changes nothing',
    access: ['tag:read', 'script:read'],
    body: TagConfigCheck,
    response: CheckedTagConfig,
    faults,
  },
} as const satisfies Record<string, Operation>
