import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openRates } from './rates.ts'

const good = { base: 'EUR', rates: { USD: 1.08 } }

function house(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'rates-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'rates.json')
  let now = 1_000_000
  let written = 0
  const lines: object[] = []
  const write = (said: unknown) => {
    writeFileSync(file, typeof said === 'string' ? said : JSON.stringify(said))
    utimesSync(file, ++written, written)
  }
  const pass = (ms: number) => {
    now += ms
  }
  const on = { clock: { now: () => now }, log: (line: object) => void lines.push(line) }
  return { file, write, on, lines, pass }
}

test('without a file there are no rates', (t) => {
  assert.equal(openRates(undefined, house(t).on)(), undefined)
})

test('a file that changes is read again within a minute', (t) => {
  const { file, write, on, pass } = house(t)
  write(good)
  const rates = openRates(file, on)
  write({ base: 'EUR', rates: { USD: 1.2 } })
  assert.deepEqual(rates(), good)
  pass(60_000)
  assert.equal(rates()?.rates.USD, 1.2)
})

test('a file that is wrong or gone later leaves the rates as they were, and is told in the log', (t) => {
  const { file, write, on, lines, pass } = house(t)
  write(good)
  const rates = openRates(file, on)
  for (const spoil of [() => write('{'), () => rmSync(file)]) {
    spoil()
    pass(60_000)
    assert.deepEqual(rates(), good)
  }
  assert.equal(lines.length, 2)
})

test('a file that is wrong at the start is a sentence that names it', (t) => {
  const { file, write, on } = house(t)
  assert.throws(() => openRates(file, on), /cannot be read \(ENOENT\)/)
  for (const wrong of [
    '{',
    {},
    { base: 'EUR' },
    { base: 'eur', rates: {} },
    { base: 'EUR', rates: { USD: 0 } },
    { base: 'EUR', rates: { usd: 1 } },
  ]) {
    write(wrong)
    assert.throws(() => openRates(file, on), /does not hold \{"base": "EUR"/, JSON.stringify(wrong))
  }
})
