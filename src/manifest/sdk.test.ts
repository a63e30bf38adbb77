import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSdk, sdkVersions } from './sdk.ts'

test('what the bundler left is read, the newest first; where it has not run there is nothing', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-sdk-'))
  t.after(() => rmSync(folder, { recursive: true }))
  assert.deepEqual([sdkVersions(folder), readSdk(folder)], [[], []])
  for (const version of ['1.0.0', '2.0.0']) {
    mkdirSync(join(folder, version, 'modules'), { recursive: true })
    writeFileSync(join(folder, version, 'aglet.js'), `core ${version}`)
    writeFileSync(join(folder, version, 'modules/acme.js'), `acme ${version}`)
  }
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ sources: 'x', versions: ['2.0.0', '1.0.0'] }))
  assert.deepEqual(
    readSdk(folder).map(({ version, core, modules }) => [version, core, [...modules]]),
    [
      ['2.0.0', 'core 2.0.0', [['acme', 'acme 2.0.0']]],
      ['1.0.0', 'core 1.0.0', [['acme', 'acme 1.0.0']]],
    ],
  )
})

test('an index that is broken is told', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-sdk-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'index.json'), '{')
  assert.throws(() => sdkVersions(folder), SyntaxError)
})
