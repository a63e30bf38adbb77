import type { ConsentTrace, Place } from '#contract/journey.ts'
import type { Reason, Status } from '#contract/outcome.ts'
import type { ProviderId } from '#contract/providerIds.ts'

/** An event as it was planned: one delivery for each script of the tag, skipped ones with their reason. */
export type PlannedEvent = {
  position: number
  index: number
  tagId: string
  eventName: string
  userId: string
  receivedAt: number
  consent: ConsentTrace
  place: Place
  /** The user that it is of by its e-mail, where it came under another id. */
  joined?: string
  /** Its held deliveries wait until then (epoch ms) for the consent of this user, or of one who is known by this e-mail. */
  held?: { waitsFor: string; until: number }
  /** Its deliveries are made one after the other with those that share it, in each channel. */
  queue?: string
  deliveries: PlannedDelivery[]
}
/** A held event, decided again: how those of its deliveries stand that were held. */
export type Released = Pick<PlannedEvent, 'tagId' | 'position' | 'index' | 'consent' | 'place'> & {
  deliveries: Pick<PlannedDelivery, 'deliveryId' | 'scriptId' | 'status' | 'reason'>[]
}
export type EventRef = { tagId: string; position: number; index: number }
export type PlannedDelivery = {
  deliveryId: string
  scriptId: string
  providerId: ProviderId
  status: Status
  reason?: Reason
}
