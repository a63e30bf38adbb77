import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeExchange } from '#journal/encodedExchange.ts'
import { redactExchange } from '#journal/redactExchange.ts'
import { redactor } from '#provider/engine/redaction.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'
import { redactedSecrets } from './attemptContext.ts'

const redactedOf = (id: 'eventSink' | 'facebook', secrets: Record<string, string>) =>
  redactedSecrets({ provider: providers[id] as unknown as Provider, secrets })

test('what GET /script shows of a script is shown in the journey, and what it hides is redacted', () => {
  const secrets = {
    EVENT_SINK_URL: 'https://warehouse.example.com/in',
    EVENT_SINK_HEADERS: '{"x-key": "canary-1234"}',
    EVENT_SINK_SECRET: 'whsec_canary',
  }
  assert.deepEqual(redactedOf('eventSink', secrets), ['{"x-key": "canary-1234"}', 'whsec_canary'])
  const redact = redactor({ secrets: redactedOf('eventSink', secrets), persons: [] })
  const sent = { method: 'POST', url: secrets.EVENT_SINK_URL, headers: { 'x-key': 'canary-1234' }, body: 'canary-1234' }
  const { request } = decodeExchange(redactExchange(sent as never, undefined, redact))
  assert.equal(request.url, 'https://warehouse.example.com/in')
  assert.doesNotMatch(JSON.stringify(request), /canary/)
})

test('a variable that the provider no longer declares counts as a secret', () => {
  assert.deepEqual(redactedOf('eventSink', { EARLIER: 'canary-1234' }), ['canary-1234'])
})
