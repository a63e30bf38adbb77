import { alertTexts } from '#alert/alertPhrases.ts'
import type { AlertText } from '#alert/alertText.ts'
import { cut, type ReceiverRequest } from './receiver.ts'

const enqueue = 'https://events.pagerduty.com/v2/enqueue'

/** Makes equal labels distinct: they are the keys of one object. */
const withOwnLabels = (facts: AlertText['facts']) =>
  facts.map(([label, value], at) => {
    const isRepeated = facts.findIndex(([other]) => other === label) < at
    return [isRepeated ? `${label} (${at + 1})` : label, value] as const
  })

/**
 * Events API v2: https://developer.pagerduty.com/docs/send-alert-event. `dedupKey` joins the end of an incident to its
 * start. A test triggers an alert of the lowest severity.
 */
export function toPagerDuty(
  { state, title, facts, url, language }: AlertText,
  { routingKey, dedupKey, source }: { routingKey: string; dedupKey: string; source: string },
): ReceiverRequest {
  const json = {
    routing_key: routingKey,
    event_action: state === 'ended' ? 'resolve' : 'trigger',
    dedup_key: cut(dedupKey, 255),
    payload: {
      summary: cut(title, 1_024),
      source,
      severity: state === 'test' ? 'info' : 'error',
      custom_details: Object.fromEntries(withOwnLabels(facts)),
    },
    links: [{ href: url, text: alertTexts[language].labels.open }],
  }
  return { spec: { url: enqueue, json }, host: 'fixed' }
}
