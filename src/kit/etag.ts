import { createHash } from 'node:crypto'

/** The entity tag of a body. */
export const etagOf = (body: string | Buffer): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`

/**
 * Whether `If-None-Match` names this entity tag, so that the response is 304 (RFC 9110, 13.1.2). The comparison is
 * weak: a tag with `W/` matches the same tag without it.
 */
export const matchesEtag = (etag: string, ifNoneMatch: string | undefined): boolean =>
  ifNoneMatch?.split(',').some((each) => [etag, '*'].includes(each.trim().replace(/^W\//, ''))) ?? false
