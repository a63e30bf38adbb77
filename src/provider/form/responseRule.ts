/** `refused`: the vendor will never accept this event. `keyRejected`: the vendor rejects the credentials. */
export type Verdict = 'delivered' | 'retry' | 'refused' | 'keyRejected'

/**
 * How to read a response that differs from the default (2xx: delivered; 408, 425, 429, 5xx: retry; 401: keyRejected;
 * all others: refused). The first rule whose conditions all hold decides.
 */
export type ResponseRule = {
  status?: number
  /** A path in the JSON body: `errors.0.code`. Without further conditions: the value there is not null. */
  path?: string
  /** The name of a response header in lower case, instead of `path`. */
  header?: string
  /** The value at `path` is one of these. */
  equalsAny?: readonly (string | number | boolean)[]
  /** The value at `path` is a number in this range, both ends included. */
  between?: readonly [number, number]
  /** Matches the value at `path`, or the whole body if there is no `path`. */
  matches?: RegExp
  /** `throttled`: retry, because the vendor's rate limit was reached. */
  verdict: Verdict | 'throttled'
}
