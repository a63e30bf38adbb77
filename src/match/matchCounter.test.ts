import assert from 'node:assert/strict'
import { hash as digest } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MatchFinding, MatchFindingCode } from '#contract/matchQuality.ts'
import { resolve } from '#provider/engine/identity.ts'
import { providers } from '#providers/index.ts'
import { cases } from '../../test/fake/cases.ts'
import { countAll, delivered, type EventParts, hour, hourMs, reportOf, reportOfEvents } from './match.fixture.ts'

const sha256 = (text: string) => digest('sha256', text)
const click = 'IwAR2F4-dbP0l7Mn1IawQQGCINEz7PYXQvwjNwB_qa2ofrHyiLjcbCRxTDMgk'
const browser = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X)'

const text = fc.constantFrom(
  '',
  ' ',
  'null',
  'ada@shop.com',
  'Ada',
  sha256(''),
  sha256('a'),
  '+4930901820',
  '030 901820',
)
const parts = fc.record(
  {
    person: fc.dictionary(
      fc.constantFrom('email', 'phone', 'firstName', 'city', 'country', 'customerId', 'ip', 'userAgent'),
      text,
    ),
    captured: fc.dictionary(fc.constantFrom('fbclid', '_fbc', '_fbp', 'gclid'), fc.constantFrom('', click, 'x y')),
    data: fc.record({ value: fc.constantFrom(0, 5, '7', null), orderId: text }, { requiredKeys: [] }),
    eventName: fc.constantFrom('PageView', 'Purchase', 'Lead', 'my own event'),
    eventId: fc.constantFrom('a', 'b', 'c'),
    isFromServer: fc.boolean(),
    pageUrl: fc.constantFrom('https://shop.example/x', 'http://localhost:3000/', 'nonsense'),
    n: fc.nat(40),
  },
  { requiredKeys: [] },
)
const history = fc.array(fc.record({ parts, hour: fc.nat(3) }), { maxLength: cases(60, 20) })
const toEvents = (drawn: readonly { parts: EventParts; hour: number }[]) =>
  drawn.map((each) => ({ event: delivered(each.parts), at: hour + each.hour * hourMs }))

type Rows = ReturnType<typeof countAll>
/** A pair is counted in the hour of its second event. */
const isOfPairs = (what: string) => / (pair|BROWSER_AND_SERVER_DIFFER|DOUBLE_HASH)$/.test(what)
/** Shared values are counted over a day, in the hour of the last event. */
const isShared = (what: string) => what.includes('shared ')

/** Sums the counts of the rows, without their examples. */
function summed(rows: Rows): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { example: _, count, ...row } of rows) {
    if (isOfPairs(row.what)) continue
    const key = JSON.stringify(isShared(row.what) ? { ...row, at: 0 } : row)
    sums.set(key, (sums.get(key) ?? 0) + count)
  }
  return new Map([...sums].sort(([one], [other]) => (one < other ? -1 : 1)))
}

test('the same events counted in any order give the same figures', () => {
  fc.assert(
    fc.property(history, fc.array(fc.nat()), (drawn, turns) => {
      const shuffled = [...drawn]
      for (const [n, turn] of turns.entries()) {
        if (shuffled.length === 0) break
        const [one, other] = [n % shuffled.length, turn % shuffled.length]
        ;[shuffled[one], shuffled[other]] = [shuffled[other]!, shuffled[one]!]
      }
      assert.deepEqual(summed(countAll(toEvents(shuffled))), summed(countAll(toEvents(drawn))))
    }),
  )
})

test('coverage adds up over hours, sources and event names, and over the cuts of a history', () => {
  fc.assert(
    fc.property(history, fc.nat(60), (drawn, cut) => {
      const whole = countAll(toEvents(drawn))
      const halves = [drawn.slice(0, cut), drawn.slice(cut)].flatMap((half) => countAll(toEvents(half)))
      const sumBy = (rows: typeof whole, part: (row: (typeof whole)[number]) => boolean) => {
        const sums: Record<string, number> = {}
        for (const { what, count } of rows.filter(part)) if (!isOfPairs(what)) sums[what] = (sums[what] ?? 0) + count
        return sums
      }
      const all = sumBy(whole, () => true)
      assert.deepEqual(
        sumBy(halves, () => true),
        all,
      )
      for (const split of [
        [0, 1, 2, 3].map((n) => sumBy(whole, ({ at }) => at === hour + n * hourMs)),
        ['browser', 'server'].map((source) => sumBy(whole, (row) => row.source === source)),
        ['', 'PageView', 'Purchase', 'Lead', '(other)'].map((name) => sumBy(whole, (row) => row.eventName === name)),
      ])
        for (const [what, count] of Object.entries(all))
          assert.equal(
            split.reduce((sum, each) => sum + (each[what] ?? 0), 0),
            count,
            what,
          )
      const report = reportOf(whole)
      assert.equal(report.events, drawn.length)
      assert.equal(report.eventsBySource.browser + report.eventsBySource.server, drawn.length)
      assert.equal(
        report.byEvent.reduce((sum, { events }) => sum + events, 0),
        drawn.length,
      )
    }),
  )
})

