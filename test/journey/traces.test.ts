import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { makeCustomer, makeScript, openAglet, settledJourney, sinkAt, until } from '../fake/aglet.ts'

type Value = { stringValue?: string; intValue?: number }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: { key: string; value: Value }[]
  links?: { traceId: string; spanId: string }[]
  status: { code?: number }
}
type Export = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
const kinds = { internal: 1, server: 2, client: 3 }

/** A server on a free port. */
async function listen(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle as () => void).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const spans: Span[] = []
const collector = await listen(async (request, response) => {
  const sent = (await json(request)) as Export
  spans.push(...sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
  response.end('{}')
})
const received: IncomingHttpHeaders[] = []
const sink = await listen((request, response) => {
  received.push(request.headers)
  request.resume()
  response.end()
})

const aglet = await openAglet('traces', {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '50',
  AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
})
const customer = await makeCustomer(aglet, 'traces')
await makeScript(customer, 'eventSink', 'sink', sinkAt(sink))

const attribute = ({ attributes }: Span, name: string) => {
  const { stringValue, intValue } = attributes.find(({ key }) => key === name)?.value ?? {}
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue))
}
const spanNamed = (name: string, traceId?: string) =>
  spans.find((span) => span.name === name && (traceId === undefined || span.traceId === traceId))

async function findSpan(name: string, traceId?: string): Promise<Span> {
  await until(async () => spanNamed(name, traceId) !== undefined)
  return spanNamed(name, traceId)!
}

const send = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${customer.tagUrl}/tag`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

test('the trace of a caller goes on over the intake and the queue to the customer\u2019s own destination', async () => {
  const [traceId, callerSpan] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const consent = { storage: { service: { consent: { all: true } } } }
  const event = { eventName: 'Lead', eventId: 'traced-1', timestamp: Date.now(), ...consent }
  assert.equal((await send(event, { traceparent: `00-${traceId}-${callerSpan}-01` })).status, 200)
  await settledJourney(customer, 'traced-1')
  const server = await findSpan('POST /tag', traceId)
  assert.deepEqual([server.kind, server.parentSpanId, server.status.code ?? 0], [kinds.server, callerSpan, 0])
  assert.equal(attribute(server, 'http.request.method'), 'POST')
  assert.equal(attribute(server, 'http.route'), '/tag')
  assert.equal(attribute(server, 'http.response.status_code'), 200)
  const append = await findSpan('append', traceId)
  assert.equal(append.parentSpanId, server.spanId)
  const attempt = await findSpan('attempt')
  for (const linked of [attempt, await findSpan('plan')])
    assert.deepEqual(
      linked.links?.map((link) => [link.traceId, link.spanId]),
      [[traceId, server.spanId]],
      linked.name,
    )
  assert.equal(attribute(attempt, 'aglet.provider'), 'eventSink')
  const call = await findSpan('POST', attempt.traceId)
  assert.deepEqual([call.kind, call.parentSpanId], [kinds.client, attempt.spanId])
  assert.equal(attribute(call, 'http.response.status_code'), 200)
  assert.equal(attribute(call, 'server.address'), '127.0.0.1')
  assert.equal(received[0]?.traceparent, `00-${call.traceId}-${call.spanId}-01`)
})

test('a request that is refused is no error of the server, and its span has the route and no id', async () => {
  assert.equal((await send({})).status, 400)
  const path = `/tag/${customer.tagId}/user/usr_secret`
  const headers = { authorization: `Bearer ${customer.token}`, 'team-id': customer.teamId }
  assert.equal((await fetch(`${customer.baseUrl}${path}`, { headers })).status, 404)
  const control = await findSpan('GET /v1/tag/:tagId/user/:userId')
  assert.deepEqual([attribute(control, 'http.response.status_code'), control.status.code ?? 0], [404, 0])
  await until(async () => spans.some((span) => attribute(span, 'http.response.status_code') === 400))
  const refused = spans.find((span) => attribute(span, 'http.response.status_code') === 400)!
  assert.deepEqual([refused.name, refused.status.code ?? 0], ['POST /tag', 0])
  assert.ok(!JSON.stringify(spans).includes('usr_secret'))
})
