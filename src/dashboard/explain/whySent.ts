import type { ConsentCheck } from '#contract/consentCheck.ts'
import { explainWords } from '#dashboard/words/en/explain.ts'
import { whySentWords as words } from '#dashboard/words/en/whySent.ts'

/** Why the consent allowed or refused a channel: the category needed, the deciding rule, and the bit that refused. */
export function whySent({ category, rule, bit, purposes, vendor }: ConsentCheck): string[] {
  const needs = category === 'necessary' ? words.needsNothing : words.needs(explainWords.category(category))
  return [
    needs,
    words.rules[rule],
    ...(bit === undefined ? [] : [bitSentence(bit)]),
    ...(purposes ? [words.needsPurposes(purposes)] : []),
    ...(vendor === undefined ? [] : [words.needsVendor(vendor)]),
  ]
}

function bitSentence(bit: string): string {
  if (bit === 'unreadable') return words.unreadable
  const id = /^purpose (\d+)$/.exec(bit)?.[1]
  return id === undefined ? words.bit(bit) : words.bitOfPurpose(Number(id))
}
