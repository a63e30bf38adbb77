import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '#account/token.ts'
import type { ChannelStatus } from '#contract/channel.ts'
import type { Scope } from '#contract/scopes.ts'
import type { Run } from '#contract/webhookRun.ts'
import { openRunLog } from '#journal/runLog.ts'
import { callControl, makeCustomer, makeScript, openTestControl, sealPlain } from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const as = await makeCustomer(control)
const { production } = control.environments
const scriptId = await makeScript(control, as, { name: 'hook' })

async function runsFor(scopes: Scope[]): Promise<Run[]> {
  const { token } = await createToken(production, { teamId: as.teamId, scopes }, 'operator')
  const { status, body } = await callControl(control, 'listRuns', { ...as, token }, { values: { scriptId } })
  assert.equal(status, 200, JSON.stringify(body))
  return body.runs as Run[]
}

test('the logs of a webhook, and the people in its errors, are shown only to who may read the data of users', async () => {
  const { clock, keys, store, log } = production
  const ended = new AbortController()
  const runLog = openRunLog({ clock, keys, store, log }, ended.signal)
  runLog.add(
    { teamId: as.teamId, tagId: as.tagId, scriptId },
    {
      at: control.clock.now(),
      durationMs: 3,
      status: 500,
      error: { message: 'no order of jane@example.com', line: 7 },
      logs: [{ level: 'log', text: 'Jane Doe-Canary bought' }],
      eventIds: ['order-1'],
    },
  )
  await runLog.flush()
  ended.abort()
  const [whole] = await runsFor(['event:read', 'user:read'])
  assert.deepEqual(whole!.logs, [{ level: 'log', text: 'Jane Doe-Canary bought' }])
  assert.equal(whole!.error?.message, 'no order of jane@example.com')
  const [bare] = await runsFor(['event:read'])
  assert.deepEqual(bare!.logs, [])
  assert.deepEqual(bare!.error, { message: 'no order of •••', line: 7 })
  assert.deepEqual(bare!.eventIds, ['order-1'])
})

test('a webhook whose calls fail is not OK: its runs of the last hour count for its health', async () => {
  const other = await makeCustomer(control)
  const source = await sealPlain(control, other, 'webhook', ['WEBHOOK_CODE', 'TEXT', 'async function process() {}'])
  const hookId = await makeScript(control, other, { name: 'hook', providerId: 'webhook', secrets: source })
  const { clock, keys, store, log } = production
  const ended = new AbortController()
  const runLog = openRunLog({ clock, keys, store, log }, ended.signal)
  const owner = { teamId: other.teamId, tagId: other.tagId, scriptId: hookId }
  const run = (status: number, at: number) => ({ at, durationMs: 3, status, logs: [], eventIds: [] })
  for (const status of [200, 500, 500, 500, 500]) runLog.add(owner, run(status, clock.now()))
  runLog.add(owner, run(500, clock.now() - 2 * 3_600_000))
  await runLog.flush()
  ended.abort()
  const { body } = await callControl(control, 'listChannels', other, { values: { tagId: other.tagId } })
  const [channel] = body.channels as ChannelStatus[]
  assert.deepEqual([channel!.state, channel!.health], ['ok', 'failing'])
  assert.deepEqual(channel!.lastHour, { delivered: 0, failed: 0, runs: 5, failedRuns: 4 })
})

test('a webhook shows its address, and a write without a token is warned that anybody can run the code', async () => {
  const other = await makeCustomer(control)
  const { tagId } = other
  const code = ['WEBHOOK_CODE', 'TEXT', 'async function process() { return new Response() }'] as const
  const written = {
    name: 'hook',
    providerId: 'webhook',
    tagId,
    secrets: await sealPlain(control, other, 'webhook', [...code]),
  }
  const { body } = await callControl(control, 'createScript', other, { body: written })
  assert.equal(body.webhookUrl, `https://aglet.example/t/${tagId}/webhook/${body.scriptId}`)
  assert.match(String(body.warnings), /^WEBHOOK_TOKEN is not set, so anyone who knows the URL can run this code$/)
  const values = { scriptId: String(body.scriptId) }
  const secrets = await sealPlain(control, other, 'webhook', ['WEBHOOK_TOKEN', 'TEXT', 'a-token-of-mine'])
  const { body: closed, status } = await callControl(control, 'patchScript', other, { values, body: { secrets } })
  assert.equal(status, 200, JSON.stringify(closed))
  assert.deepEqual([closed.warnings, closed.webhookUrl], [undefined, body.webhookUrl])
  const { body: read } = await callControl(control, 'readScript', other, { values })
  assert.equal(read.webhookUrl, body.webhookUrl)
})
