/** A request as it is sent: header names in lower case, the body as text. */
export type WireRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
  /** The sender compresses the body. `headers` already contains `content-encoding`. */
  gzip?: true
}

/**
 * Set on every request to an address that a customer sets. Our own endpoints reject requests with this header, which
 * prevents loops.
 */
export const hopHeader = 'x-aglet-hop'
