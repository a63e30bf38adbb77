import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { exampleInput } from '#provider/engine/exampleRequests.ts'
import { providers } from '#providers/index.ts'
import { bodyOf, type Captured, openCapture, refuseOtherHosts } from './capture.ts'
import { contactOracles } from './contactOracles.ts'
import { crmOracles } from './crmOracles.ts'
import { differences } from './difference.ts'
import { facebookOracles } from './facebookOracle.ts'
import { compared, exportsOf, lead, type Oracle, person, purchase } from './oracle.ts'
import { oracles } from './oracles.ts'
import { streamOracles } from './streamOracles.ts'

const otherHosts = refuseOtherHosts()

/** Our request for the events, as a server receives it. */
function ourRequest({ id, kind, secrets, token, events = [purchase, lead], user = person }: Oracle): Captured {
  const inputs = events.map((event) => ({
    ...exampleInput({ event, user, secrets, ...(kind && { kind }) }),
    ...(token && { token }),
  }))
  const { batches, skipped } = buildBatches(id, providers[id]!, inputs)
  assert.deepEqual([batches.length, skipped], [1, []], 'all events are in one request')
  const { method, url, headers, body = '' } = batches[0]!.request
  const { pathname: path, searchParams } = new URL(url)
  return { method, path, query: Object.fromEntries(searchParams), headers, body: bodyOf(body) }
}

for (const oracle of [...oracles, ...streamOracles, ...crmOracles, ...contactOracles, ...facebookOracles])
  test(`${oracle.id}: our ${oracle.kind === 'user' ? 'update of a person' : 'request'} is that of ${oracle.sdk}${oracle.about ? ` for ${oracle.about}` : ''}, but for the differences that are explained`, async (t) => {
    const exports = exportsOf(oracle.sdk)
    if (!exports && process.env.NEEDS_SDKS) assert.fail(`${oracle.sdk} is not installed`)
    if (!exports) return t.skip(`${oracle.sdk} is not installed: npm run test:oracle installs it.`)
    const capture = await openCapture(oracle.status)
    t.after(capture.close)
    await oracle.send(exports, capture.url, exportsOf)
    const theirs = capture.captured.filter(oracle.isCompared ?? (() => true))
    assert.equal(theirs.length, 1, 'all events are in one request')
    const found = differences(compared(theirs[0]!, oracle), compared(ourRequest(oracle), oracle))
    const unexplained = found
      .map(({ at, is }) => `${at}: ${is}`)
      .filter((each) => !Object.hasOwn(oracle.explained, each))
    assert.deepEqual(unexplained, [])
    if (!oracle.about) assert.equal(found.length, Object.keys(oracle.explained).length, 'each explanation is needed')
    assert.deepEqual(otherHosts, [], 'nothing but this machine was called')
  })

test('every SDK has its line in docs/dependencies.md', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('sdks/package.json', import.meta.url), 'utf8'))
  const page = readFileSync(new URL('../../docs/dependencies.md', import.meta.url), 'utf8')
  for (const name of Object.keys(dependencies)) assert.ok(page.includes(`\`${name}\``), name)
})
