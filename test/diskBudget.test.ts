import assert from 'node:assert/strict'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { type Operation, type OperationId, operationIds, operations } from '#contract/operations.ts'
import { accountCases } from './fake/accountCases.ts'
import { changeEveryDraft, fillTag } from './fake/bigTag.ts'
import { journalCases } from './fake/journalCases.ts'
import { operatorCases } from './fake/operatorCases.ts'
import { policyCases } from './fake/policyCases.ts'
import { readCases } from './fake/readCases.ts'
import { replayCases } from './fake/replayCases.ts'
import { tagConfigCases } from './fake/tagConfigCases.ts'
import {
  type ControlRequest,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  sinkBody,
} from './fake/testControl.ts'
import { makeUser } from './fake/testEvents.ts'
import { tryCases } from './fake/tryCases.ts'

/** One operation may store 64 KiB, plus 20 times the bytes received and sent to vendors. */
const freeBytes = 64 * 1024
const bytesForEach = 20

const control = await openTestControl()
const { data } = control
const db = new DatabaseSync(join(data, 'production.db'))
after(async () => {
  db.close()
  await control.close()
})
const customer = await makeCustomer(control)
const { tagId } = customer
await makeScript(control, customer, { name: 'first' })
let made = 0
const name = () => `made ${++made}`

const accounts = await accountCases(control, customer)
const policies = await policyCases(control, customer)
const tries = await tryCases(control, customer)
const configs = await tagConfigCases(control, customer, policies.whileRequired)
const journal = await journalCases(control, customer)
const replays = await replayCases(control, customer)
const body = (more: Record<string, unknown> = {}) => sinkBody(control, customer, { name: name(), ...more })
const tagBody = () => ({ name: name(), domain: 'shop.example.com' })
const newHook = async () =>
  String((await callControl(control, 'createHook', customer, { body: { url: 'https://ci.example.com/' } })).body.hookId)

const [some, other, third] = await fillTag(control, customer)
control.environments.production.limits.scriptsPerTag = 1_000

/** A request of every operation, to a tag at its limits. */
const requests: Record<OperationId, () => ControlRequest | Promise<ControlRequest>> = {
  ...accounts.good,
  ...policies.good,
  ...operatorCases(control, customer).good,
  ...journal.good,
  ...replays.good,
  ...readCases(control, customer).good,
  ...tries.good,
  ...configs.good,
  createScript: async () => ({ body: await body() }),
  listScripts: () => ({ values: { tagId } }),
  readScript: () => ({ values: { scriptId: some! } }),
  updateScript: () => ({
    values: { scriptId: some! },
    body: { name: name(), providerId: 'validation', tagId },
  }),
  patchScript: () => ({ values: { scriptId: other! }, body: { name: name() } }),
  deleteScript: () => ({ values: { scriptId: third! } }),
  createTag: () => ({ body: tagBody() }),
  listTags: () => ({}),
  readTag: () => ({ values: { tagId } }),
  updateTag: () => ({ values: { tagId }, body: { name: name() } }),
  deleteTag: async () => ({
    values: { tagId: String((await callControl(control, 'createTag', customer, { body: tagBody() })).body.tagId) },
  }),
  deployTag: () => ({ values: { tagId } }),
  activateDeployment: () => ({ values: { tagId, number: 1 } }),
  createHook: () => ({ body: { url: 'https://ci.example.com/' } }),
  listHooks: () => ({}),
  deleteHook: async () => ({ values: { hookId: await newHook() } }),
  pauseScript: () => ({ values: { scriptId: some! } }),
  resumeScript: () => ({ values: { scriptId: some! } }),
  eraseUser: async () => ({ values: { tagId, userId: await makeUser(control, customer) } }),
  listAudit: () => ({}),
  readManifest: () => ({}),
  readKeys: () => ({}),
  readOpenapi: () => ({}),
}

