import { alertTexts } from '#alert/alertPhrases.ts'
import type { AlertText } from '#alert/alertText.ts'
import type { ReceiverRequest } from './receiver.ts'

const line = (text: string, style: object = {}) => ({ type: 'TextRun', text, ...style })

/**
 * A message of the workflow "Post to a channel when a webhook request is received". The text is in runs, which read no
 * Markdown: https://adaptivecards.io/explorer/TextRun.html
 */
export function toTeams(
  { state, title, facts, url, language }: AlertText,
  { url: webhook }: { url: string },
): ReceiverRequest {
  const color = { started: 'Attention', repeated: 'Attention', ended: 'Good', test: 'Default' }[state]
  const json = {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            { type: 'RichTextBlock', inlines: [line(title, { weight: 'Bolder', size: 'Medium', color })] },
            ...facts.map(([label, value]) => ({
              type: 'RichTextBlock',
              inlines: [line(`${label}: `, { weight: 'Bolder' }), line(value)],
            })),
          ],
          actions: [{ type: 'Action.OpenUrl', title: alertTexts[language].labels.open, url }],
        },
      },
    ],
  }
  return { spec: { url: webhook, json }, host: 'customer' }
}
