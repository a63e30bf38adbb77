import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '#contract/fault.ts'
import { ImportError } from '#import/importResult.ts'
import { mutate, seededRandom } from '../scripts/fuzz/mutate.ts'
import { targets } from '../scripts/fuzz/targets.ts'

const folder = join(import.meta.dirname, 'fuzz')
const inputsOf = (name: string) => globSync(join(folder, name.replaceAll(' ', '-'), '*'))

for (const { name, read } of targets)
  test(`${name}: each kept input is read or refused`, () => {
    const files = inputsOf(name)
    assert.ok(files.length > 0)
    for (const file of files)
      try {
        read(readFileSync(file))
      } catch (error) {
        assert.ok(error instanceof Fault || error instanceof ImportError, `${file}: ${(error as Error).stack}`)
      }
  })

test('every folder of kept inputs is one of a target', () => {
  const folders = globSync('*', { cwd: folder }).sort()
  assert.deepEqual(folders, targets.map(({ name }) => name.replaceAll(' ', '-')).sort())
})

test('the same seed gives the same inputs', () => {
  fc.assert(
    fc.property(fc.integer(), fc.uint8Array({ maxLength: 200 }), (seed, bytes) => {
      const [input, other] = [Buffer.from(bytes), Buffer.from('other')]
      assert.deepEqual(mutate(input, seededRandom(seed), other), mutate(input, seededRandom(seed), other))
    }),
  )
})
