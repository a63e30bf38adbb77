import type { BatchSpec } from '#provider/form/batch.ts'
import { mappedIdCheck } from '#provider/form/eventMapping.ts'
import { isoBirthDate } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestSpec, Skip } from '#provider/form/request.ts'
import type { ResponseRule } from '#provider/form/responseRule.ts'
import { plain } from '#provider/form/userRule.ts'
import type { FlatValue } from '#provider/vendors/eventFields.ts'

type Contact = { external_id: string; data: unknown }

/** The body for one contact. */
type ContactEvent = Contact & { key_id: string }

/** The body for many contacts, which share the key field. */
const contactsOf = (events: readonly ContactEvent[]) => ({
  key_id: events[0]!.key_id,
  contacts: events.map(({ external_id, data }) => ({ external_id, data })),
})

type BatchResponse = { data?: { errors?: Readonly<Record<string, Readonly<Record<string, string>>>> } }

/** The errors of a batch are keyed by the contact, which fails with all its events. */
function failedRows({ data }: BatchResponse, sent: unknown) {
  const errors = new Map(Object.entries(data?.errors ?? {}))
  const { contacts } = sent as { contacts: readonly Contact[] }
  return contacts.flatMap(({ external_id }, row) => {
    const codes = errors.get(external_id)
    return codes ? [{ row, message: Object.entries(codes)[0]?.join(' ') }] : []
  })
}

/** Field 3 is the e-mail, 31 the opt-in: neither is a trait. */
export const traitsCheck = mappedIdCheck(
  /^(?!(?:3|31)$)\d{1,12}$/,
  'Write the number of each field; 3 and 31 are not taken.',
)

type Update = { key_id: string; external_id: string; traits: Readonly<Record<string, FlatValue>> | undefined }

/** The fields of a contact by their numbers: first name, last name, date of birth, city, state, ZIP. */
export const contactFields = {
  '1': plain('firstName'),
  '2': plain('lastName'),
  '4': plain('dateOfBirth', isoBirthDate),
  '11': plain('city'),
  '12': plain('state'),
  '13': plain('zip'),
}

/**
 * The update of a contact that is there (https://dev.emarsys.com/docs/core-api-reference/, Update Contacts). Without
 * `create_if_not_exists` nobody is created.
 */
export function contactUpdate(
  { email: _, userId: __, ...fields }: Readonly<Record<string, string | undefined>>,
  request: RequestSpec,
  { key_id, external_id, traits }: Update,
): RequestSpec | Skip {
  const known = unlessEmpty({ ...fields, ...traits })
  if (!known) return { skipped: 'filtered' }
  return { ...request, json: { key_id, contacts: [{ [key_id]: external_id, ...known }] } }
}

export const responseRules: readonly ResponseRule[] = [
  // a contact that Emarsys does not know stands in the errors of a 200
  { status: 200, matches: /"errors"\s{0,9}:\s{0,9}\{\s{0,9}"/, verdict: 'refused' },
  { status: 200, path: 'replyCode', equalsAny: [0], verdict: 'delivered' },
  { status: 200, path: 'replyCode', verdict: 'refused' },
]

/** A request triggers one external event for many contacts. */
export const batch: BatchSpec = {
  maxEvents: 1_000,
  join: (requests) => ({ ...requests[0]!, json: contactsOf(requests.map(({ json }) => json as ContactEvent)) }),
  joinKey: ({ url }) => (url.endsWith('/trigger') ? url : undefined),
  partialFailures: failedRows,
}
