import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { encodeGpp, gppSections } from '#consent/gppString.fixture.ts'
import { encodeTcf, tcfChoices, vendorIds } from '#consent/tcString.fixture.ts'
import { decodeGppString } from '#consent/text/gppString.ts'
import { decodeTcString, type TcConsent } from '#consent/text/tcString.ts'

/** These decoders are by another team than the JavaScript ones, with which the fast tests compare ours. */
const built = join(import.meta.dirname, '../../node_modules/.cache/aglet/oracle-iab')
const isOnPath = (name: string) => (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)))
const hasJava = isOnPath('java') && isOnPath('mvn')

/** Skips the tests on a machine without Java. */
function isMissing(t: TestContext): boolean {
  if (existsSync(join(built, 'lib'))) return false
  if (!hasJava) t.skip('NOT RUN: the decoders of consent strings in Java need Java and Maven')
  else if (process.env.NEEDS_SDKS) assert.fail('the decoders of consent strings in Java are not built')
  else t.skip('The decoders of consent strings in Java are not built: npm run test:oracle builds them.')
  return true
}

/** Decodes each text with the oracle, in one process. */
function decoded<Read>(kind: 'tcf' | 'gpp', texts: readonly string[]): (Read & { error?: string })[] {
  const input = texts.map((text) => `${kind} ${text}\n`).join('')
  const words = ['-Xshare:auto', '-cp', `${join(built, 'classes')}:${join(built, 'lib')}/*`, 'Decode']
  const { stdout, stderr, status } = spawnSync('java', words, { input, encoding: 'utf8', maxBuffer: 64_000_000 })
  assert.equal(status, 0, stderr)
  const lines = stdout.trimEnd().split('\n')
  assert.equal(lines.length, texts.length)
  return lines.map((line) => JSON.parse(line))
}

type TheirTcf = Omit<TcConsent, 'restrictions'> & {
  disclosed: number[]
  restrictions: [purpose: number, type: number, vendors: number[]][]
}

test('a TC string says what the decoder of the IAB for Java reads in it', (t) => {
  if (isMissing(t)) return
  const texts = fc.sample(tcfChoices, 2_000).map((choice) => encodeTcf(choice))
  const theirs = decoded<TheirTcf>('tcf', texts)
  const listed = vendorIds.toSorted((one, other) => one - other)
  for (const [n, text] of texts.entries()) {
    const { restrictions, ...ours } = decodeTcString(text, listed)
    const rows = restrictions.map(({ purpose, type, vendors }) => [purpose, type, vendors])
    // The encoder writes neighbours in its list as a range, and this decoder includes all numbers of a range.
    const theirRows = theirs[n]!.restrictions.map(([purpose, type, vendors]) => {
      return [purpose, type, vendors.filter((id) => listed.includes(id))]
    })
    assert.deepEqual({ ...ours, restrictions: rows.sort() }, { ...theirs[n]!, restrictions: theirRows.sort() }, text)
  }
})

type TheirGpp = { ids: number[]; sections: Record<string, Record<string, number | number[] | boolean>> }
/** The sections that this decoder supports. */
const known = new Set(['usca', 'usva', 'usco', 'usut', 'usct'])

test('a GPP string objects to what the decoder of the IAB for Java reads in it', (t) => {
  if (isMissing(t)) return
  const given = fc
    .sample(gppSections, 4_000)
    .map((all) => all.filter(([name]) => known.has(name)))
    .filter((all) => all.length > 0)
  assert.ok(given.length > 500)
  const texts = given.map((all) => encodeGpp(all).text)
  const theirs = decoded<TheirGpp>('gpp', texts)
  for (const [n, text] of texts.entries()) {
    const { ids, sections, error } = theirs[n]!
    assert.equal(error, undefined, text)
    const has = (...fields: string[]) =>
      Object.values(sections).some((section) => fields.some((field) => [section[field]].flat().includes(1)))
    const both = ['SaleOptOut', 'KnownChildSensitiveDataConsents']
    const ours = decodeGppString(text)
    const said = [ours.sections, ours.advertising !== undefined, ours.sharePii !== undefined, ours.gpc === true]
    const expected = [
      ids,
      has(...both, 'SharingOptOut', 'TargetedAdvertisingOptOut'),
      has(...both, 'SensitiveDataProcessing'),
      Object.values(sections).some(({ Gpc }) => Gpc === true),
    ]
    assert.deepEqual(said, expected, text)
  }
})
