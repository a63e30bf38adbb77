import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestSpec, Skip } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import type { FlatValue } from '#provider/vendors/eventFields.ts'

type Contact = Readonly<Record<string, string | undefined>>
type Upsert = { headers: Readonly<Record<string, string>>; traits: object | undefined }

/**
 * Creates or updates a contact by its e-mail:
 * https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/batch/upsert
 */
export function contactUpsert({ email: id, ...fields }: Contact, { headers, traits }: Upsert): RequestSpec | Skip {
  const properties = unlessEmpty({ ...fields, ...traits })
  if (!id) return { skipped: 'identityMissing' }
  if (!properties) return { skipped: 'filtered' }
  const url = 'https://api.hubapi.com/crm/v3/objects/contacts/batch/upsert'
  return { url, headers, json: { inputs: [{ idProperty: 'email', id, properties }] } }
}

/** Characters of a property: https://developers.hubspot.com/docs/api-reference/legacy/events/send-event-data/guide */
const propertyText = (name: string, value: string) => truncate(value, /url|referrer/i.test(name) ? 1_024 : 256)

/** The properties of an event, which are texts. */
export const propertiesOf = (fields: Readonly<Record<string, FlatValue>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, propertyText(name, String(value))]))
