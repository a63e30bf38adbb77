import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import type { AlertMail } from '#alert/receivers/mailText.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'

/** The content of a message as a receiver understood it. */
export type ReceivedAlert = {
  kind: string
  state: 'started' | 'repeated' | 'ended' | 'test'
  text: string
  json: unknown
  at: number
}

type Json = Record<string, unknown>
const texts = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value ? Object.values(value).flatMap(texts) : []
const only = (json: Json, names: readonly string[]) =>
  assert.deepEqual(
    Object.keys(json).filter((name) => !names.includes(name)),
    [],
    'members that the page does not name',
  )
const textUpTo = (value: unknown, max: number) => {
  assert.equal(typeof value, 'string')
  assert.ok((value as string).length >= 1 && (value as string).length <= max, `${String(value).length} of ${max}`)
}
const words = [
  ['ended', /Ended: |Beendet: /],
  ['repeated', /Still lasts: |Dauert an: /],
  ['test', /Test: /],
] as const
const stateIn = (text: string): ReceivedAlert['state'] => words.find(([, word]) => word.test(text))?.[0] ?? 'started'

/** https://api.slack.com/messaging/webhooks and https://api.slack.com/reference/block-kit/blocks */
function readSlack(json: Json): SendResult {
  only(json, ['text', 'blocks', 'unfurl_links'])
  assert.doesNotMatch(String(json.text), /[<>]/, 'a name may not be a mention or a link')
  const blocks = json.blocks as { type: string; text?: { type: string; text: string }; elements?: Json[] }[]
  assert.ok(blocks.length <= 50)
  for (const { type, text, elements } of blocks)
    if (type === 'header') {
      assert.equal(text?.type, 'plain_text')
      textUpTo(text?.text, 150)
    } else if (type === 'section') {
      assert.equal(text?.type, 'mrkdwn')
      textUpTo(text?.text, 3_000)
      assert.doesNotMatch(text!.text, /[<>]/, 'a name may not be a mention or a link')
    } else if (type === 'actions') {
      for (const { type: kind, url } of elements!) assert.ok(kind === 'button' && URL.canParse(String(url)))
    } else assert.fail(`no block of this type: ${type}`)
  return { status: 200, headers: {}, body: 'ok', durationMs: 1 }
}

/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using */
function readTeams(json: Json): SendResult {
  only(json, ['type', 'attachments'])
  assert.equal(json.type, 'message')
  for (const { contentType, content } of json.attachments as { contentType: string; content: Json }[]) {
    assert.equal(contentType, 'application/vnd.microsoft.card.adaptive')
    only(content, ['$schema', 'type', 'version', 'body', 'actions'])
    assert.deepEqual([content.type, content.version], ['AdaptiveCard', '1.4'])
    for (const { type, inlines } of content.body as { type: string; inlines: Json[] }[]) {
      assert.equal(type, 'RichTextBlock', 'a TextBlock reads Markdown')
      for (const run of inlines) assert.equal(run.type, 'TextRun')
    }
    for (const { type, url } of content.actions as Json[])
      assert.ok(type === 'Action.OpenUrl' && URL.canParse(String(url)))
  }
  return { status: 202, headers: {}, body: '', durationMs: 1 }
}

/** https://discord.com/developers/docs/resources/webhook#execute-webhook */
function readDiscord(json: Json): SendResult {
  only(json, ['allowed_mentions', 'embeds'])
  assert.deepEqual(json.allowed_mentions, { parse: [] })
  const embeds = json.embeds as { title: string; color: number; fields: { name: string; value: string }[] }[]
  assert.ok(embeds.length >= 1 && embeds.length <= 10)
  for (const { title, color, fields } of embeds) {
    textUpTo(title, 256)
    assert.ok(Number.isInteger(color) && color <= 0xffffff)
    assert.ok(fields.length <= 25)
    for (const { name, value } of fields) {
      textUpTo(name, 256)
      textUpTo(value, 1_024)
    }
  }
  assert.ok(texts(embeds).join('').length <= 6_000)
  return { status: 204, headers: {}, body: '', durationMs: 1 }
}

/** https://developer.pagerduty.com/docs/send-alert-event */
function readPagerDuty(json: Json): SendResult {
  only(json, ['routing_key', 'event_action', 'dedup_key', 'payload', 'links'])
  assert.match(String(json.routing_key), /^[A-Za-z0-9]{32}$/)
  assert.ok(['trigger', 'resolve'].includes(String(json.event_action)))
  textUpTo(json.dedup_key, 255)
  const payload = json.payload as Json
  only(payload, ['summary', 'source', 'severity', 'custom_details'])
  textUpTo(payload.summary, 1_024)
  textUpTo(payload.source, 1_000)
  assert.ok(['critical', 'error', 'warning', 'info'].includes(String(payload.severity)))
  for (const { href } of json.links as Json[]) assert.ok(URL.canParse(String(href)))
  return { status: 202, headers: {}, body: JSON.stringify({ status: 'success' }), durationMs: 1 }
}

const readers: Record<string, [kind: string, read: (json: Json) => SendResult]> = {
  'hooks.slack.com': ['slack', readSlack],
  'prod.westeurope.logic.azure.com': ['teams', readTeams],
  'discord.com': ['discord', readDiscord],
  'events.pagerduty.com': ['pagerDuty', readPagerDuty],
}

export const receiverUrls = {
  slack: 'https://hooks.slack.com/services/T000/B000/key',
  teams: 'https://prod.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke?sig=key',
  discord: 'https://discord.com/api/webhooks/1/key',
  webhook: 'https://ops.shop.example/alerts',
} as const
export const routingKey = 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6'

/** Receivers of every kind that validate messages, and answer as documented. */
export function openReceivers(clock: { now(): number }, secretOf: () => string) {
  const got: ReceivedAlert[] = []
  function readWebhook(body: string, headers: Record<string, string>): SendResult {
    const expected = new Webhook(secretOf()).sign(
      headers['webhook-id']!,
      new Date(Number(headers['webhook-timestamp']) * 1_000),
      body,
    )
    assert.equal(headers['webhook-signature'], expected)
    assert.match((JSON.parse(body) as Json).type as string, /^alert\.(firing|resolved|test)$/)
    return { status: 200, headers: {}, body: '', durationMs: 1 }
  }
  async function send({ url, headers, body = '' }: WireRequest): Promise<SendResult> {
    const [kind, read] = readers[new URL(url).host] ?? ['webhook']
    assert.equal(headers['content-type'], 'application/json')
    const json = JSON.parse(String(body)) as Json
    const answer = read ? read(json) : readWebhook(String(body), headers)
    const text = texts(json).join('\n')
    assert.doesNotMatch(text.replaceAll('\n', ' '), /\p{Cc}/u, 'no text has a control character')
    const state = json.event_action === 'resolve' ? 'ended' : stateIn(text)
    got.push({ kind, state, text, json, at: clock.now() })
    return answer
  }
  async function sendAlertMail(mail: AlertMail) {
    assert.doesNotMatch(mail.subject, /[\p{Cc}\u2028\u2029]/u)
    assert.ok(mail.subject.length <= 200)
    got.push({ kind: 'email', state: stateIn(mail.subject), text: texts(mail).join('\n'), json: mail, at: clock.now() })
    return { status: 'sent' as const }
  }
  return { got, send, sendAlertMail }
}
