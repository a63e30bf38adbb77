import { terminalText } from '#contract/displayText.ts'
import { toWallTime } from './localTime.ts'

/** What one message says, in plain text without line ends. `url`: the page that explains it. */
export type AlertText = {
  /** Names what one message tells of, the same when it is repeated. */
  id: string
  state: 'started' | 'ended' | 'test'
  title: string
  facts: readonly (readonly [label: string, value: string])[]
  url: string
}

/** The part of an incident that its message tells. */
export type ToldIncident = {
  incidentId: string
  rule: string
  title: string
  detail: string
  timeZone: string
  firstAt: number
  lastAt: number
  url: string
}

const maxListed = 10
const maxLine = 200

/** One line of visible signs: names come from strangers, and a line end in one could forge a line or a header. */
export const oneLine = (text: string, max = maxLine): string => {
  const line = terminalText(text.slice(0, 4 * max).toWellFormed())
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line
}

const timeText = (at: number, timeZone: string) =>
  `${new Date(toWallTime(at, timeZone)).toISOString().slice(0, 16).replace('T', ' ')} (${timeZone})`

const verbs = { started: 'Started', ended: 'Ended', test: 'Test' } as const

function oneIncident(state: 'started' | 'ended', told: ToldIncident): AlertText {
  const { rule, title, detail, timeZone, firstAt, lastAt, url, incidentId } = told
  return {
    id: `${incidentId}-${state}`,
    state,
    title: oneLine(`${verbs[state]}: ${title}`),
    facts: [
      ['What', oneLine(detail)],
      ['First event', timeText(firstAt, timeZone)],
      ['Last event', timeText(lastAt, timeZone)],
      ['Rule', oneLine(rule)],
    ],
    url,
  }
}

/** One message about incidents that started, or that ended, together. `allUrl`: the page that lists them. */
export function incidentText(
  state: 'started' | 'ended',
  told: readonly [ToldIncident, ...ToldIncident[]],
  allUrl: string,
): AlertText {
  const [first, ...others] = told
  if (others.length === 0) return oneIncident(state, first)
  const listed = told.slice(0, maxListed).map((each) => [oneLine(each.title, 100), oneLine(each.detail)] as const)
  const more = told.length - listed.length
  const times = [
    ['First event', timeText(Math.min(...told.map(({ firstAt }) => firstAt)), first.timeZone)],
    ['Last event', timeText(Math.max(...told.map(({ lastAt }) => lastAt)), first.timeZone)],
  ] as const
  return {
    id: `${first.incidentId}-${told.length}-${state}`,
    state,
    title: `${verbs[state]}: ${told.length} alerts`,
    facts: [...listed, ...(more > 0 ? [['And', `${more} more`] as const] : []), ...times],
    url: allUrl,
  }
}

export const testText = (id: string, name: string, url: string): AlertText => ({
  ...{ id, state: 'test', url, title: oneLine(`${verbs.test}: a message to ${name}`) },
  facts: [['What', 'Alerts of this contact point look like this. Nothing is wrong.']],
})
