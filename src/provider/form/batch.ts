import type { RequestSpec } from './request.ts'
import type { ResponseRule } from './responseRule.ts'

/** One row of a batch request that the vendor did not accept. */
export type PartialFailure = {
  /** Its index in its list, from 0. Where `join` made the request: the index of the event. */
  row: number
  /** The name of its list, where the request has several. */
  list?: string
  /** Default: the verdict on the whole response, or `retry` where that is `delivered`. */
  verdict?: ResponseRule['verdict']
  /** The vendor's own message. */
  message?: string | undefined
}

/** What one call of a script holds at most, and how long its first event waits for others. */
export type BatchLimits = { maxEvents: number; waitMs: number }

/** How several events become one request. A batch of one event is the request that `request` returns. */
export type BatchSpec = {
  /** Of one request. */
  maxEvents: number
  /** Of the body. Default: 1 MB. */
  maxBytes?: number
  /**
   * The limits by the script's settings, in which a variable that is not set has its default. At most `maxEvents`. Absent:
   * `maxEvents`, and a wait of a few milliseconds.
   */
  limitsOf?(secrets: Readonly<Record<string, string | undefined>>): BatchLimits
  /**
   * The rows that the JSON response lists as failed, where the vendor accepted the others; empty where it accepted all
   * or none.
   * `sent`: the JSON body of the request, for vendors that name rows by an id.
   */
  partialFailures?(answer: unknown, sent: unknown): readonly PartialFailure[]
  /** Whether a request of one event has a response that names rows too. `body`: as it is sent. Absent: it never has. */
  isList?(body: string): boolean
} & (
  | {
      /**
       * The list, or the lists, at the top of the JSON body that hold the events. Requests that differ in anything else
       * are not joined.
       */
      listPath: string | readonly string[]
      /** Headers that describe one event: omitted from a request of several. */
      singleEventHeaders?: readonly string[]
    }
  | {
      /** Makes one request of several. */
      join(requests: readonly RequestSpec[]): RequestSpec
      /** How many a request counts towards `maxEvents`. Default: 1. */
      countEvents?(request: RequestSpec): number
      /**
       * Only requests with the same key are joined; one without a key is sent alone. Default: all have the same key.
       */
      joinKey?(request: RequestSpec): string | undefined
    }
)
