import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '#account/token.ts'
import type { Scope } from '#contract/scopes.ts'
import type { Run } from '#contract/webhookRun.ts'
import { openRunLog } from '#journal/runLog.ts'
import { callControl, makeCustomer, makeScript, openTestControl } from '../../test/fake/testControl.ts'

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
