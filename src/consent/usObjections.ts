import type { ConsentProof } from '#contract/consentProof.ts'
import { proofOfObjection } from './consentProof.ts'
import { isAnswer, type StoredConsent } from './statedConsent.ts'
import type { ReadGpp } from './text/textConsent.ts'

const usOf = (gpp: ReadGpp | 'unreadable'): ReadGpp | 'unreadable' => {
  if (gpp === 'unreadable') return gpp
  const { tcf: _, canada: __, ...us } = gpp
  return us
}

/** What a consent objects to by US law, which counts on a tag that needs no consent too. Undefined without a GPP string. */
export function objectionsOf(consent: StoredConsent | undefined): [StoredConsent] | undefined {
  const gpp = consent?.texts?.gpp
  return gpp && [{ at: consent.at, texts: { gpp: usOf(gpp) } }]
}

const objectedBy = (proof: ConsentProof) => ({ objected: proofOfObjection(proof) })

/** The answer of a visitor with later objections by US law. They replace earlier ones, and no part of the answer. */
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

/** An answer without a GPP string, with the objections of before: only another such string ends them. */
export function keepObjections(answer: StoredConsent, before: StoredConsent | undefined): StoredConsent {
  const kept = answer.texts?.gpp ? undefined : objectionsOf(before)?.[0]
  const gpp = kept?.texts?.gpp
  if (!gpp || gpp === 'unreadable' || !(gpp.advertising || gpp.sharePii || gpp.gpc)) return answer
  const objected = before?.objected ?? before?.proof
  return { ...answer, texts: { ...answer.texts, gpp }, ...(objected && objectedBy(objected)) }
}
