import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { ConsentTrace, Place } from '#contract/journey.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { PurchaseFacts } from './orders.ts'

/** The name and the user of an event whose record could not be opened. Callers cannot send an id with parentheses. */
export const unreadable = '(unreadable)'

/** A planned event with one delivery for each script of the tag. Skipped deliveries have a reason. */
export type PlannedEvent = {
  position: number
  index: number
  tagId: string
  eventName: string
  userId: string
  receivedAt: number
  consent: ConsentTrace
  place: Place
  /** The user that the e-mail matches, if the event has another user id. */
  emailMatch?: string
  /** A keyed fingerprint of its order id, in hex. */
  orderHash?: string
  /** The data of a Purchase about its order, if it has an order id. */
  purchase?: PurchaseFacts
  /**
   * The held deliveries wait until `until` (epoch ms) for the consent of this user, or of the user with this e-mail.
   */
  held?: { waitsFor: string; until: number }
  /** In each channel, deliveries with the same key are sent one after the other. */
  orderKey?: string
  /** The slot of the event, if it is not the slot of its tag. */
  slot?: number
  deliveries: PlannedDelivery[]
}
/** A held event after its release, with the new states of its held deliveries. */
export type ReleasedEvent = Pick<PlannedEvent, 'tagId' | 'position' | 'index' | 'consent' | 'place'> & {
  deliveries: Pick<PlannedDelivery, 'deliveryId' | 'scriptId' | 'status' | 'reason'>[]
}
export type EventRef = { tagId: string; position: number; index: number }
export type PlannedDelivery = {
  deliveryId: string
  scriptId: string
  providerId: ProviderId
  status: DeliveryStatus
  reason?: DeliveryReason
}
