import type { StoredConsent } from '#consent/statedConsent.ts'

/** The users and e-mails that a refusal concerns, and the refusing consent. An erasure has no consent. */
type Refusal = { names: readonly string[]; consent: StoredConsent | undefined }

/**
 * The latest refusals and erasures of this process, so that a decision is not used after a later refusal or erasure.
 * Callers choose the texts that identify users and e-mails.
 */
export type RefusalLog = {
  /** Returns the current position in the log. */
  mark(): number
  add(names: readonly string[], consent?: StoredConsent): void
  /** The number of erasures so far. */
  erased(): number
  /**
   * True if one of these has refused something or was erased since the mark, other than by this consent object. Also
   * true if the log no longer reaches back to the mark.
   */
  hasSince(mark: number, names: readonly string[], except?: StoredConsent): boolean
}

/** Decisions are used within seconds. At a thousand refusals a second the log reaches back four seconds. */
const maxRefusals = 4_096

export function openRefusalLog(limit = maxRefusals): RefusalLog {
  const refusals: Refusal[] = []
  let count = 0
  let erasures = 0
  return {
    mark: () => count,
    add(names, consent) {
      refusals[count % limit] = { names, consent }
      count++
      if (!consent) erasures++
    },
    erased: () => erasures,
    hasSince(mark, names, except) {
      if (count - mark > limit) return true
      for (let n = mark; n < count; n++) {
        const { names: refusing, consent } = refusals[n % limit]!
        const isOther = consent === undefined || consent !== except
        if (isOther && refusing.some((name) => names.includes(name))) return true
      }
      return false
    },
  }
}
