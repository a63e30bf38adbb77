import type { RequestSpec } from './request.ts'
import type { ResponseRule } from './responseRule.ts'

/** One row of a batch request that the vendor did not accept. */
export type PartialFailure = {
  /** The index of the row in its list, from 0. If `join` made the request: the index of the event. */
  row: number
  /** The name of the list, if the request has several. */
  list?: string
  /** Default: the verdict on the whole response, or `retry` if that verdict is `delivered`. */
  verdict?: ResponseRule['verdict']
  /** The vendor's own message. */
  message?: string | undefined
}

/** The limits of one call of a script, and how long its first event waits for others. */
export type BatchLimits = { maxEvents: number; waitMs: number }

/** How to join several events into one request. A batch of one event is the request that `request` returns. */
export type BatchSpec = {
  /** Maximum events in one request. */
  maxEvents: number
  /** Maximum size of the body. Default: 1 MB. */
  maxBytes?: number
  /**
   * The limits that the script's settings choose; unset variables have their defaults. Its `maxEvents` is at most the
   * one above. Default: `maxEvents`, and a wait of a few milliseconds.
   */
  limitsOf?(secrets: Readonly<Record<string, string | undefined>>): BatchLimits
  /**
   * The rows that the JSON response lists as failed, if the vendor accepted the others. Empty if the vendor accepted
   * all or none. `sent`: the JSON body of the request, for vendors that name rows by an id.
   */
  partialFailures?(answer: unknown, sent: unknown): readonly PartialFailure[]
  /**
   * Whether the response to a request with this body names rows even for a single event. `body`: as it is sent.
   * Default: never.
   */
  isList?(body: string): boolean
} & (
  | {
      /**
       * The list, or lists, of events at the top level of the JSON body. Requests that differ elsewhere are not joined.
       */
      listPath: string | readonly string[]
      /** Headers that describe one event. Omitted from a request with several events. */
      singleEventHeaders?: readonly string[]
    }
  | {
      /** Joins several requests into one. */
      join(requests: readonly RequestSpec[]): RequestSpec
      /** How much a request counts towards `maxEvents`. Default: 1. */
      countEvents?(request: RequestSpec): number
      /**
       * Only requests with the same key are joined. A request without a key is sent alone. Default: all have the same
       * key.
       */
      joinKey?(request: RequestSpec): string | undefined
    }
)
