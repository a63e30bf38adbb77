import { contactKinds } from './alertKinds.ts'
import { dashboardLanguages } from './dashboardLanguage.ts'
import { type Operation, pageQuery } from './operation.ts'
import { EpochMs, OptionalText, type Static, Type } from './schema.ts'
import { patterns } from './schemaPatterns.ts'

export const AlertName = Type.String({ minLength: 1, maxLength: 64, pattern: patterns.name })

const languages = Object.keys(dashboardLanguages) as (keyof typeof dashboardLanguages)[]
const kindField = Type.Enum([...contactKinds])
const addressField = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: patterns.mail,
  description: 'the e-mail address, of the kind email',
})

export const ContactPointWrite = Type.Object({
  kind: kindField,
  address: Type.Optional(addressField),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'the address of the webhook, of every kind but email and pagerDuty; kept secret',
    }),
  ),
  routingKey: Type.Optional(
    Type.String({
      pattern: patterns.routingKey,
      description: 'the integration key of an Events API v2 integration, of the kind pagerDuty; kept secret',
    }),
  ),
  language: Type.Optional(
    Type.Enum(languages, { description: 'of its messages; default: that of the call, by Accept-Language' }),
  ),
})
export type ContactPointWrite = Static<typeof ContactPointWrite>

/** Where the team's alerts are sent. Only the host of a URL is shown, because its path is a secret. */
export const ContactPoint = Type.Object({
  name: Type.String(),
  kind: kindField,
  target: Type.String({ description: 'the e-mail address, or the host of the webhook' }),
  isConfirmed: Type.Boolean({ description: 'false until the code that was sent to an e-mail address is entered' }),
  language: Type.Enum(languages),
  createdAt: EpochMs({ description: 'epoch ms' }),
})
export type ContactPoint = Static<typeof ContactPoint>

const SavedContactPoint = Type.Object({
  ...ContactPoint.properties,
  secret: OptionalText('whsec_…: signs the messages of a webhook; shown only once'),
})

export const AlertNameParams = Type.Object({ name: AlertName })
const shared = { access: ['hook:write'], params: AlertNameParams } as const

export const contactPointOperations = {
  listContactPoints: {
    method: 'GET',
    path: '/contact-point',
    summary: 'Lists where alerts of the team are sent',
    access: ['hook:read'],
    query: pageQuery,
    response: Type.Object({ contactPoints: Type.Array(ContactPoint), next: Type.Optional(Type.String()) }),
  },
  putContactPoint: {
    ...shared,
    method: 'PUT',
    path: '/contact-point/{name}',
    summary: 'Adds or replaces a contact point; an e-mail address gets a code that confirms it',
    body: ContactPointWrite,
    response: SavedContactPoint,
    faults: ['tooManyContactPoints', 'tooManyCodes'],
  },
  confirmContactPoint: {
    ...shared,
    method: 'POST',
    path: '/contact-point/{name}/confirm',
    summary: 'Confirms an e-mail address by the code that was sent to it',
    body: Type.Object({ code: Type.String({ pattern: patterns.mailCode }) }),
    response: ContactPoint,
    faults: ['contactPointUnknown', 'contactCodeWrong'],
  },
  testContactPoint: {
    ...shared,
    method: 'POST',
    path: '/contact-point/{name}/test',
    summary: 'Sends a test message to a contact point, and returns whether it was accepted',
    response: Type.Object({
      isSent: Type.Boolean(),
      message: OptionalText('why it was not accepted'),
    }),
    faults: ['contactPointUnknown', 'contactPointUnconfirmed'],
  },
  deleteContactPoint: {
    ...shared,
    method: 'DELETE',
    path: '/contact-point/{name}',
    summary: 'Removes a contact point; the alert rules that name it send to their other contact points',
    response: Type.Object({ name: Type.String() }),
    faults: ['contactPointUnknown'],
  },
} as const satisfies Record<string, Operation>
