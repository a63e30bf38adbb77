import type { Keyring } from '#account/keyring.ts'
import type { TagEvent } from '#contract/event.ts'
import { normalOrderId } from '#contract/orderId.ts'
import type { Clock } from '#kit/clock.ts'
import { newUserId } from '#kit/id.ts'
import { findEmails } from '#provider/engine/contactSearch.ts'
import type { OrderPayload } from '#store/orders.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { noCaptureRules } from '#user/captureRules.ts'
import { readUserFacts } from '#user/profile.ts'

/**
 * The Purchase that the shop's own code would send for an order: the event as in `POST /event`, and the visitor's id,
 * IP address and user agent if the shop knows them.
 */
export type OrderPurchasePayload = { event: TagEvent; userId?: string; ip?: string; userAgent?: string }

/** `ownId`: finds the payload for an erasure if the shop knows no id of the visitor. */
type KeptPayload = OrderPurchasePayload & { ownId: string }

type OrderTag = Pick<Snapshot, 'tagId' | 'teamId'>
type PayloadDeps = { clock: Pick<Clock, 'now'>; keys: Keyring }

/** What identifies a person in an erasure. */
export type PayloadPerson = { userId?: string; email?: string; customerId?: string; phone?: string }

const digits = (phone: string) => phone.replace(/\D/g, '').replace(/^0+/, '')

/** The keyed fingerprints of a person. */
export function personHashes(tag: OrderTag, person: PayloadPerson, keys: Keyring): string[] {
  const { userId, email, customerId, phone } = person
  const of = (kind: string, value: string) =>
    keys.team(tag.teamId).customFingerprint(tag.tagId, `${kind} of an order`, value)
  return [
    ...(userId ? [of('user', userId)] : []),
    ...(email ? [of('email', email.trim().toLowerCase())] : []),
    ...(customerId ? [of('customer', customerId)] : []),
    ...(phone && digits(phone).length >= 7 ? [of('phone', digits(phone).slice(-9))] : []),
  ]
}

const maxPeople = 100

/** Everyone whom a payload identifies, by the user's fields and by every e-mail address in it. */
function peopleIn(tag: OrderTag, { event, ownId }: KeptPayload, keys: Keyring): string[] {
  const { email, customerId, phone } = readUserFacts(event, noCaptureRules, undefined).keys
  const text = JSON.stringify(event)
  const emails = new Set<string>(email ? [email.toLowerCase()] : [])
  for (const { from, to } of findEmails(text)) {
    if (emails.size >= maxPeople) break
    emails.add(text.slice(from, to).replace('%40', '@').toLowerCase())
  }
  return [
    ...new Set([
      ...personHashes(tag, { userId: ownId, ...(customerId && { customerId }), ...(phone && { phone }) }, keys),
      ...[...emails].flatMap((each) => personHashes(tag, { email: each }, keys)),
    ]),
  ]
}

const payloadAad = ({ tagId }: OrderTag) => `${tagId} order payload`

export function sealPayload(
  tag: OrderTag,
  orderId: string,
  payload: OrderPurchasePayload,
  { clock, keys }: PayloadDeps,
): OrderPayload {
  const kept: KeptPayload = { ...payload, ownId: payload.userId ?? newUserId() }
  const sealed = keys.team(tag.teamId).sealEvent(Buffer.from(JSON.stringify(kept)), payloadAad(tag))
  return { tagId: tag.tagId, id: normalOrderId(orderId), at: clock.now(), sealed, people: peopleIn(tag, kept, keys) }
}

/** The person in the user's fields of a payload. */
export function personOf({ event, ownId }: KeptPayload): PayloadPerson {
  const { email, customerId, phone } = readUserFacts(event, noCaptureRules, undefined).keys
  return { userId: ownId, ...(email && { email }), ...(customerId && { customerId }), ...(phone && { phone }) }
}

export const openPayload = (tag: OrderTag, { sealed }: Pick<OrderPayload, 'sealed'>, keys: Keyring): KeptPayload =>
  JSON.parse(Buffer.from(keys.team(tag.teamId).openEvent(sealed, payloadAad(tag))).toString())
