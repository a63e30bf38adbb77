/** The values of tags are texts: https://documentation.onesignal.com/reference/update-user */
export const textsOf = (traits: object) =>
  Object.fromEntries(Object.entries(traits).map(([name, value]) => [name, String(value)]))

type Row = { external_id: string; idempotency_key: string }
type Failure = { event_id?: string; event_user_id?: string; error?: { title?: string } }

/** A failure names its event, or the user that OneSignal does not know, which fails all events of that user. */
export function failedRows({ errors = [] }: { errors?: readonly Failure[] }, sent: unknown) {
  const { events } = sent as { events: readonly Row[] }
  return errors.flatMap(({ event_id, event_user_id, error }) => {
    const named = events.flatMap(({ idempotency_key }, row) => (idempotency_key === event_id ? [row] : []))
    const byUser = events.flatMap(({ external_id }, row) => (external_id === event_user_id ? [row] : []))
    return (named.length > 0 ? named : byUser).map((row) => ({ row, message: error?.title }))
  })
}
