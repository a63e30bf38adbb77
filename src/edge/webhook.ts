import { createHash } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { fault } from '#contract/fault.ts'
import { equalBytes } from '#kit/cipher.ts'
import type { CustomerCode } from '#provider/form/customerCode.ts'
import type { RunResult } from '#sandbox/job.ts'
import { sandboxLimits } from '#sandbox/sandboxLimits.ts'
import type { SnapshotScript } from '#script/snapshot.ts'
import { type CodeRequest, sandboxJob } from '#webhook/sandboxJob.ts'
import { webhookHostFunctions } from '#webhook/webhookHostFunctions.ts'
import { publicHeaders, readResponse, type WebhookResponse } from '#webhook/webhookResponse.ts'
import type { EdgeCall } from './edge.ts'
import { receiveRawBody } from './receiveBody.ts'
import { countBodyBytes, overloaded, refuseWhenBusy } from './requestGuards.ts'
import { seenTagUrl } from './seenTagUrl.ts'
import { countErasures, journalRun, recordHandled, shownRequest } from './webhookRun.ts'

/** A webhook's address and all addresses below it. The code distinguishes them by the URL. */
const webhookPath = /^\/webhook\/(scr_[0-9a-z]+)(?:\/|$)/

export const isWebhook = (path: string) => path.startsWith('/webhook/')

/**
 * `GET` and `POST /webhook/{scriptId}` and the addresses below: runs the customer's code, which returns the response. Throws notFound,
 * webhookTokenRefused, intakeRateExceeded, overloaded, bodyTooLarge, webhookOff and webhookFailed.
 */
export async function runWebhook(
  call: EdgeCall,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const { edge, tag, request } = call
  const { script, code } = webhookOf(call)
  refuseWhenBusy(call)
  const erasures = countErasures(edge)
  const secrets = await edge.deps.plaintexts(tag, script)
  refuseWithoutToken(request, secrets.WEBHOOK_TOKEN)
  edge.deps.intakeRate.takeCall(tag, Boolean(secrets.WEBHOOK_TOKEN))
  if (edge.deps.snapshots.isPaused(script.scriptId)) throw overloaded(pausedSeconds)
  const countBytes = countBodyBytes(call, response)
  const body = request.method === 'POST' && (await receiveRawBody(request, sandboxLimits.paramsBytes, countBytes))
  const { scriptId } = script
  const { calls, handled } = recordHandled(
    webhookHostFunctions({ tag, scriptId, captures: () => edge.deps.captures.ofTag(tag) }, edge.deps),
  )
  const received = codeRequest(call, body || undefined)
  const job = sandboxJob({ tag, script, code, secrets }, { request: received }, calls)
  const [at, startedAt] = [edge.deps.clock.now(), performance.now()]
  const result = await edge.deps.runCode(job)
  const durationMs = Math.round(performance.now() - startedAt)
  const shown = shownRequest(received, scriptId, [...(job.secrets ?? []), secrets.WEBHOOK_TOKEN ?? ''])
  const texts = [...handled.texts, received.latin1 ?? received.body ?? '', received.url]
  const isErasedSince = countErasures(edge) !== erasures
  const finished = { result, at, durationMs, handled: { ...handled, texts }, request: shown, isErasedSince }
  const answer = journalRun(call, scriptId, finished, answerOf)
  const text = isEmpty(answer) ? '' : answer.body
  const length = isEmpty(answer) ? {} : { 'content-length': Buffer.byteLength(text) }
  response.writeHead(answer.status, { ...headers, 'cache-control': 'no-store', ...publicHeaders(answer), ...length })
  response.end(text)
}

const pausedSeconds = 60
const isEmpty = ({ status }: WebhookResponse) => status === 204 || status === 205 || status === 304

function webhookOf({ edge, tag, path }: EdgeCall): { script: SnapshotScript; code: CustomerCode } {
  const scriptId = webhookPath.exec(path)?.[1]
  const script = tag.scripts.find((each) => each.scriptId === scriptId)
  const code = script && edge.deps.providers[script.providerId]?.code
  if (code?.argument !== 'request') throw fault('notFound')
  return { script: script!, code }
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** The possible tokens of a call: a bearer token, name or password of HTTP Basic, or the header X-Webhook-Token. */
function givenTokens({ authorization = '', 'x-webhook-token': header }: IncomingMessage['headers']): string[] {
  const bearer = /^Bearer +([^ ].*)$/i.exec(authorization)?.[1]?.trim()
  const basic = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization)?.[1]
  const pair = basic ? Buffer.from(basic, 'base64').toString() : ''
  const colon = pair.indexOf(':')
  const parts = basic ? [pair.slice(0, colon < 0 ? pair.length : colon), pair.slice(colon + 1)] : []
  return [bearer, ...parts, header].filter((text): text is string => typeof text === 'string' && text !== '')
}

/** Compares digests, which have equal lengths, so that timing reveals nothing about the token. */
function refuseWithoutToken({ headers }: IncomingMessage, token: string | undefined): void {
  if (!token) return
  if (givenTokens(headers).some((given) => equalBytes(digest(given), digest(token)))) return
  throw fault('webhookTokenRefused', { headers: { 'www-authenticate': 'Bearer' } })
}

/** Hides hop-by-hop headers and cookies: on an origin shared by tags, cookies may belong to another tag's pages. */
const isVisible = (name: string) =>
  !/^(connection|cookie|content-length|transfer-encoding|keep-alive|upgrade|te|trailer)$/.test(name)

/** The request that the code receives, with its public URL. */
function codeRequest(call: EdgeCall, received?: Body): CodeRequest {
  const { path, query, request } = call
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    isVisible(name) && !(received?.isUnpacked && name === 'content-encoding')
      ? [[name, [value ?? ''].flat().join(', ')]]
      : [],
  )
  const url = `${seenTagUrl(call)}${path}${query && `?${query}`}`
  if (!received) return { url, method: 'GET', headers }
  const { bytes } = received
  const text = bytes.toString()
  const body = Buffer.from(text).equals(bytes) ? { body: text } : { latin1: bytes.toString('latin1') }
  return { url, method: 'POST', headers, ...body }
}

type Body = Awaited<ReturnType<typeof receiveRawBody>>

/** The response of the code. Reports a failure with its line in the customer's code, with secrets redacted. */
function answerOf(ran: RunResult): WebhookResponse {
  if ('value' in ran) {
    const answer = readResponse(ran.value)
    if (answer) return answer
    throw fault('webhookFailed', { message: 'The code of this webhook did not return a Response.' })
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
