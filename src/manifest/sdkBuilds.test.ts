import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSdkBuilds, sdkVersions } from './sdkBuilds.ts'

test('the builds of the bundler are read, newest first, and are empty before its first run', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-sdk-'))
  t.after(() => rmSync(folder, { recursive: true }))
  assert.deepEqual([sdkVersions(folder), readSdkBuilds(folder)], [[], []])
  for (const version of ['1.0.0', '2.0.0']) {
    mkdirSync(join(folder, version, 'modules'), { recursive: true })
    writeFileSync(join(folder, version, 'aglet.js'), `core ${version}`)
    if (version === '2.0.0') writeFileSync(join(folder, version, 'aglet.gated.js'), 'gated')
    writeFileSync(join(folder, version, 'modules/acme.js'), `acme ${version}`)
  }
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ sources: 'x', versions: ['2.0.0', '1.0.0'] }))
  assert.deepEqual(
    readSdkBuilds(folder).map(({ version, core, gatedCore, modules }) => [version, core, gatedCore, [...modules]]),
    [
      ['2.0.0', 'core 2.0.0', 'gated', [['acme', 'acme 2.0.0']]],
      ['1.0.0', 'core 1.0.0', 'core 1.0.0', [['acme', 'acme 1.0.0']]],
    ],
  )
})

test('an index that is not JSON is an error', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-sdk-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'index.json'), '{')
  assert.throws(() => sdkVersions(folder), SyntaxError)
})
