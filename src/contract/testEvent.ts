import { Journey } from './journey.ts'
import type { Operation } from './operation.ts'
import { providerIds } from './providerIds.ts'
import { ruleWriteFields } from './rule/ruleFields.ts'
import { epochMsForm, Nullable, type Static, Type } from './schema.ts'
import { SecretEntry, ValueMode } from './script.ts'
import { TagPlugin } from './tag.ts'

const Id = Type.String({ minLength: 1, maxLength: 100 })

/** A channel as entered in a form, not saved. */
export const TestDraft = Type.Object({
  scriptId: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'the saved script that the draft edits; with `secrets` it needs secret:write',
    }),
  ),
  name: Nullable(Type.String({ maxLength: 200 })),
  providerId: Type.Enum([...providerIds]),
  consentCategory: Nullable(Type.String({ maxLength: 100 })),
  geoRegions: Nullable(Type.String({ maxLength: 10_000 })),
  purchaseValueMode: Nullable(ValueMode),
  ...ruleWriteFields,
  secrets: Nullable(
    Type.Array(SecretEntry, {
      maxItems: 100,
      description: 'sealed entries; variables that are not listed have the value of the script, if `scriptId` is given',
    }),
  ),
})
export type TestDraft = Static<typeof TestDraft>

export const TestWrite = Type.Object({
  event: Type.Object(
    {
      eventName: Type.String({ minLength: 1, maxLength: 200 }),
      eventId: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'a new one' })),
      timestamp: Type.Optional(Type.Number({ description: 'epoch ms; now', documented: epochMsForm })),
      data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      storage: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'with the consent' })),
    },
    { description: 'an event as POST /tag takes it, with its consent' },
  ),
  userId: Nullable(Type.String({ maxLength: 200, description: 'an existing visitor; a new one' })),
  scriptIds: Nullable(Type.Array(Id, { minItems: 1, maxItems: 50, description: 'only these scripts; all saved ones' })),
  draft: Nullable(TestDraft),
  plugins: Nullable(
    Type.Array(TagPlugin, {
      maxItems: 20,
      description: 'these plugins instead of those of the saved tag; the answer shows what each makes of the event',
    }),
  ),
  send: Type.Boolean({ description: 'true sends the requests; false only shows them' }),
})
export type TestWrite = Static<typeof TestWrite>

/** The journey of a test event. It is not stored and not counted. */
export const TestJourney = Type.Object({ ...Journey.properties, isTest: Type.Literal(true) })
export type TestJourney = Static<typeof TestJourney>

export const testOperations = {
  testTag: {
    method: 'POST',
    path: '/tag/{tagId}/test',
    summary:
      'Plans a test event by the saved scripts, drafts included, and shows or sends its requests; it is not stored and not counted',
    access: ['script:write', 'event:write'],
    body: TestWrite,
    response: TestJourney,
    faults: ['tagUnknown', 'scriptOrTagNotFound', 'providerNotAvailable', 'secretRefused'],
  },
} as const satisfies Record<string, Operation>
