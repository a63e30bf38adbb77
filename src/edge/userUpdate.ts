import { withProof } from '#consent/consentProof.ts'
import { readStatedConsent } from '#consent/statedConsent.ts'
import { consentKey } from '#consent/text/consentKey.ts'
import { appendUserUpdate, toUserEvent, type UserUpdate } from '#user/userUpdate.ts'
import { appendEvents } from './append.ts'
import type { EdgeCall } from './edge.ts'
import { ingestSource } from './ingestSource.ts'
import { previewHeaderName, previewUserUpdate } from './preview.ts'

/** Appends a user update of a request (`/user`, `/data`, `/consent`). False for a duplicate. Throws overloaded. */
export async function postUserUpdate(
  call: EdgeCall,
  caller: UserUpdate['source']['caller'],
  kind: UserUpdate['kind'],
  fields: Record<string, unknown>,
): Promise<boolean> {
  const { edge, tag } = call
  const { clock, brand, keys, profiles, captures } = edge.deps
  const receivedAt = clock.now()
  const event = toUserEvent(kind, fields, receivedAt)
  const source = ingestSource(call, caller, receivedAt)
  if (kind === 'user' && previewHeaderName in call.request.headers) await previewUserUpdate(call, event, source)
  const callTexts = source.request?.callTexts
  const { consent } = readStatedConsent(event, receivedAt, brand, tag, callTexts)
  const context = { trusted: source.trusted, ...(callTexts && { callTexts }) }
  return appendUserUpdate(
    { kind, event, source, consent: consent && withProof(consent, { event, context }, consentKey(brand)) },
    { keys, profiles, captures: () => captures.ofTag(tag), append: (item) => appendEvents(call, item) },
  )
}
