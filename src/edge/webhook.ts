import { createHash } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { fault } from '#contract/fault.ts'
import { sameBytes } from '#kit/cipher.ts'
import type { CustomerCode } from '#provider/form/customerCode.ts'
import type { Ran } from '#sandbox/job.ts'
import { limits } from '#sandbox/limits.ts'
import type { SnapshotScript } from '#script/snapshot.ts'
import { webhookCalls } from '#webhook/calls.ts'
import { type Handed, jobOf } from '#webhook/job.ts'
import { outHeaders, readResponse, type WebhookResponse } from '#webhook/response.ts'
import { receiveAnything } from './body.ts'
import type { Call } from './edge.ts'
import { holdBody, overloaded, refuseWhenBusy } from './gate.ts'

const webhookPath = /^\/webhook\/(scr_[0-9a-z]+)$/

export const isWebhook = (path: string) => path.startsWith('/webhook/')

/**
 * `POST /webhook/{scriptId}`: the customer's code answers. Throws notFound, tokenRefused, intakeRateExceeded, overloaded,
 * bodyTooLarge, webhookOff and webhookFailed.
 */
export async function runWebhook(call: Call, response: ServerResponse, headers: OutgoingHttpHeaders): Promise<void> {
  const { edge, tag, request } = call
  const { script, code } = webhookOf(call)
  refuseWhenBusy(edge)
  const secrets = await edge.on.plaintexts(tag, script)
  refuseWithoutToken(request, secrets.WEBHOOK_TOKEN)
  edge.on.intakeRate.takeCall(tag, Boolean(secrets.WEBHOOK_TOKEN))
  if (edge.on.snapshots.isPaused(script.scriptId)) throw overloaded(pausedSeconds)
  const body = await receiveAnything(request, limits.paramsBytes, holdBody(edge, response))
  const calls = webhookCalls({ tag, scriptId: script.scriptId }, edge.on)
  const job = jobOf({ tag, script, code, secrets }, { request: handed(call, body) }, calls)
  const answer = answerOf(await edge.on.runCode(job))
  const text = isEmpty(answer) ? '' : answer.body
  const length = isEmpty(answer) ? {} : { 'content-length': Buffer.byteLength(text) }
  response.writeHead(answer.status, { ...headers, 'cache-control': 'no-store', ...outHeaders(answer), ...length })
  response.end(text)
}

const pausedSeconds = 60
const isEmpty = ({ status }: WebhookResponse) => status === 204 || status === 205 || status === 304

function webhookOf({ edge, tag, path }: Call): { script: SnapshotScript; code: CustomerCode } {
  const scriptId = webhookPath.exec(path)?.[1]
  const script = tag.scripts.find((each) => each.scriptId === scriptId)
  const code = script && edge.on.providers[script.providerId]?.code
  if (code?.argument !== 'request') throw fault('notFound')
  return { script: script!, code }
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Compared by digests, which are of one length: how much of a guess was right cannot be timed. */
function refuseWithoutToken({ headers }: IncomingMessage, token: string | undefined): void {
  if (!token) return
  const given = /^Bearer +([^ ].*)$/i.exec(headers.authorization ?? '')?.[1]?.trim()
  if (given !== undefined && sameBytes(digest(given), digest(token))) return
  throw fault('webhookTokenRefused', { headers: { 'www-authenticate': 'Bearer' } })
}

/** Of the connection, and cookies: on an origin that tags share they may be of somebody else's pages. */
const kept = (name: string) =>
  !/^(connection|cookie|content-length|transfer-encoding|keep-alive|upgrade|te|trailer)$/.test(name)

/** The request as code sees it, at its public address. */
function handed({ edge, tag, tagPath, path, query, request }: Call, { bytes, isPlain }: Body): Handed {
  const base = tagPath
    ? edge.on.tagUrl(tag.tagId)
    : `${edge.on.development ? 'http' : 'https'}://${request.headers.host}`
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    kept(name) && !(isPlain && name === 'content-encoding') ? [[name, [value ?? ''].flat().join(', ')]] : [],
  )
  const url = `${base}${path}${query && `?${query}`}`
  const text = bytes.toString()
  const body = Buffer.from(text).equals(bytes) ? { body: text } : { latin1: bytes.toString('latin1') }
  return { url, method: 'POST', headers, ...body }
}

type Body = Awaited<ReturnType<typeof receiveAnything>>

/** What the code answered. What kept it from answering is told with the customer's own line, secrets struck out. */
function answerOf(ran: Ran): WebhookResponse {
  if ('value' in ran) {
    const answer = readResponse(ran.value)
    if (answer) return answer
    throw fault('webhookFailed', { message: 'The code of this webhook gave no Response.' })
  }
  if ('error' in ran) {
    const { message, ...place } = ran.error
    throw fault('webhookFailed', { attributes: { message, ...place } })
  }
  if ('breach' in ran) {
    if (ran.breach === 'params') throw fault('bodyTooLarge')
    throw fault('webhookFailed', { attributes: { message: ran.message, limit: ran.breach } })
  }
  if (ran.notRun === 'off') throw fault('webhookOff', { headers: { 'retry-after': `${pausedSeconds}` } })
  throw overloaded(1)
}