test('a key is counted exactly as often as it is sent', () => {
  fc.assert(
    fc.property(history, (drawn) => {
      const events = toEvents(drawn)
      const { keys } = reportOf(countAll(events))
      for (const { vendorKey, key, share } of keys) {
        const sent = events.filter(({ event: { outgoing } }) => {
          if (key === 'captured') return Boolean(outgoing.captured[vendorKey]?.value)
          return key !== 'app' && vendorKey in resolve(providers.facebook!.user, outgoing.identity)
        })
        assert.equal(share, drawn.length === 0 ? 0 : Number((sent.length / drawn.length).toFixed(4)), vendorKey)
      }
    }),
  )
})

/** An event of a shop without faults, of a visitor of its own. Half of the events come from the server. */
const clean = (n: number): EventParts => ({
  n,
  eventName: 'Purchase',
  person: {
    email: `ada.${n}@shop.com`,
    phone: `+4930901${String(820 + n).padStart(5, '0')}`,
    customerId: `c-${n}`,
    ip: `84.${n % 200}.${Math.floor(n / 200)}.7`,
    userAgent: `${browser} ${n % 50}`,
  },
  captured: {
    _fbc: `fb.1.${hour - n}.${click}`,
    _fbp: `fb.1.${hour - n}.${1_098_115_397 + n}`,
    fbclid: click,
  },
  data: { value: 12.5, currency: 'EUR', orderId: `o-${n}` },
  pageUrl: 'https://www.shop.example/thanks',
  isFromServer: n % 2 === 0,
})

/** Adds each fault to a clean event. */
const planted: Record<MatchFindingCode, (each: EventParts) => EventParts> = {
  EMPTY_HASH: (each) => ({ ...each, person: { ...each.person, email: sha256('') } }),
  PLACEHOLDER_HASH: (each) => ({ ...each, person: { ...each.person, phone: sha256('null') } }),
  DOUBLE_HASH: (each) => ({ ...each, person: { ...each.person, email: sha256(sha256('')) } }),
  PHONE_WITHOUT_COUNTRY: (each) => ({ ...each, person: { ...each.person, phone: '030 901820' } }),
  CLICK_ID_MALFORMED: (each) => ({ ...each, captured: { ...each.captured, fbclid: click.toLowerCase() } }),
  CLICK_ID_OLD: (each) => ({ ...each, captured: { ...each.captured, _fbc: `fb.1.1700000000000.${click}` } }),
  SERVER_ADDRESS_SENT: (each) => ({ ...each, isFromServer: true, isCallerAddress: true }),
  PRIVATE_ADDRESS: (each) => ({ ...each, person: { ...each.person, ip: '10.0.0.7' } }),
  USER_AGENT_OF_A_SERVER: (each) => ({ ...each, person: { ...each.person, userAgent: 'WordPress/6.6' } }),
  SHARED_IDENTIFIER: (each) => ({ ...each, captured: { ...each.captured, _fbp: `fb.1.${hour}.7` } }),
  VALUE_ZERO: (each) => ({ ...each, data: { ...each.data, value: '€ 12,50' } }),
  CURRENCY_MISSING: (each) => ({ ...each, data: { value: 12.5, orderId: 'o' } }),
  TIME_UNIT: (each) => ({ ...each, captured: { ...each.captured, _fbc: `fb.1.${hour / 1_000}.${click}` } }),
  FOREIGN_PAGE: (each) => ({ ...each, pageUrl: 'http://localhost:3000/thanks' }),
  DEDUP_KEY_MISSING: (each) => ({ ...each, data: { value: 12.5, currency: 'EUR' } }),
  BROWSER_AND_SERVER_DIFFER: (each) => each,
}

