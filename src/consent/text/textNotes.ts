import type { TextWarning } from '#contract/consentCheck.ts'
import type { TagEvent } from '#contract/event.ts'
import { readTexts } from './consentTexts.ts'
import { type CallTexts, textWarnings } from './textConsent.ts'

const sentence = (warning: TextWarning) => `${warning}: ${textWarnings[warning]}`

/** Warnings about consent texts for the sender of an event: `TCF_UNREADABLE: the TC string cannot be read …`. */
export function textNotes({ storage, timestamp }: Pick<TagEvent, 'storage' | 'timestamp'>, key: string): string[] {
  const entry = storage?.[key] as { consentTexts?: unknown } | null | undefined
  return entry?.consentTexts ? readTexts(entry.consentTexts, timestamp).warnings.map(sentence) : []
}

/** The same warnings for the texts in the headers and the cookie of a call. */
export const callTextNotes = (callTexts: readonly CallTexts[] | undefined, now: number): string[] =>
  callTexts ? readTexts(undefined, now, { callTexts }).warnings.map(sentence) : []
