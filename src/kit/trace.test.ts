import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startTraces, traced } from './trace.ts'

test('work runs without a span while traces are off', async () => {
  for (const env of [
    {},
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
  ]) {
    const traces = await startTraces(env)
    assert.equal(
      traced('attempt', {}, () => 7),
      7,
    )
    await traces.close()
  }
})

test('spans are sent to the endpoint of the standard variables, also for failed work', async (t) => {
  let got = ''
  const collector = createServer(async (request, response) => {
    for await (const chunk of request) got += chunk
    response.end()
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  t.after(() => collector.close())
  const { port } = collector.address() as AddressInfo
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
  const before = { ...process.env }
  Object.assign(process.env, settings)
  t.after(() => {
    process.env = before
  })
  const traces = await startTraces(settings)
  assert.equal(await traced('edge.tag', { attributes: { 'http.route': '/tag' } }, async () => 'done'), 'done')
  assert.throws(() =>
    traced('attempt', {}, () => {
      throw new RangeError('secret text')
    }),
  )
  await assert.rejects(traced('attempt.later', {}, () => Promise.reject(new Error('no'))))
  await traces.close()
  for (const name of ['edge.tag', 'attempt.later', 'aglet', 'RangeError']) assert.ok(got.includes(name), name)
  assert.ok(
    !got.includes('secret text'),
    'only the name of an error is sent, because its message may hold personal data',
  )
})

test('an unreachable collector fails neither the work nor the stop', async (t) => {
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
  const before = { ...process.env }
  Object.assign(process.env, settings)
  t.after(() => {
    process.env = before
  })
  const traces = await startTraces(settings)
  assert.equal(
    traced('edge.tag', {}, () => 7),
    7,
  )
  await traces.close()
})
