import type { HostState } from '#contract/tag.ts'
import type { HostClaim } from '#store/store.ts'
import type { HostRecords } from './hostRecords.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** How long a claim may stay unproved, and how long a proof lasts after DNS last showed it. */
export const claimMs = 7 * dayMs
export const proofMs = 3 * dayMs
/** Intervals of look-ups: for a host that is ready, and for any other. */
const readyCheckMs = dayMs
const pendingCheckMs = 10 * minuteMs

/** Two spellings of a tag's id as a DNS label: some DNS services refuse the underscore. */
const labelsOf = (tagId: string) => [tagId.toLowerCase(), tagId.toLowerCase().replace('_', '-')]

/** Whether the records of a host prove this tag's claim. Undefined if they do not, and some look-ups had no answer. */
function isProved(tagId: string, { texts, aliases }: HostRecords): boolean | undefined {
  const labels = labelsOf(tagId)
  if (texts?.some((text) => text.trim().toLowerCase() === tagId.toLowerCase())) return true
  if (aliases?.some((name) => name.split('.').some((label) => labels.includes(label)))) return true
  return texts && aliases ? false : undefined
}

/** A claim after a look-up at `now` (epoch ms); undefined if it was not proved in time and is dropped. */
export function checkedClaim(claim: HostClaim, records: HostRecords, now: number): HostClaim | undefined {
  const { isMissing: wasMissing, provedSince, provedAt, ...rest } = claim
  const isMissing = records.isMissing ?? wasMissing
  const checked = { ...rest, checkedAt: now, ...(isMissing && { isMissing }) }
  const proved = isProved(claim.tagId, records)
  if (proved) return { ...checked, provedSince: provedSince ?? now, provedAt: now }
  if (provedAt === undefined) return now - claim.claimedAt > claimMs ? undefined : checked
  // Only a DNS answer without the proof invalidates it. An unavailable resolver does not.
  if (proved === false && now - provedAt > proofMs) return { ...checked, claimedAt: now }
  return { ...checked, provedSince: provedSince ?? provedAt, provedAt }
}

/** True if the next look-up is due. If the clock was set back, every claim is due. */
export function isDue({ checkedAt, provedAt, isMissing }: HostClaim, now: number): boolean {
  if (checkedAt === undefined || checkedAt > now) return true
  return now - checkedAt >= (provedAt !== undefined && !isMissing ? readyCheckMs : pendingCheckMs)
}

/**
 * The claim that decides who serves a host: the most recently proved one; of several, the one that was proved first. A
 * current proof takes precedence over an older one.
 */
export function servedClaim(claims: readonly HostClaim[]): HostClaim | undefined {
  const lastSeen = Math.max(...claims.map(({ provedAt = 0 }) => provedAt))
  const lastProved = claims.filter(({ provedAt }) => provedAt !== undefined && provedAt === lastSeen)
  const order = (one: HostClaim, other: HostClaim) =>
    (one.provedSince ?? 0) - (other.provedSince ?? 0) || (one.tagId < other.tagId ? -1 : 1)
  return lastProved.sort(order)[0]
}

export function claimState(claim: HostClaim, claims: readonly HostClaim[]): HostState['state'] {
  if (claim.isMissing) return 'missing'
  return servedClaim(claims)?.tagId === claim.tagId ? 'ready' : 'unproved'
}

/**
 * When a claim is dropped or its proof is lost unless DNS shows the record (epoch ms); undefined while DNS shows it.
 */
export function endOfClaim({ claimedAt, provedAt, checkedAt = 0 }: HostClaim): number | undefined {
  if (provedAt === undefined) return claimedAt + claimMs
  return provedAt < checkedAt ? provedAt + proofMs : undefined
}
