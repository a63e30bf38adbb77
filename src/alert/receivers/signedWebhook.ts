import type { AlertText } from '#alert/alertText.ts'
import type { ReceiverRequest } from './receiver.ts'

const types = {
  started: 'alert.firing',
  repeated: 'alert.firing',
  ended: 'alert.resolved',
  test: 'alert.test',
} as const

/** Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export function toSignedWebhook(
  { id, state, title, facts, url }: AlertText,
  { url: webhook, secret, data, now }: { url: string; secret: string; data: object; now: number },
): ReceiverRequest {
  const content = { title, facts: facts.map(([label, value]) => ({ label, value })), url }
  const json = { type: types[state], timestamp: new Date(now).toISOString(), data: { ...data, ...content } }
  return { spec: { url: webhook, json, sign: { standardWebhooks: secret, id } }, host: 'customer' }
}
