import type { RequestSpec } from './request.ts'

/** What the vendor says of the events of one name. */
export type RatedEvent = {
  eventName: string
  /** How well it can find the people, as the vendor counts. */
  score?: number
  /** From 0 to 1: of the events of the browser, those that the server sent too, with the same id. */
  coverage?: number
}

/** The vendor's own rating of how well it finds the people of the events, which it tells on request. */
export type Rating<Secrets> = {
  /** The vendor's name of the figure. */
  name: string
  /** The highest score. */
  of: number
  request(secrets: Secrets): RequestSpec
  /** From the body of a response that the vendor accepted; undefined for any other body. */
  read(body: unknown): readonly RatedEvent[] | undefined
}
