import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** A checkout whose providers say where they were loaded from. `changedAt`: epoch seconds, by file. */
function checkout(t: TestContext, changedAt: Readonly<Record<string, number>>) {
  const copy = mkdtempSync(join(tmpdir(), 'aglet-preload-'))
  t.after(() => rmSync(copy, { recursive: true }))
  for (const file of ['package.json', 'scripts/preload.mjs']) cpSync(join(root, file), join(copy, file))
  for (const folder of ['src/providers', 'src/provider/vendors']) mkdirSync(join(copy, folder), { recursive: true })
  for (const [file, at] of Object.entries(changedAt)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    writeFileSync(join(copy, file), `export const from = '${file}'\n`)
    utimesSync(join(copy, file), at, at)
  }
  const program = "import('#providers/index.ts').then(({ from }) => process.stdout.write(from))"
  const words = ['--import', './scripts/preload.mjs', '--eval', program]
  return execFileSync(process.execPath, words, { cwd: copy, encoding: 'utf8' })
}

test('the joined providers are loaded where they are younger than each of their sources', (t) => {
  const from = checkout(t, { 'src/providers/index.ts': 10, 'src/providers/a.ts': 11, 'dist/providers.mjs': 12 })
  assert.equal(from, 'dist/providers.mjs')
})

for (const file of ['src/providers/a.ts', 'src/provider/vendors/a.ts'])
  test(`the sources are loaded where ${file} was changed after the providers were joined`, (t) => {
    const from = checkout(t, { 'src/providers/index.ts': 10, 'dist/providers.mjs': 12, [file]: 13 })
    assert.equal(from, 'src/providers/index.ts')
  })

test('the sources are loaded where nothing was joined', (t) => {
  assert.equal(checkout(t, { 'src/providers/index.ts': 10 }), 'src/providers/index.ts')
})
