import type { ConsentProof } from '#contract/consentProof.ts'
import { proofOfObjection } from './consentProof.ts'
import { isAnswer, type StoredConsent } from './statedConsent.ts'
import type { ReadGpp } from './text/textConsent.ts'

const usOf = (gpp: ReadGpp | 'unreadable'): ReadGpp | 'unreadable' => {
  if (gpp === 'unreadable') return gpp
  const { tcf: _, canada: __, ...us } = gpp
  return us
}

/**
 * The objections of a consent under US law, which also count on a tag that needs no consent. Undefined without a GPP
 * string.
 */
export function objectionsOf(consent: StoredConsent | undefined): [StoredConsent] | undefined {
  const gpp = consent?.texts?.gpp
  return gpp && [{ at: consent.at, texts: { gpp: usOf(gpp) } }]
}

const objectedBy = (proof: ConsentProof) => ({ objected: proofOfObjection(proof) })

/**
 * Adds later US objections to the answer of a visitor. They replace earlier objections, but no part of the answer.
 */
export function withObjections(before: StoredConsent | undefined, objections: StoredConsent): StoredConsent {
  const gpp = objections.texts?.gpp
  if (!before || !gpp) return before ?? objections
  return {
    ...before,
    texts: { ...before.texts, gpp: merged(before.texts?.gpp, gpp) },
    at: Math.max(before.at, objections.at),
    ...(objections.proof && (isAnswer(before) ? objectedBy(objections.proof) : { proof: objections.proof })),
  }
}

function merged(before: ReadGpp | 'unreadable' | undefined, later: ReadGpp | 'unreadable'): ReadGpp | 'unreadable' {
  if (before === undefined || before === 'unreadable' || later === 'unreadable') return before ?? later
  const { tcf, canada } = before
  return { ...later, ...(tcf && { tcf }), ...(canada && { canada }) }
}

/** Keeps the earlier objections with an answer that has no GPP string: only another GPP string ends them. */
export function keepObjections(answer: StoredConsent, before: StoredConsent | undefined): StoredConsent {
  const kept = answer.texts?.gpp ? undefined : objectionsOf(before)?.[0]
  const gpp = kept?.texts?.gpp
  if (!gpp || gpp === 'unreadable' || !(gpp.advertising || gpp.sharePii || gpp.gpc)) return answer
  const objected = before?.objected ?? before?.proof
  return { ...answer, texts: { ...answer.texts, gpp }, ...(objected && objectedBy(objected)) }
}
