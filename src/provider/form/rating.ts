import type { RequestSpec } from './request.ts'

/** The vendor's rating of all events of one name. */
export type RatedEvent = {
  eventName: string
  /** How well the vendor can find the people, on the vendor's scale. */
  score?: number
  /** The share of browser events that the server also sent, with the same id: from 0 to 1. */
  coverage?: number
}

/** The vendor's own rating of how well it finds the people in events, available on request. */
export type Rating<Secrets> = {
  /** The vendor's name for the score. */
  name: string
  /** The highest score. */
  of: number
  request(secrets: Secrets): RequestSpec
  /** Reads the body of a response that the vendor accepted. Undefined for any other body. */
  read(body: unknown): readonly RatedEvent[] | undefined
}
