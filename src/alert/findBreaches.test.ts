import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { alertRuleKinds, fieldsOfKind, usualAlertRules } from '#contract/alertKinds.ts'
import { AlertRuleWrite } from '#contract/alertRule.ts'
import { compileValidator } from '#contract/validator.ts'
import { cases } from '../../test/fake/cases.ts'
import type { AlertFigures, WatchedTag } from './alertFigures.ts'
import { phraseText } from './alertPhrases.ts'
import { findBreaches } from './findBreaches.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = Date.UTC(2026, 10, 18, 12, 30)
const tag: WatchedTag = { tagId: 'tag_1', teamId: 'team_1', name: 'Shop', createdAt: now - 60 * day }
const calm: AlertFigures = {
  events: async () => 100,
  failures: async () => new Map(),
  stopped: async () => [],
  waiting: async () => new Map(),
  latency: async () => undefined,
  consentSkipped: async () => ({ part: 10, all: 100 }),
  intake: async () => new Map([['accepted', 100]]),
  eventNames: async () => ({ names: new Map([['Purchase', 100]]), isWhole: true }),
  valuesMissing: async () => ({ part: 0, all: 100 }),
  eventIssues: async () => ({ part: 1, all: 100, path: 'data.currency' }),
  matchKeys: async () => ({ part: 50, all: 100 }),
  ordersMissing: async () => ({ part: 0, all: 100 }),
  freeDisk: async () => 0.5,
}
type Rule = Parameters<typeof findBreaches>[0]['rule']
const told = async (rule: Partial<Rule> & Pick<Rule, 'kind'>, figures: Partial<AlertFigures>, at = now) => {
  const request = { rule: { name: 'a', to: ['b'], ...rule }, tag, now: at, figures: { ...calm, ...figures } }
  return (await findBreaches(request)).map(({ subject, detail }) => [subject, phraseText(detail, 'en')])
}
const isLast = ({ from }: { from: number }) => from > now - 2 * hour

test('nothing breaks a rule of any kind while all is as usual', async () => {
  for (const kind of alertRuleKinds) assert.deepEqual(await told({ kind }, {}), [], kind)
})

test('twice as many events as usual are a rise, and a rise by chance is none', async () => {
  const rise = (count: number, rule: Partial<Rule> = {}) =>
    told({ kind: 'volumeRise', ...rule }, { events: async (_, period) => (isLast(period) ? count : 100) })
  assert.deepEqual(await rise(200), [['', '200 in the last hour; 100 is usual']])
  assert.deepEqual([await rise(199), await rise(120, { by: 0.1 })], [[], []], '120 is within three spreads of 100')
  assert.equal((await rise(131, { by: 0.1 })).length, 1)
  const few = { events: async (_: WatchedTag, period: { from: number }) => (isLast(period) ? 9 : 1) }
  assert.deepEqual(await told({ kind: 'volumeRise' }, few), [])
})

test('deliveries are slow if one in twenty takes longer, where enough were delivered', async () => {
  const slow = (p95Ms: number, count = 100) => told({ kind: 'latency' }, { latency: async () => ({ p95Ms, count }) })
  assert.deepEqual(await slow(60_001), [['', '1 in 20 deliveries in the last hour took more than 60 seconds']])
  assert.deepEqual([await slow(60_000), await slow(90_000, 9)], [[], []])
})

test('a channel whose oldest delivery waits too long is named, and the others are not', async () => {
  const waiting = async () => new Map(Object.entries({ scr_1: now - 61 * minute, scr_2: now - 60 * minute }))
  assert.deepEqual(await told({ kind: 'backlog' }, { waiting }), [['scr_1', 'the oldest has waited for 61 minutes']])
})

test('more is skipped for consent if the share doubled and rose by a tenth of all deliveries', async () => {
  const skipped = (part: number, usual = 10) =>
    told(
      { kind: 'consentSkipped' },
      { consentSkipped: async (_, period) => ({ part: isLast(period) ? part : usual, all: 100 }) },
    )
  assert.deepEqual(await skipped(20), [['', '20 % of the deliveries of the last hour; 10 % is usual']])
  assert.deepEqual([await skipped(19), await skipped(8, 4)], [[], []])
})

