import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import type { OperatorCall } from '#cli/operatorCall.ts'
import { fault } from '#contract/fault.ts'
import { type Log, silentLog } from '#kit/log.ts'
import { callRunningServer, listenForOperator } from './operatorSocket.ts'

const call: OperatorCall = { command: 'team create', environment: 'sandbox', input: { name: 'Shop' } }

async function openSocket(
  t: { after(run: () => void): void },
  run: (call: OperatorCall) => Promise<Record<string, unknown>>,
  log: Log = silentLog,
) {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-socket-'))
  const path = join(folder, 'aglet.sock')
  writeFileSync(path, 'left by a process that was killed')
  const socket = await listenForOperator(path, { run, log })
  t.after(() => {
    socket.close()
    rmSync(folder, { recursive: true })
  })
  return { path, socket }
}

test('a command runs in the process that holds the data directory, and its result is returned', async (t) => {
  const { path } = await openSocket(t, async (got) => ({ got }))
  assert.deepEqual(await callRunningServer(path, call), { result: { got: call } })
})

test('only the user who started Aglet may open the socket', async (t) => {
  const { path } = await openSocket(t, async () => ({}))
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a fault is returned as its Error object, and a bug as an internal error without its details', async (t) => {
  const lines: unknown[] = []
  const { path } = await openSocket(
    t,
    async ({ command }) => {
      throw command === 'bug' ? new TypeError('secret detail') : fault('tagUnknown')
    },
    (line) => lines.push(line),
  )
  assert.deepEqual(await callRunningServer(path, call), {
    refused: { message: 'Tag not found.', statusCode: 404, error: 'TAG_UNKNOWN' },
  })
  assert.equal(lines.length, 0)
  const bug = await callRunningServer(path, { ...call, command: 'bug' })
  assert.ok(bug && 'refused' in bug)
  assert.equal(bug.refused.statusCode, 500)
  assert.doesNotMatch(JSON.stringify(bug), /secret detail/)
  assert.equal(lines.length, 1)
})

test('a call is undefined when no process listens', async (t) => {
  const { path, socket } = await openSocket(t, async () => ({}))
  socket.close()
  assert.equal(await callRunningServer(path, call), undefined)
  assert.equal(await callRunningServer(`${path}.none`, call), undefined)
})

test('a body that is no command is refused', async (t) => {
  const { path } = await openSocket(t, async () => ({}))
  for (const body of ['', '[]', '{"command":1}', '{"command":"a","environment":"b","input":{}}']) {
    const answer = await new Promise((resolve, reject) =>
      request({ socketPath: path, method: 'POST' }, (response) => json(response).then(resolve, reject)).end(body),
    )
    assert.equal((answer as { refused: { statusCode: number } }).refused.statusCode, 400, body)
  }
})