const stream = (share: number, plant: (each: EventParts) => EventParts) =>
  Array.from({ length: 1_000 }, (_, n) => (n % 100 < share ? plant(clean(n)) : clean(n)))

test('a clean day of a shop has no finding, and a good coverage', () => {
  const report = reportOfEvents(stream(0, (each) => each))
  assert.deepEqual([report.findings, report.coverage, report.withStrongKey], [[], 'good', 1])
  assert.deepEqual(report.eventsBySource, { browser: 500, server: 500 })
})

for (const [code, plant] of Object.entries(planted) as [MatchFindingCode, (each: EventParts) => EventParts][])
  if (code !== 'BROWSER_AND_SERVER_DIFFER')
    test(`${code} is found on 6 and 100 % of 1,000 events, and not on 4 %`, () => {
      for (const share of [4, 6, 100]) {
        const { findings } = reportOfEvents(stream(share, plant))
        const found = findings.find((each) => each.code === code)
        if (share === 4) {
          assert.deepEqual(findings, [])
          continue
        }
        assert.ok(found && Math.abs(found.share - share / 100) <= 0.011, `${share}: ${JSON.stringify(findings)}`)
        // a value on every event is also shared by all visitors
        const others: MatchFinding[] = findings.filter(
          (each) => each.code !== code && each.code !== 'SHARED_IDENTIFIER',
        )
        assert.deepEqual(others, [])
      }
    })

test('browser and server of one event that differ are found by their pairs, also where one hashed twice', () => {
  const email = 'ada@shop.com'
  const sides = (share: number, other: string) =>
    Array.from({ length: 200 }, (_, n) => [
      { ...clean(n), isFromServer: false, person: { email } },
      { ...clean(n), isFromServer: true, person: { email: n % 100 < share ? other : email } },
    ]).flat()
  const codes = (share: number, other: string) =>
    reportOfEvents(sides(share, other))
      .findings.filter(({ code }) => code !== 'SHARED_IDENTIFIER')
      .map(({ code, share: found }) => [code, found])
  assert.deepEqual(codes(0, 'eva@shop.com'), [])
  assert.deepEqual(codes(4, 'eva@shop.com'), [])
  assert.deepEqual(codes(6, 'eva@shop.com'), [['BROWSER_AND_SERVER_DIFFER', 0.06]])
  const double = codes(100, sha256(sha256(email))).map(([code]) => code)
  assert.deepEqual(double.sort(), ['BROWSER_AND_SERVER_DIFFER', 'DOUBLE_HASH'])
})

test('one busy visitor shares nothing, and one browser model on many visitors is none of a fault', () => {
  const busy = stream(0, (each) => each).map((each, n) => (n % 3 === 0 ? { ...clean(0), eventId: `x-${n}` } : each))
  assert.deepEqual(reportOfEvents(busy).findings, [])
  const oneBrowser = stream(50, (each) => ({ ...each, person: { ...each.person, userAgent: browser } }))
  assert.deepEqual(reportOfEvents(oneBrowser).findings, [])
  const oneServerAgent = stream(100, (each) => ({ ...each, person: { ...each.person, userAgent: browser } }))
  assert.deepEqual(
    reportOfEvents(oneServerAgent).findings.map(({ code }) => code),
    ['SHARED_IDENTIFIER'],
  )
})

test('the example of a finding is the place of one of its events, and no row holds a value', () => {
  const rows = countAll([
    { event: delivered({ n: 8, ...clean(8), data: { value: 0, currency: 'EUR', orderId: 'o' } }), at: hour },
  ])
  const found = rows.find(({ what }) => what === 'finding VALUE_ZERO')
  assert.deepEqual(found?.example, { position: 8, index: 0 })
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].sort()
  assert.deepEqual(names, ['at', 'count', 'eventName', 'example', 'scriptId', 'source', 'tagId', 'what'])
  for (const { what, eventName } of rows) {
    assert.match(what, /^(events|strong|(key|faulty|finding|checked|shared)( shared)? [A-Za-z_]+)$/)
    assert.equal(eventName === '' || eventName === 'Purchase', true)
  }
})

test('user updates and channels without match keys are not counted', () => {
  const event = delivered({})
  assert.deepEqual(countAll([{ event: { ...event, outgoing: { ...event.outgoing, kind: 'user' } }, at: hour }]), [])
  assert.deepEqual(countAll([{ event: { ...event, provider: providers.eventSink! }, at: hour }]), [])
})
