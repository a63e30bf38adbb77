import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { sourceTrace } from './sourceTrace.ts'

test('a stack trace of a built file names the places of its sources', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-trace-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const source = join(folder, 'source.ts')
  writeFileSync(source, "type Nothing = undefined\n\nexport function fail(): Nothing {\n  throw new Error('no')\n}\n")
  const file = join(folder, 'built.js')
  const options = { bundle: true, format: 'esm', outfile: file, sourcemap: 'linked', minifySyntax: true } as const
  await build({ ...options, entryPoints: [source] })
  const { fail } = (await import(pathToFileURL(file).href)) as { fail(): void }
  assert.throws(fail, ({ stack }: Error) => {
    const lines = sourceTrace(stack!).split('\n')
    assert.equal(lines[0], 'Error: no')
    assert.equal(lines[1]!.trim(), `at fail (${pathToFileURL(source).href}:4:9)`)
    return true
  })
})

test('a place without a source map stays as it is', () => {
  for (const line of ['at f (file:///nowhere/a.js:3:7)', 'at node:internal/timers:5:6', 'at /a/b.js:1:2'])
    assert.equal(sourceTrace(`Error: no\n    ${line}`), `Error: no\n    ${line}`)
})
