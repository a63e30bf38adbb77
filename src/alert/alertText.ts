import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import { terminalText } from '#contract/displayText.ts'
import { toWallTime } from '#kit/localTime.ts'
import type { AlertPhrase } from '#store/incidents.ts'
import { alertTexts, fillTemplate, phraseText } from './alertPhrases.ts'

/** `repeated`: the incident started earlier and is still active. */
export type NoticeState = 'started' | 'repeated' | 'ended'

/** The content of one message, in plain text without line ends. `url`: the page that explains it. */
export type AlertText = {
  /** A repeated message has the id of the first. */
  id: string
  state: NoticeState | 'test'
  title: string
  facts: readonly (readonly [label: string, value: string])[]
  url: string
  language: DashboardLanguage
}

/** The part of an incident that a message reports. */
export type ReportedIncident = {
  incidentId: string
  rule: string
  title: AlertPhrase
  detail: AlertPhrase
  timeZone: string
  firstAt: number
  lastAt: number
  /** The number of the last reminder to this receiver. */
  repeat?: number
  url: string
}

const nameOf = (state: NoticeState, { repeat }: ReportedIncident) =>
  state === 'repeated' ? `${state}-${repeat ?? 0}` : state

const maxListed = 10
const maxLine = 200

/**
 * One line of printable characters: strangers choose the names, and a line end in a name could forge a line or a
 * header.
 */
export const oneLine = (text: string, max = maxLine): string => {
  const line = terminalText(text.slice(0, 4 * max).toWellFormed())
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line
}

const timeText = (at: number, timeZone: string) =>
  `${new Date(toWallTime(at, timeZone)).toISOString().slice(0, 16).replace('T', ' ')} (${timeZone})`

function oneIncident(state: NoticeState, incident: ReportedIncident, language: DashboardLanguage): AlertText {
  const { verbs, labels } = alertTexts[language]
  const { rule, title, detail, timeZone, firstAt, lastAt, url, incidentId } = incident
  return {
    id: `${incidentId}-${nameOf(state, incident)}`,
    state,
    title: oneLine(`${verbs[state]}: ${phraseText(title, language)}`),
    facts: [
      [labels.what, oneLine(phraseText(detail, language))],
      [labels.first, timeText(firstAt, timeZone)],
      [labels.last, timeText(lastAt, timeZone)],
      [labels.rule, oneLine(rule)],
    ],
    url,
    language,
  }
}

/** One message about incidents that started, or that ended, together. `allUrl`: the page that lists them. */
export function incidentText(
  state: NoticeState,
  incidents: readonly [ReportedIncident, ...ReportedIncident[]],
  allUrl: string,
  language: DashboardLanguage,
): AlertText {
  const [first, ...others] = incidents
  if (others.length === 0) return oneIncident(state, first, language)
  const { verbs, labels, alerts, more: moreText } = alertTexts[language]
  const fill = (template: string, count: number) => fillTemplate(template, [count], language)
  const text = (each: AlertPhrase, max?: number) => oneLine(phraseText(each, language), max)
  const listed = incidents.slice(0, maxListed).map(({ title, detail }) => [text(title, 100), text(detail)] as const)
  const more = incidents.length - listed.length
  const times = [
    [labels.first, timeText(Math.min(...incidents.map(({ firstAt }) => firstAt)), first.timeZone)],
    [labels.last, timeText(Math.max(...incidents.map(({ lastAt }) => lastAt)), first.timeZone)],
  ] as const
  return {
    id: `${first.incidentId}-${incidents.length}-${nameOf(state, first)}`,
    state,
    title: `${verbs[state]}: ${fill(alerts, incidents.length)}`,
    facts: [...listed, ...(more > 0 ? [[labels.and, fill(moreText, more)] as const] : []), ...times],
    url: allUrl,
    language,
  }
}

export function testText(id: string, name: string, url: string, language: DashboardLanguage): AlertText {
  const { verbs, labels, testTitle, testFact } = alertTexts[language]
  const title = oneLine(`${verbs.test}: ${fillTemplate(testTitle, [name], language)}`)
  return { id, state: 'test', url, title, facts: [[labels.what, testFact]], language }
}
