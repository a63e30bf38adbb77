import type { HostState } from '#contract/tag.ts'
import type { HostRecords } from './hostRecords.ts'

/** That a tag has named a host; several may. What DNS has shown of it decides whose it is. Times are epoch ms. */
export type HostClaim = {
  tagId: string
  host: string
  /** When the tag named it, or lost its proof. */
  claimedAt: number
  /** Since when, and when last, DNS has shown that it is this tag's; absent where it has not. */
  provedSince?: number
  provedAt?: number
  /** When DNS was asked last. */
  checkedAt?: number
  /** DNS said that the name has no record. */
  isMissing?: true
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** How long a claim has to be proved, and how long a proof is believed without being seen. */
export const claimMs = 7 * dayMs
export const proofMs = 3 * dayMs
/** How often DNS is asked for a host that is ready, and for one that is not. */
const readyCheckMs = dayMs
const pendingCheckMs = 10 * minuteMs

/** Two spellings of a tag's id as a label of a host name: some DNS services refuse the underscore. */
const labelsOf = (tagId: string) => [tagId.toLowerCase(), tagId.toLowerCase().replace('_', '-')]

/** Whether the records of a host show that it is this tag's; undefined where DNS did not answer and what it said does not. */
function isProved(tagId: string, { texts, aliases }: HostRecords): boolean | undefined {
  const labels = labelsOf(tagId)
  if (texts?.some((text) => text.trim().toLowerCase() === tagId.toLowerCase())) return true
  if (aliases?.some((name) => name.split('.').some((label) => labels.includes(label)))) return true
  return texts && aliases ? false : undefined
}

/** A claim after DNS was asked at `now` (epoch ms); undefined where it was not proved in time and is dropped. */
export function checkedClaim(claim: HostClaim, records: HostRecords, now: number): HostClaim | undefined {
  const { isMissing: wasMissing, provedSince, provedAt, ...rest } = claim
  const isMissing = records.isMissing ?? wasMissing
  const checked = { ...rest, checkedAt: now, ...(isMissing && { isMissing }) }
  const proved = isProved(claim.tagId, records)
  if (proved) return { ...checked, provedSince: provedSince ?? now, provedAt: now }
  if (provedAt === undefined) return now - claim.claimedAt > claimMs ? undefined : checked
  // Only an answer that there is no proof loses it: a resolver that is down takes nobody's host.
  if (proved === false && now - provedAt > proofMs) return { ...checked, claimedAt: now }
  return { ...checked, provedSince: provedSince ?? provedAt, provedAt }
}

/** Whether DNS is to be asked again. A clock that was set back makes every claim due. */
export function isDue({ checkedAt, provedAt, isMissing }: HostClaim, now: number): boolean {
  if (checkedAt === undefined || checkedAt > now) return true
  return now - checkedAt >= (provedAt !== undefined && !isMissing ? readyCheckMs : pendingCheckMs)
}

/**
 * The claim of a host that is served: the one that DNS has shown last, of several the one that was proved first. A tag that
 * DNS names now goes before one whose proof is only remembered.
 */
export function servedClaim(claims: readonly HostClaim[]): HostClaim | undefined {
  const lastSeen = Math.max(...claims.map(({ provedAt = 0 }) => provedAt))
  const shown = claims.filter(({ provedAt }) => provedAt !== undefined && provedAt === lastSeen)
  const order = (one: HostClaim, other: HostClaim) =>
    (one.provedSince ?? 0) - (other.provedSince ?? 0) || (one.tagId < other.tagId ? -1 : 1)
  return shown.sort(order)[0]
}

/** How a claim stands, among all claims of its host. */
export function claimState(claim: HostClaim, claims: readonly HostClaim[]): HostState['state'] {
  if (claim.isMissing) return 'missing'
  return servedClaim(claims)?.tagId === claim.tagId ? 'ready' : 'unproved'
}

/** When a claim is dropped, or its proof lost, unless DNS shows the record until then; undefined while it does. */
export function endOfClaim({ claimedAt, provedAt, checkedAt = 0 }: HostClaim): number | undefined {
  if (provedAt === undefined) return claimedAt + claimMs
  return provedAt < checkedAt ? provedAt + proofMs : undefined
}
