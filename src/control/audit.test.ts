import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AuditList } from '#contract/audit.ts'
import { compileValidator } from '#contract/validator.ts'
import {
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  sealPlain,
  sinkBody,
} from '../../test/fake/testControl.ts'
import { auditStates } from './auditStates.ts'

const control = await openTestControl()
after(control.close)
const as = await makeCustomer(control)

type Entry = { at: number; by: string; what: string; object?: string; from?: string; before?: object; after?: object }
async function entries(values: Record<string, string | number> = {}, who = as) {
  const { status, body } = await callControl(control, 'listAudit', who, { values })
  assert.equal(status, 200)
  assert.deepEqual(compileValidator(AuditList)(body), [])
  return body as { entries: Entry[]; next?: string }
}

test('the audit lists each change with actor, operation, IP address and the states before and after, newest first', async () => {
  const scriptId = await makeScript(control, as, { name: 'old' })
  await callControl(control, 'updateScript', as, {
    values: { scriptId },
    body: { name: 'new', providerId: 'eventSink', tagId: as.tagId, geoRegions: 'EU' },
  })
  await callControl(control, 'deleteScript', as, { values: { scriptId } })
  const all = (await entries()).entries
  assert.deepEqual(
    all.map(({ what }) => what),
    ['deleteScript', 'updateScript', 'createScript', 'createTag', 'createToken', 'createTeam'],
  )
  const [deleted, updated, created] = all
  for (const entry of [deleted, updated, created]) {
    assert.deepEqual([entry?.by, entry?.object, entry?.from], [as.tokenId, scriptId, '127.0.0.1'])
    assert.equal(entry?.at, control.clock.now())
  }
  assert.deepEqual([created?.before, deleted?.after], [undefined, undefined])
  assert.deepEqual([updated?.before, updated?.after], [{ name: 'old' }, { name: 'new', geoRegions: 'EU' }])
  assert.deepEqual(deleted?.before, { ...(created?.after as object), name: 'new', geoRegions: 'EU' })
})

test('the audit cuts long texts, so that a change of many scripts does not store them again', () => {
  const long = 'DE,'.repeat(3_000)
  assert.deepEqual(auditStates({ before: { name: 'a', geoRegions: long }, after: { name: 'a', geoRegions: 'EU' } }), {
    before: { geoRegions: `${long.slice(0, 200)}…` },
    after: { geoRegions: 'EU' },
  })
  assert.deepEqual(auditStates({ after: { plugins: [{ settings: { names: long } }] } }), {
    after: { plugins: [{ settings: { names: `${long.slice(0, 200)}…` } }] },
  })
})

test('the audit contains no secret, whether another operation returns it or not', async () => {
  const canary = 'https://canary.example/in'
  const plain = [
    ['EVENT_SINK_URL', 'TEXT', canary],
    ['EVENT_SINK_SECRET', 'PASSWORD', 'whsec_Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5'],
  ] as const
  const secrets = await sealPlain(
    control,
    as,
    'eventSink',
    ...plain.map(([...each]) => each as [string, 'TEXT', string]),
  )
  await callControl(control, 'createScript', as, { body: await sinkBody(control, as, { name: 'canary', secrets }) })
  const text = JSON.stringify((await entries()).entries)
  assert.match(text, /canary/)
  for (const hidden of [canary, 'whsec_', ...secrets.flatMap(({ data, key }) => [data, key])])
    assert.ok(!text.includes(hidden))
})

test('the pages of the audit contain every entry once', async () => {
  const all = (await entries({ limit: 200 })).entries
  const read: Entry[] = []
  let cursor: string | undefined
  do {
    const page = await entries({ limit: 3, ...(cursor && { cursor }) })
    read.push(...page.entries)
    cursor = page.next
  } while (cursor)
  assert.deepEqual(read, all)
})

test('a team does not see the changes of another team', async () => {
  const stranger = await makeCustomer(control)
  const operations = (await entries({}, stranger)).entries.map(({ what }) => what)
  assert.deepEqual(operations, ['createTag', 'createToken', 'createTeam'])
})

test('a refused change leaves no entry', async () => {
  const before = (await entries()).entries.length
  await callControl(control, 'createTag', as, { body: { name: 'shop', domain: 'a.example' } })
  await callControl(control, 'deleteScript', as, { values: { scriptId: 'scr_none' } })
  assert.equal((await entries()).entries.length, before)
})
