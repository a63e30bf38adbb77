import { alertTexts } from '#alert/alertPhrases.ts'
import type { AlertText } from '#alert/alertText.ts'
import { cut, type ReceiverRequest } from './receiver.ts'

/**
 * https://api.slack.com/reference/surfaces/formatting#escaping: otherwise `<!channel>` in a name would notify
 * everybody.
 */
const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** https://api.slack.com/messaging/webhooks; the limits: https://api.slack.com/reference/block-kit/blocks */
export function toSlack(
  { title, facts, url, language }: AlertText,
  { url: webhook }: { url: string },
): ReceiverRequest {
  const lines = facts.map(([label, value]) => `*${escapeText(label)}:* ${escapeText(value)}`)
  const json = {
    text: escapeText(title),
    unfurl_links: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(title, 150), emoji: false } },
      { type: 'section', text: { type: 'mrkdwn', text: cut(lines.join('\n'), 3_000), verbatim: true } },
      {
        type: 'actions',
        elements: [{ type: 'button', text: { type: 'plain_text', text: alertTexts[language].labels.open }, url }],
      },
    ],
  }
  return { spec: { url: webhook, json }, host: 'customer' }
}
