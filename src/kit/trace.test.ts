import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { spanned, startTraces } from './trace.ts'

test('while nobody asks for traces the work is simply done', async () => {
  for (const env of [
    {},
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
  ]) {
    const traces = await startTraces(env)
    assert.equal(
      spanned('attempt', {}, () => 7),
      7,
    )
    await traces.close()
  }
})

test('spans go to the endpoint that the standard variables name, also those of work that failed', async (t) => {
  let got = ''
  const collector = createServer(async (request, response) => {
    for await (const chunk of request) got += chunk
    response.end()
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  t.after(() => collector.close())
  const { port } = collector.address() as AddressInfo
  const named = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
  const before = { ...process.env }
  Object.assign(process.env, named)
  t.after(() => {
    process.env = before
  })
  const traces = await startTraces(named)
  assert.equal(await spanned('edge.tag', { 'http.route': '/tag' }, async () => 'done'), 'done')
  assert.throws(() =>
    spanned('attempt', {}, () => {
      throw new RangeError('secret text')
    }),
  )
  await assert.rejects(spanned('attempt.later', {}, () => Promise.reject(new Error('no'))))
  await traces.close()
  for (const name of ['edge.tag', 'attempt.later', 'aglet', 'RangeError']) assert.ok(got.includes(name), name)
  assert.ok(!got.includes('secret text'), 'the text of an error may hold anything: only its name is sent')
})

test('a collector that is not there neither fails the work nor the stop', async (t) => {
  const named = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
  const before = { ...process.env }
  Object.assign(process.env, named)
  t.after(() => {
    process.env = before
  })
  const traces = await startTraces(named)
  assert.equal(
    spanned('edge.tag', {}, () => 7),
    7,
  )
  await traces.close()
})