/** The bytes of all files, without free database pages and duplicates in the write-ahead log. */
function bytesOnDisk(): number {
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const [used] = db
    .prepare('SELECT (page_count - freelist_count) * 4096 AS bytes FROM pragma_page_count, pragma_freelist_count')
    .all()
  const others = globSync('**/*', { cwd: data, withFileTypes: true })
    .filter((each) => each.isFile() && !each.name.startsWith('production.db'))
    .map((each) => statSync(join(each.parentPath, each.name)).size)
  return Number(used!.bytes) + others.reduce((sum, size) => sum + size, 0)
}

const bytesOf = ({ values = {}, body: sent }: ControlRequest) =>
  JSON.stringify(values).length + (sent === undefined ? 0 : JSON.stringify(sent).length)

/** Makes a call, and adds up the allowed and the actual storage. */
function openBudget() {
  let may = 0
  const before = bytesOnDisk()
  return {
    async call(id: OperationId, request: ControlRequest) {
      const { status, body: answer } = await callControl(control, id, customer, request)
      assert.equal(status, 200, `${id}: ${JSON.stringify(answer)}`)
      may += freeBytes + bytesForEach * bytesOf(request)
    },
    check() {
      const stored = bytesOnDisk() - before
      assert.ok(stored <= may, `${stored} bytes stored, ${may} may be`)
    },
  }
}

for (const id of operationIds.filter((each) => !(operations[each] as Operation).isStream))
  test(`${id} stores at most 64 KiB and 20 times what it received`, async () => {
    const request = await requests[id]()
    const budget = openBudget()
    await budget.call(id, request)
    budget.check()
  })

test('publishing 200 drafts with regions of 10 KB writes at most 64 KiB, and so does going back to what is live', async () => {
  const first = { values: { tagId, number: 1 } }
  await callControl(control, 'activateDeployment', customer, first)
  const { body: listed } = await callControl(control, 'listScripts', customer, { values: { tagId, limit: 200 } })
  const budget = openBudget()
  for (const { scriptId } of listed.scripts as { scriptId: string }[]) {
    const body = { geoRegions: `FR,${'US-NY,'.repeat(1_660)}US` }
    await budget.call('patchScript', { values: { scriptId }, body })
  }
  budget.check()
  for (const [id, values] of [
    ['deployTag', { tagId }],
    ['deployTag', { tagId }],
    ['activateDeployment', first.values],
    ['discardDraft', { tagId }],
  ] as const) {
    const before = bytesOnDisk()
    const { status, body: answer } = await callControl(control, id, customer, { values })
    assert.equal(status, 200, JSON.stringify(answer))
    const wal = statSync(join(data, 'production.db-wal')).size
    const stored = bytesOnDisk() - before
    assert.ok(Math.max(stored, wal) <= freeBytes, `${id}: ${stored} bytes stored, ${wal} written`)
  }
})

const cycles: Record<string, [OperationId, ControlRequest][]> = {
  'pausing and resuming': [
    ['pauseScript', { values: { scriptId: some! } }],
    ['resumeScript', { values: { scriptId: some! } }],
  ],
  'activating one of two deployments, and saving what is live': [
    ['activateDeployment', { values: { tagId, number: 1 } }],
    ['discardDraft', { values: { tagId } }],
    ['activateDeployment', { values: { tagId, number: 3 } }],
    ['discardDraft', { values: { tagId } }],
  ],
  'activating an old deployment, and publishing the saved scripts': [
    ['activateDeployment', { values: { tagId, number: 1 } }],
    ['deployTag', { values: { tagId } }],
  ],
  'renaming a script with long regions, and the tag with long lists': [
    ['patchScript', { values: { scriptId: other! }, body: { name: 'one' } }],
    ['updateTag', { values: { tagId }, body: { name: 'one tag' } }],
    ['patchScript', { values: { scriptId: other! }, body: { name: 'two' } }],
    ['updateTag', { values: { tagId }, body: { name: 'two tags' } }],
  ],
}

for (const [title, calls] of Object.entries(cycles))
  test(`${title}, again and again, stores at most the same for each call`, async () => {
    await changeEveryDraft(control, customer)
    await callControl(control, 'deployTag', customer, { values: { tagId } })
    const budget = openBudget()
    for (let n = 0; n < 6; n++) for (const [id, request] of calls) await budget.call(id, request)
    budget.check()
  })
