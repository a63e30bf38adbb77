import type { StoredConsent } from '#consent/statedConsent.ts'

/** The users and e-mails that a refusal concerns, and the refusing consent; an erasure has none. */
type Refusal = { names: readonly string[]; consent: StoredConsent | undefined }

/**
 * The latest refusals and erasures of this process, so that a decision that was made before them is not used after
 * them. Users and e-mails are named by texts that the caller chooses.
 */
export type RefusalLog = {
  /** Marks this moment. */
  mark(): number
  add(names: readonly string[], consent?: StoredConsent): void
  /** How many erasures there were so far. */
  erased(): number
  /**
   * Whether one of these refused something or was erased since the mark, other than by this consent object. True if the
   * log no longer reaches back to the mark.
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
