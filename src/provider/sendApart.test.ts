import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { makeSend } from './send.ts'
import { sendApart } from './sendApart.ts'

type Context = { after(fn: () => unknown): void }

async function vendor(t: Context, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const post = (url: string) => ({ method: 'POST', url, headers: { 'x-a': 'b' }, body: '{"a":"ü"}' })

test('from its thread a request gets the same answer as without one', async (t) => {
  const origin = await vendor(t, (request, response) => {
    response.writeHead(202, { 'x-was': request.headers['x-a'] })
    request.pipe(response)
  })
  const options = { allowPrivate: false, outboundPorts: [], exactAllowed: [`${origin}/inbox`] }
  const [here, apart] = [makeSend(options), sendApart(options)]
  t.after(() => Promise.all([here.close(), apart.close()]))
  const calls = [
    [post(`${origin}/inbox`), 'customer'],
    [post(`${origin}/other`), 'customer'],
    [post('https://10.0.0.1/'), 'tenant'],
    [post(origin), 'fixed'],
    [{ ...post(origin), headers: { 'bad name': 'x' } }, 'fixed'],
    [post('no address'), 'fixed'],
  ] as const
  for (const [request, reach] of calls) {
    const { durationMs: _, ...expected } = await here(request, reach)
    const { durationMs, ...answer } = await apart(request, reach)
    if ('headers' in expected) delete expected.headers.date
    if ('headers' in answer) delete answer.headers.date
    assert.deepEqual(answer, expected)
    assert.ok(durationMs >= 0)
  }
  assert.equal(Object(await apart(...calls[0])).body, '{"a":"ü"}')
})

test('closing waits for the answers that are on their way', async (t) => {
  let answered: (() => void) | undefined
  const arrived = Promise.withResolvers<void>()
  const origin = await vendor(t, (_, response) => {
    answered = () => void response.end('late')
    arrived.resolve()
  })
  const send = sendApart({ allowPrivate: true, outboundPorts: [] })
  const asked = send(post(origin), 'customer')
  await arrived.promise
  const closed = send.close()
  answered!()
  assert.equal(Object(await asked).body, 'late')
  await closed
})
