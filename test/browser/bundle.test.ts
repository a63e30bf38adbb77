import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { adapterNames } from '#contract/adapterNames.ts'
import { readSdkBuilds, sdkVersions } from '#manifest/sdkBuilds.ts'
import aglet from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')

/** A checkout with the files that the bundler reads. */
function checkout(t: TestContext) {
  const copy = mkdtempSync(join(tmpdir(), 'aglet-bundle-'))
  t.after(() => rmSync(copy, { recursive: true }))
  for (const path of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'scripts/bundle.ts',
    'scripts/dashboard.ts',
    'scripts/manual.ts',
    'scripts/program.ts',
    'scripts/browserTypes.ts',
    'src',
    'docs',
  ])
    cpSync(join(root, path), join(copy, path), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const folder = join(copy, 'dist/sdk')
  return {
    copy,
    folder,
    run: (script = 'bundle') =>
      execFileSync(process.execPath, [join(copy, `scripts/${script}.ts`)], { stdio: ['ignore', 'pipe', 'pipe'] }),
  }
}

test('the SDK is built when it has changed, and only then; a version is named by what it holds', (t) => {
  const { copy, folder, run } = checkout(t)
  assert.equal(run().length, 0) // standard output belongs to the command that follows
  const [first] = readSdkBuilds(folder)
  assert.match(first!.version, /^\d+\.\d+\.\d+-h[0-9a-f]{8}$/)
  assert.ok(first!.core.includes(first!.version))
  assert.deepEqual(
    [...first!.modules.keys()],
    [
      ...[
        'autoFormFill',
        'bing',
        'criteo',
        'facebook',
        'linkedIn',
        'outbrain',
        'pinterest',
        'reddit',
        'snapchat',
        'tiktok',
      ],
      'universalAds',
    ],
  )
  assert.deepEqual([...first!.adapters.keys()], [...adapterNames].sort())
  assert.match(first!.adapterBase, /"aglet-primary"[\s\S]*"aglet-pass-event-id"/)
  const builtAt = statSync(join(folder, 'index.json')).mtimeMs
  run()
  assert.equal(statSync(join(folder, 'index.json')).mtimeMs, builtAt)

  appendFileSync(join(copy, 'src/browser/jsonStorage.ts'), '\n// a comment changes nothing that is served\n')
  run()
  assert.deepEqual(sdkVersions(folder), [first!.version])
  appendFileSync(join(copy, 'src/browser/window/script.ts'), '\nconsole.info("new")\n')
  run()
  const [newest, older] = readSdkBuilds(folder)
  assert.notEqual(newest!.version, first!.version)
  assert.deepEqual(older, first)
})

test('five versions stay, the oldest goes', (t) => {
  const { folder, run } = checkout(t)
  const old = ['5', '4', '3', '2', '1']
  for (const version of old) mkdirSync(join(folder, version), { recursive: true })
  for (const version of old) writeFileSync(join(folder, version, 'aglet.js'), version)
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ sources: '', versions: old }))
  run()
  assert.deepEqual(sdkVersions(folder).slice(1), ['5', '4', '3', '2'])
  assert.equal(existsSync(join(folder, '1')), false)
})

test('an adapter of the package brings what it shares with others, and can be imported where there is no page', async (t) => {
  const { copy, run } = checkout(t)
  run()
  for (const name of adapterNames) {
    const file = join(copy, aglet.exports['./adapters/*'].default.replace('*', name))
    assert.doesNotMatch(readFileSync(file, 'utf8'), /\b(import|require)\b\s*[("'{*]|aglet-p/)
    assert.deepEqual(Object.keys(await import(file)), [])
  }
  assert.ok(!('agletAddAdapter' in globalThis))
  run('browserTypes')
  assert.ok(existsSync(join(copy, aglet.exports['./adapters/*'].types)))
})

test('the module of the package has its types, and can be imported where there is no page', async (t) => {
  const { copy, run } = checkout(t)
  run()
  run('browserTypes')
  for (const file of Object.values(aglet.exports['./browser'])) assert.ok(existsSync(join(copy, file)), file)
  assert.doesNotMatch(readFileSync(join(copy, 'dist/browser.mjs'), 'utf8'), /\b(import|require)\b\s*[("'{*]/)
  const types = readFileSync(join(copy, 'dist/types/browser/window/module.d.ts'), 'utf8')
  const { version, ...calls } = (await import(join(copy, 'dist/browser.mjs'))) as Record<string, unknown>
  assert.equal(version, sdkVersions(join(copy, 'dist/sdk'))[0])
  const names = [
    'consent',
    'data',
    'getConsent',
    'getData',
    'getUserId',
    'init',
    'isNewUser',
    'keys',
    'ready',
    'setConfig',
    'tag',
    'user',
  ]
  assert.deepEqual(Object.keys(calls).sort(), names)
  assert.match(
    readFileSync(join(copy, 'dist/types/browser/sdk.d.ts'), 'utf8'),
    /from '\.\.\/contract\/edgeResponses\.js'/,
  )
  for (const name of names) assert.match(types, new RegExp(`const ${name}: Sdk\\['${name}'\\]`))
})
