import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { fault } from '#contract/fault.ts'
import { type Log, silent } from '#kit/log.ts'
import type { Call } from '../call.ts'
import { askSocket, listenOnSocket } from './socket.ts'

const call: Call = { command: 'team create', environment: 'sandbox', input: { name: 'Shop' } }

async function opened(
  t: { after(run: () => void): void },
  run: (call: Call) => Promise<Record<string, unknown>>,
  log: Log = silent,
) {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-socket-'))
  const path = join(folder, 'aglet.sock')
  writeFileSync(path, 'left by a process that was killed')
  const socket = await listenOnSocket(path, { run, log })
  t.after(() => {
    socket.close()
    rmSync(folder, { recursive: true })
  })
  return { path, socket }
}

test('a command travels to the process that has the data directory, and its result back', async (t) => {
  const { path } = await opened(t, async (got) => ({ got }))
  assert.deepEqual(await askSocket(path, call), { result: { got: call } })
})

test('only the user who started Aglet may open the socket', async (t) => {
  const { path } = await opened(t, async () => ({}))
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a fault comes back as the Error object; of a bug only that there was one', async (t) => {
  const lines: unknown[] = []
  const { path } = await opened(
    t,
    async ({ command }) => {
      throw command === 'bug' ? new TypeError('secret detail') : fault('tagUnknown')
    },
    (line) => lines.push(line),
  )
  assert.deepEqual(await askSocket(path, call), {
    refused: { message: 'There is no such tag.', statusCode: 404, error: 'TAG_UNKNOWN' },
  })
  assert.equal(lines.length, 0)
  const bug = await askSocket(path, { ...call, command: 'bug' })
  assert.ok(bug && 'refused' in bug)
  assert.equal(bug.refused.statusCode, 500)
  assert.doesNotMatch(JSON.stringify(bug), /secret detail/)
  assert.equal(lines.length, 1)
})

test('where nobody listens there is no answer', async (t) => {
  const { path, socket } = await opened(t, async () => ({}))
  socket.close()
  assert.equal(await askSocket(path, call), undefined)
  assert.equal(await askSocket(`${path}.none`, call), undefined)
})

test('what is no command is refused', async (t) => {
  const { path } = await opened(t, async () => ({}))
  for (const body of ['', '[]', '{"command":1}', '{"command":"a","environment":"b","input":{}}']) {
    const answer = await new Promise((resolve, reject) =>
      request({ socketPath: path, method: 'POST' }, (response) => json(response).then(resolve, reject)).end(body),
    )
    assert.equal((answer as { refused: { statusCode: number } }).refused.statusCode, 400, body)
  }
})
