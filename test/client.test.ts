import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { ApiError, type Client, client } from '#contract/client.ts'
import type { ErrorObject } from '#contract/errorObject.ts'
import { makeCustomer, openTestControl, sealPlain } from './fake/testControl.ts'
import { makeEvent } from './fake/testEvents.ts'

const control = await openTestControl()
after(control.close)
const customer = await makeCustomer(control)
const { token, teamId, tagId } = customer
let origin: string
let api: Client

before(async () => {
  origin = await control.app.listen({ port: 0, host: '127.0.0.1' })
  api = client({ baseUrl: `${origin}/v1`, token, teamId })
})

test('the life of a script through the typed client, over a real connection', async () => {
  const tag = await api.createTag({ body: { name: 'client', domain: 'example.com' } })
  const secrets = await sealPlain(control, customer, 'eventSink', ['EVENT_SINK_URL', 'TEXT', 'https://a.example'])
  const write = { name: 'sink', providerId: 'eventSink', tagId: tag.tagId } as const
  const { scriptId } = await api.createScript({ body: { ...write, secrets } })
  await api.updateScript({ scriptId, body: { ...write, geoRegions: 'EU' } })
  const script = await api.readScript({ scriptId })
  assert.deepEqual(
    [script.name, script.geoRegions, script.secrets?.EVENT_SINK_URL?.value],
    ['sink', 'EU', 'https://a.example'],
  )
  assert.deepEqual(await api.listScripts({ tagId: tag.tagId }), { scripts: [script] })
  assert.deepEqual(await api.deleteScript({ scriptId }), { errors: [] })
  await assert.rejects(api.deleteScript({ scriptId }), (error) => error instanceof ApiError && error.statusCode === 406)
})

test('what anyone may read, and who the token is', async () => {
  const open = client({ baseUrl: `${origin}/v1` })
  assert.equal((await open.readKeys()).keys.length, 2)
  assert.equal((await open.readOpenapi()).openapi, '3.1.0')
  assert.equal((await api.readMe()).teamId, teamId)
  assert.ok((await api.readManifest()).providers?.some(({ value }) => value === 'eventSink'))
  await assert.rejects(open.readMe(), { name: 'ApiError', statusCode: 401 })
})

test('an eventId with every kind of character is found', async () => {
  const eventId = 'a/b?c#d%20é 日本 😀 +&='
  await makeEvent(control, customer, eventId)
  assert.equal((await api.readEvent({ tagId, eventId })).eventId, eventId)
  assert.equal((await api.listEvents({ tagId })).events[0]?.eventId, eventId)
})

/** Sends a body of this size in pieces, without a Content-Length. */
function pour(bytes: number): Promise<{ status: number | undefined; body: ErrorObject }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'team-id': teamId, 'content-type': 'application/json' }
    const sent = request(`${origin}/v1/tag`, { method: 'POST', headers }, async (answer) => {
      const parts = await answer.toArray()
      resolve({ status: answer.statusCode, body: JSON.parse(Buffer.concat(parts).toString()) as ErrorObject })
    })
    sent.on('error', reject)
    sent.write('"')
    for (let left = bytes; left > 0; left -= 65_536) sent.write('x'.repeat(65_536))
    sent.end('"')
  })
}

test('a body that only turns out to be too large on the way is 413', async () => {
  const { status, body } = await pour(2 * 1024 * 1024)
  assert.deepEqual([status, body.error], [413, 'BODY_TOO_LARGE'])
  assert.equal((await pour(1024 * 1024)).body.error, 'BAD_REQUEST')
})
