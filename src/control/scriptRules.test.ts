import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Preview } from '#contract/preview.ts'
import type { Script, WrittenScript } from '#contract/script.ts'
import { type Customer, callControl, makeCustomer, makeScript, openTestControl } from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const production = control.environments.production

const rules = {
  filter: { eventName: { $in: ['Purchase'] } },
  rename: { buy: 'Purchase', old: null },
  map: [{ set: 'data.value', from: 'data.margin round2' }, { remove: 'userPhone' }],
  sample: 0.5,
}
const write = async (as: Customer, scriptId: string, what: 'updateScript' | 'patchScript', more: object) => {
  const body = what === 'patchScript' ? more : { name: 'sink', providerId: 'eventSink', tagId: as.tagId, ...more }
  const { status, body: answer } = await callControl(control, what, as, { values: { scriptId }, body: body as never })
  return { status, answer: answer as unknown as WrittenScript & { attributes?: { issues: { path: string }[] } } }
}
const read = async (as: Customer, scriptId: string) =>
  (await callControl(control, 'readScript', as, { values: { scriptId } })).body as unknown as Script
const rulesOf = ({ filter, rename, map, sample }: Script) => ({ filter, rename, map, sample })
const live = (as: Customer, scriptId: string) =>
  rulesOf(production.snapshots.get(as.tagId)!.scripts.find((each) => each.scriptId === scriptId) as unknown as Script)
const none = { filter: undefined, rename: undefined, map: undefined, sample: undefined }

test('rules are saved and deployed as they were written; in a PUT an absent rule stays and null removes it', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, rules)
  assert.deepEqual(rulesOf(await read(as, scriptId)), rules)
  assert.deepEqual(live(as, scriptId), rules)
  assert.equal((await write(as, scriptId, 'updateScript', {})).status, 200)
  assert.deepEqual(live(as, scriptId), rules)
  await write(as, scriptId, 'updateScript', { filter: null, sample: 0.1 })
  assert.deepEqual(live(as, scriptId), { ...rules, filter: undefined, sample: 0.1 })
  assert.deepEqual(rulesOf(await read(as, scriptId)), { ...rules, filter: undefined, sample: 0.1 })
})

test('a PATCH changes the rules that it names, and publishes only them', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, rules)
  await write(as, scriptId, 'patchScript', { sample: null, shouldDeploy: false })
  await write(as, scriptId, 'patchScript', { rename: null, map: null })
  assert.deepEqual(live(as, scriptId), { ...none, filter: rules.filter, sample: rules.sample })
  const saved = await read(as, scriptId)
  assert.deepEqual(rulesOf(saved), { ...none, filter: rules.filter })
  assert.deepEqual(saved.notLive, [{ name: 'sample', before: 0.5 }])
  await callControl(control, 'discardDraft', as, { values: { tagId: as.tagId } })
  assert.deepEqual(rulesOf(await read(as, scriptId)), { ...none, filter: rules.filter, sample: 0.5 })
})

test('invalid rules are refused with their path, and nothing is saved', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  const paths = async (more: object) => {
    const { status, answer } = await write(as, scriptId, 'patchScript', more)
    assert.equal(status, 400)
    return answer.attributes!.issues.map(({ path }) => path)
  }
  assert.deepEqual(await paths({ filter: { data: { value: { $gtee: 1 } } } }), ['filter.data.value.$gtee'])
  assert.deepEqual(await paths({ filter: { eventName: { $regex: '(?<=a)b' } } }), ['filter.eventName.$regex'])
  assert.deepEqual(await paths({ map: [{ set: 'data.note', from: 'userEmail' }] }), ['map.0.from'])
  assert.deepEqual(await paths({ sample: 2 }), ['sample'])
  assert.deepEqual(await paths({ filter: 'Purchase' }), ['filter'])
  assert.deepEqual(rulesOf(await read(as, scriptId)), none)
})

test('a filter that no event fulfils and a name that the provider does not take give a warning', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  const never = { $and: [{ eventName: 'Lead' }, { eventName: 'Purchase' }] }
  const { answer } = await write(as, scriptId, 'patchScript', { filter: never })
  assert.match(answer.warnings!.join(), /filter: no event can match the conditions on eventName/)
  const sensible = await write(as, scriptId, 'patchScript', { filter: { data: { value: { $gt: 1, $lt: 3 } } } })
  assert.equal(sensible.answer.warnings, undefined)
})

test('a preview shows the condition that was false, or the event after the rules with the request', async () => {
  const as = await makeCustomer(control)
  const line = {
    provider: 'eventSink',
    secrets: { EVENT_SINK_URL: 'https://sink.example/in' },
    event: { eventName: 'buy', data: { margin: 3.456 } },
    user: { email: 'ada@example.com', phone: '+493012345' },
    rules: { ...rules, sample: 1 },
  }
  const preview = async (more: object) =>
    (await callControl(control, 'preview', as, { body: { ...line, ...more } as never })).body as unknown as Preview
  const shown = await preview({})
  assert.deepEqual(shown.afterRules?.data, { margin: 3.456, value: 3.46 })
  assert.match(shown.requests[0]!.body!, /"Purchase".*3\.46/)
  assert.doesNotMatch(shown.requests[0]!.body!, /493012345/)
  assert.deepEqual(await preview({ event: { eventName: 'Lead' } }), {
    requests: [],
    skipped: 'filtered',
    filtered: { path: 'filter.eventName.$in', condition: ['Purchase'] },
  })
  const wrong = await preview({ rules: { filter: { data: { a: { $gtt: 1 } } } } })
  assert.match(wrong.message!, /rules\.filter\.data\.a\.\$gtt: .*did you mean \$gt/)
})