test('refused calls and repeats count beside the events that were accepted', async () => {
  const intake = (counts: Record<string, number>) => ({ intake: async () => new Map(Object.entries(counts)) })
  const mixed = intake({ accepted: 80, duplicate: 20, rejected: 12, BAD_REQUEST: 3 })
  assert.deepEqual(await told({ kind: 'callsRefused' }, mixed), [
    ['', '15 in the last hour, compared with 80 accepted events'],
  ])
  assert.deepEqual(await told({ kind: 'duplicates' }, mixed), [
    ['', '20 repeats in the last hour, compared with 80 new events'],
  ])
  const good = intake({ accepted: 95, duplicate: 5, rejected: 5 })
  assert.deepEqual([await told({ kind: 'callsRefused' }, good), await told({ kind: 'duplicates' }, good)], [[], []])
})

test('a name is new if it comes often today and came never in four weeks, unless not all names are counted', async () => {
  const names = (isWhole: boolean, counts: Record<string, number>) => ({
    eventNames: async (_: WatchedTag, { to }: { to: number }) =>
      to === now
        ? { names: new Map(Object.entries(counts)), isWhole: true }
        : { names: new Map([['Purchase', 9]]), isWhole },
  })
  const rule = { kind: 'newEventName' } as const
  assert.deepEqual(await told(rule, names(true, { Purchase: 50, 'Bad\nName': 20, rare: 19 })), [['', 'Bad Name']])
  assert.deepEqual(await told(rule, names(false, { other: 50 })), [])
})

test('every usual rule is a valid rule with the fields of its kind alone', () => {
  const check = compileValidator(AlertRuleWrite)
  for (const [name, rule] of Object.entries(usualAlertRules)) {
    const { kind, ...fields } = rule
    assert.deepEqual(check({ ...rule, to: ['ops'] }), [], name)
    const own: readonly string[] = fieldsOfKind[kind]
    assert.deepEqual(
      Object.keys(fields).filter((field) => !own.includes(field)),
      [],
      name,
    )
  }
})

test('no share and no count of any kind says something that cannot be told', async () => {
  const count = fc.nat({ max: 1_000_000 })
  const share = fc
    .tuple(count, count)
    .map(([one, other]) => ({ part: Math.min(one, other), all: Math.max(one, other) }))
  const figures = fc.record({
    all: fc.array(share, { minLength: 1, maxLength: 8 }),
    kind: fc.constantFrom(...alertRuleKinds),
  })
  await fc.assert(
    fc.asyncProperty(figures, async ({ all, kind }) => {
      let at = 0
      const next = async () => all[at++ % all.length]!
      const read = { consentSkipped: next, valuesMissing: next, matchKeys: next, ordersMissing: next }
      const events = async () => (await next()).part
      const intake = async () =>
        new Map([
          ['accepted', (await next()).part],
          ['duplicate', (await next()).all],
        ])
      for (const [, detail] of await told({ kind }, { ...read, events, intake }))
        assert.doesNotMatch(detail!, /NaN|Infinity|undefined|[{}]/)
    }),
    { endOnFailure: true, numRuns: cases(500) },
  )
})

test('events break a rule about issues once one issue is too frequent among enough events, and its field is told', async () => {
  const withIssues = (part: number, all: number, rule: object = {}) =>
    told({ kind: 'eventIssues', ...rule }, { eventIssues: async () => ({ part, all, path: 'data.\ncurrency' }) })
  assert.deepEqual(await withIssues(10, 100), [])
  assert.deepEqual(await withIssues(11, 100), [['', '11 of 100 in the last hour, in data. currency']])
  assert.deepEqual(await withIssues(9, 9), [], 'fewer than the minimum came')
  assert.deepEqual(await withIssues(11, 100, { above: 0.2 }), [])
})
