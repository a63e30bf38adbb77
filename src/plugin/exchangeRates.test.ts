import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openExchangeRates } from './exchangeRates.ts'

const good = { base: 'EUR', rates: { USD: 1.08 } }

function openTestRates(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'rates-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'rates.json')
  let now = 1_000_000
  let written = 0
  const lines: object[] = []
  const write = (content: unknown) => {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    utimesSync(file, ++written, written)
  }
  const advance = (ms: number) => {
    now += ms
  }
  const ratesDeps = { clock: { now: () => now }, log: (line: object) => void lines.push(line) }
  return { file, write, ratesDeps, lines, advance }
}

test('without a file there are no rates', (t) => {
  assert.equal(openExchangeRates(undefined, openTestRates(t).ratesDeps)(), undefined)
})

test('a file that changes is read again within a minute', (t) => {
  const { file, write, ratesDeps, advance } = openTestRates(t)
  write(good)
  const rates = openExchangeRates(file, ratesDeps)
  write({ base: 'EUR', rates: { USD: 1.2 } })
  assert.deepEqual(rates(), good)
  advance(60_000)
  assert.equal(rates()?.rates.USD, 1.2)
})

test('a file that becomes invalid or is deleted leaves the rates unchanged and is logged', (t) => {
  const { file, write, ratesDeps, lines, advance } = openTestRates(t)
  write(good)
  const rates = openExchangeRates(file, ratesDeps)
  for (const spoil of [() => write('{'), () => rmSync(file)]) {
    spoil()
    advance(60_000)
    assert.deepEqual(rates(), good)
  }
  assert.equal(lines.length, 2)
})

test('an invalid file at the start throws an error that names it', (t) => {
  const { file, write, ratesDeps } = openTestRates(t)
  assert.throws(() => openExchangeRates(file, ratesDeps), /cannot be read \(ENOENT\)/)
  for (const wrong of [
    '{',
    {},
    { base: 'EUR' },
    { base: 'eur', rates: {} },
    { base: 'EUR', rates: { USD: 0 } },
    { base: 'EUR', rates: { usd: 1 } },
  ]) {
    write(wrong)
    assert.throws(() => openExchangeRates(file, ratesDeps), /does not contain \{"base": "EUR"/, JSON.stringify(wrong))
  }
})
