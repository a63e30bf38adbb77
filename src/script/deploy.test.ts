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
  version: 1,
  ...more,
})

test('a written script is in the next snapshot, with the value mode gross by default', () => {
  const { number, scripts } = nextSnapshot(empty, { put: script('a') })
  assert.equal(number, 2)
  assert.deepEqual(scripts, [
    { scriptId: 'a', name: 'a', providerId: 'eventSink', purchaseValueMode: 'gross', secrets: {} },
  ])
})

test('a script that is written again is replaced completely and keeps its position', () => {
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

test('a dropped script is not in the next snapshot; dropping a draft changes only the number', () => {
  const first = nextSnapshot(empty, { put: script('a') })
  assert.deepEqual(nextSnapshot(first, { drop: 'a' }).scripts, [])
  assert.deepEqual(nextSnapshot(first, { drop: 'never live' }), { ...first, number: 3 })
})

test('changed settings replace those of the live snapshot, and nothing else changes', () => {
  const first = nextSnapshot(empty, { put: script('a') })
  const next = nextSnapshot(first, { set: { consent: 'disabled', name: 'new', hosts: ['d.example.com'] } })
  assert.deepEqual(next, { ...first, number: 3, consent: 'disabled', name: 'new', hosts: ['d.example.com'] })
})

test('publishing makes everything that is saved live, including drafts', () => {
  const live = nextSnapshot(empty, { put: script('gone') })
  const { number: _, scripts: __, tagId, teamId, name: ___, ...settings } = empty
  const publish = { tagId, teamId, name: 'saved', settings: { ...settings, gpc: true }, createdAt: 0, version: 1 }
  const next = nextSnapshot(live, { publish, scripts: [script('draft')] })
  assert.deepEqual([next.number, next.name, next.gpc, next.consent], [3, 'saved', true, 'enabled'])
  assert.deepEqual(
    next.scripts.map(({ scriptId }) => scriptId),
    ['draft'],
  )
})

test('activating restores the content of an older snapshot, except host names', () => {
  const old = { ...nextSnapshot(empty, { put: script('a') }), hosts: ['given-up.example.com'], gpc: true }
  const live = { ...nextSnapshot(old, { drop: 'a' }), hosts: ['d.example.com'], gpc: false, number: 7 }
  const next = nextSnapshot(live, { activate: old })
  assert.deepEqual([next.number, next.gpc, next.hosts], [8, true, ['d.example.com']])
  assert.deepEqual(next.scripts, old.scripts)
})

test('after any changes each script is listed once, as last written, and each change increases the number by one', () => {
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
        if ('drop' in each) model.delete(each.drop)
      }
      const last = changes.reduce(nextSnapshot, empty)
      assert.equal(last.number, 1 + changes.length)
      assert.equal(last.scripts.length, model.size)
      assert.deepEqual(new Map(last.scripts.map(({ scriptId, name }) => [scriptId, name])), model)
    }),
  )
  assert.deepEqual(empty.scripts, [])
})
