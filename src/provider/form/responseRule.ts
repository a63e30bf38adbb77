/** `refused`: the vendor will never accept this event. `keyRejected`: it rejects the credentials. */
export type Verdict = 'delivered' | 'retry' | 'refused' | 'keyRejected'

/**
 * How to read a response where it differs from the default (2xx: delivered; 408, 425, 429, 5xx: retry; 401:
 * keyRejected; all others: refused). The first rule of which all conditions hold decides.
 */
export type ResponseRule = {
  status?: number
  /** A path in the JSON body: `errors.0.code`. Alone it means that a value other than null is there. */
  path?: string
  /** The name of a response header in lower case, in place of `path`. */
  header?: string
  /** The value at `path` is one of these. */
  equalsAny?: readonly (string | number | boolean)[]
  /** The value at `path` is a number from the first to the second, both included. */
  between?: readonly [number, number]
  /** Matches the value at `path`, or the whole body where there is no `path`. */
  matches?: RegExp
  /** `throttled`: retry, because the vendor's rate limit was reached. */
  verdict: Verdict | 'throttled'
}
