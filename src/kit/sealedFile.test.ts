import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { deriveKey } from './cipher.ts'
import { readSealedFile, writeSealedFile } from './sealedFile.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-sealed-file-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const key = deriveKey(Buffer.alloc(32, 1), 'test')
const path = join(folder, 'rows')

const rowsOf = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, n) => ({ n, text: `${n}`.padStart(bytes, 'x') }))

test('what is read is what was written, of any number of parts', async () => {
  const sizes = fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 5_000 }))
  await fc.assert(
    fc.asyncProperty(sizes, async ([count, bytes]) => {
      const rows = rowsOf(count, bytes)
      await writeSealedFile(path, key, rows)
      assert.deepEqual(await readSealedFile(path, key), rows)
    }),
    { numRuns: 50, endOnFailure: true },
  )
})

test('a file with one changed, missing or added byte is refused', async () => {
  await writeSealedFile(path, key, rowsOf(100, 2_000))
  const written = readFileSync(path)
  const change = fc.record({ at: fc.nat(written.length - 1), by: fc.integer({ min: 1, max: 255 }) })
  await fc.assert(
    fc.asyncProperty(change, fc.constantFrom('changed', 'cut off', 'added'), async ({ at, by }, kind) => {
      const damaged = kind === 'added' ? Buffer.concat([written, Buffer.alloc(by)]) : Buffer.from(written)
      if (kind === 'changed') damaged[at] = damaged[at]! ^ by
      writeFileSync(path, kind === 'cut off' ? damaged.subarray(0, at) : damaged)
      await assert.rejects(readSealedFile(path, key))
    }),
    { numRuns: 300, endOnFailure: true },
  )
})

test('parts that stand in another order, or come from another file of the same key, are refused', async () => {
  const partsIn = (bytes: Buffer) => {
    const parts: Buffer[] = []
    for (let at = 16; at < bytes.length; ) {
      const end = at + 4 + bytes.readUInt32BE(at)
      parts.push(bytes.subarray(at, end))
      at = end
    }
    return parts
  }
  await writeSealedFile(path, key, rowsOf(100, 2_000))
  const [one, parts] = [readFileSync(path), partsIn(readFileSync(path))]
  await writeSealedFile(path, key, rowsOf(100, 2_000))
  const others = partsIn(readFileSync(path))
  assert.ok(parts.length > 2)
  const [first, second, ...rest] = parts as [Buffer, Buffer, ...Buffer[]]
  for (const made of [[second, first, ...rest], [first, ...rest], parts.slice(0, -1), [first, others[1]!, ...rest]]) {
    writeFileSync(path, Buffer.concat([one.subarray(0, 16), ...made]))
    await assert.rejects(readSealedFile(path, key))
  }
})

test('another key opens nothing, and where there is no file there are no rows', async () => {
  await writeSealedFile(path, key, rowsOf(1, 1))
  await assert.rejects(readSealedFile(path, deriveKey(Buffer.alloc(32, 2), 'test')))
  assert.equal(await readSealedFile(join(folder, 'none'), key), undefined)
})

test('a file is readable by its owner alone, nothing is left beside it, and a failed write leaves the file of before', async () => {
  await writeSealedFile(path, key, rowsOf(1, 1))
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder), ['rows'])
  function* failing() {
    yield* rowsOf(100, 2_000)
    throw new Error('no more')
  }
  await assert.rejects(writeSealedFile(path, key, failing()), /no more/)
  assert.deepEqual(await readSealedFile(path, key), rowsOf(1, 1))
})
