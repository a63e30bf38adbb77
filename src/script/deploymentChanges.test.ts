import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aScript, aTag } from '../../test/fake/tag.ts'
import { diffSnapshots } from './deploymentChanges.ts'

const ref = (version: number) => ({ secretId: 'sec_1', version })

test('a snapshot and the same content with another number have no differences', () => {
  const snapshot = aTag([aScript('a', { secrets: { KEY: ref(1) } })])
  assert.deepEqual(diffSnapshots(snapshot, { ...structuredClone(snapshot), number: 9 }), { settings: [], scripts: [] })
})

test('every setting and every script of a first deployment is new', () => {
  const { settings, scripts } = diffSnapshots(undefined, aTag([aScript('a')]))
  assert.ok(settings.includes('domain') && settings.includes('name'))
  assert.deepEqual(scripts, [{ scriptId: 'a', name: 'a', change: 'added', fields: [] }])
})

test('added, changed and removed scripts are listed, with the fields that differ', () => {
  const before = aTag([
    aScript('a', { geoRegions: 'EU', secrets: { KEY: ref(1), OLD: ref(1) } }),
    aScript('b'),
    aScript('same'),
  ])
  const after = aTag([
    aScript('a', { name: 'new', secrets: { KEY: ref(2), MORE: ref(1) } }),
    aScript('same'),
    aScript('c'),
  ])
  assert.deepEqual(diffSnapshots(before, after).scripts, [
    {
      scriptId: 'a',
      name: 'new',
      change: 'changed',
      fields: ['geoRegions', 'name', 'secrets.KEY', 'secrets.MORE', 'secrets.OLD'],
    },
    { scriptId: 'c', name: 'c', change: 'added', fields: [] },
    { scriptId: 'b', name: 'b', change: 'removed', fields: [] },
  ])
})

test('changed settings are listed; a different order of members is not a change', () => {
  const plugin = (settings: Record<string, unknown>) => [{ plugin: 'eventRename', settings }]
  const before = aTag([], { plugins: plugin({ a: 1, b: 2 }), gpc: false })
  const after = aTag([], { plugins: plugin({ b: 2, a: 1 }), gpc: true, sdkVersion: '1.0.0' })
  assert.deepEqual(diffSnapshots(before, after).settings, ['gpc', 'sdkVersion'])
})
