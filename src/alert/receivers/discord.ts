import type { AlertText } from '#alert/alertText.ts'
import { colours, cut, type ReceiverRequest } from './receiver.ts'

const escapeMarkdown = (text: string) => text.replace(/[\\*_~`|>#[\]()<@]/g, '\\$&')

/**
 * https://discord.com/developers/docs/resources/webhook#execute-webhook; the limits of embeds:
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits
 */
export function toDiscord({ state, title, facts, url }: AlertText, { url: webhook }: { url: string }): ReceiverRequest {
  const json = {
    // A mention in a name must not notify anybody.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: cut(escapeMarkdown(title), 256),
        url,
        color: colours[state],
        fields: facts.map(([label, value]) => ({
          name: cut(escapeMarkdown(label), 200) || '-',
          value: cut(escapeMarkdown(value), 240) || '-',
        })),
      },
    ],
  }
  return { spec: { url: webhook, json }, host: 'customer' }
}
