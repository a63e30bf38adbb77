type Contact = { external_id: string; data: unknown }

/** The body for one contact. */
export type ContactEvent = Contact & { key_id: string }

/** The body for many contacts, which share the key field. */
export const contactsOf = (events: readonly ContactEvent[]) => ({
  key_id: events[0]!.key_id,
  contacts: events.map(({ external_id, data }) => ({ external_id, data })),
})

type BatchResponse = { data?: { errors?: Readonly<Record<string, Readonly<Record<string, string>>>> } }

/** The errors of a batch are keyed by the contact, which fails with all its events. */
export function failedRows({ data }: BatchResponse, sent: unknown) {
  const errors = new Map(Object.entries(data?.errors ?? {}))
  const { contacts } = sent as { contacts: readonly Contact[] }
  return contacts.flatMap(({ external_id }, row) => {
    const codes = errors.get(external_id)
    return codes ? [{ row, message: Object.entries(codes)[0]?.join(' ') }] : []
  })
}
