import { alertTexts, fillTemplate } from '#alert/alertPhrases.ts'
import type { AlertText } from '#alert/alertText.ts'
import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'

/** A mail about an alert. `subject` and every text are one line each. */
export type AlertMail = {
  teamId: string
  to: string
  language: DashboardLanguage
  subject: string
  paragraphs: readonly string[]
  link?: { label: string; url: string }
  /** The page on which the reader unsubscribes. */
  unsubscribeUrl?: string
  notes: readonly string[]
}

export const toAlertMail = (
  { title, facts, url, language }: AlertText,
  to: { teamId: string; to: string; unsubscribeUrl: string },
): AlertMail => ({
  ...to,
  language,
  subject: title,
  paragraphs: facts.map(([label, value]) => `${label}: ${value}`),
  link: { label: alertTexts[language].labels.open, url },
  notes: [fillTemplate(alertTexts[language].mailNote, [to.unsubscribeUrl], language)],
})

/** The mail with the code that confirms an address. It contains the server's name and no text from strangers. */
export function toCodeMail(
  code: string,
  { language, ...to }: { teamId: string; to: string; language: DashboardLanguage },
): AlertMail {
  const texts = alertTexts[language].code
  const paragraphs = [texts.text, fillTemplate(texts.code, [code], language)]
  return { ...to, language, subject: texts.subject, paragraphs, notes: [texts.note] }
}
