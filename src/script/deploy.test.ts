import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ScriptRecord } from '#store/store.ts'
import { type LiveChange, nextSnapshot } from './deploy.ts'
import type { Snapshot } from './snapshot.ts'

const empty: Snapshot = {
  tagId: 'tag_1',
  teamId: 'team_1',
  number: 1,
  name: 'shop',
  domain: 'example.com',
  hosts: [],
  allowedOrigins: [],
  consent: 'enabled',
  gpc: false,
  sameSite: 'Lax',
  serverToken: 'optional',
  plugins: [],
  scripts: [],
}
const script = (scriptId: string, more: Partial<ScriptRecord> = {}): ScriptRecord => ({
  scriptId,
  tagId: 'tag_1',
  teamId: 'team_1',
  name: scriptId,
  providerId: 'eventSink',
  secrets: {},
  createdAt: 0,
  ...more,
})

test('a script that is put stands in the next snapshot, its value mode gross unless it is set', () => {
  const { number, scripts } = nextSnapshot(empty, { put: script('a') })
  assert.equal(number, 2)
  assert.deepEqual(scripts, [
    { scriptId: 'a', name: 'a', providerId: 'eventSink', purchaseValueMode: 'gross', secrets: {} },
  ])
})

test('a script that is put again is replaced whole, in its place', () => {
  const first = nextSnapshot(nextSnapshot(empty, { put: script('a', { geoRegions: 'EU' }) }), { put: script('b') })
  const { scripts } = nextSnapshot(first, {
    put: script('a', { name: 'new', consentCategory: 'analytics', purchaseValueMode: 'net' }),
  })
  assert.deepEqual(
    scripts.map(({ name }) => name),
    ['new', 'b'],
  )
  assert.equal(scripts[0]?.geoRegions, undefined)
  assert.equal(scripts[0]?.consentCategory, 'analytics')
  assert.equal(scripts[0]?.purchaseValueMode, 'net')
})

test('a script that is dropped is gone; dropping a draft changes nothing but the number', () => {
  const first = nextSnapshot(empty, { put: script('a') })
  assert.deepEqual(nextSnapshot(first, { drop: 'a' }).scripts, [])
  assert.deepEqual(nextSnapshot(first, { drop: 'never live' }), { ...first, number: 3 })
})

test('after any changes each script stands once, as it was last put, and the number has grown by one each', () => {
  const id = fc.constantFrom('a', 'b', 'c')
  const change = fc.oneof(
    fc.record({ put: fc.record({ id, name: fc.string() }).map((put) => script(put.id, { name: put.name })) }),
    fc.record({ drop: id }),
  )
  fc.assert(
    fc.property(fc.array(change as fc.Arbitrary<LiveChange>), (changes) => {
      const model = new Map<string, string>()
      for (const each of changes) {
        if ('put' in each) model.set(each.put.scriptId, each.put.name)
        else model.delete(each.drop)
      }
      const last = changes.reduce(nextSnapshot, empty)
      assert.equal(last.number, 1 + changes.length)
      assert.equal(last.scripts.length, model.size)
      assert.deepEqual(new Map(last.scripts.map(({ scriptId, name }) => [scriptId, name])), model)
    }),
  )
  assert.deepEqual(empty.scripts, [])
})
