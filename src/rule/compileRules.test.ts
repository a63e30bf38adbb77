import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TagEvent } from '#contract/event.ts'
import type { ChannelRules, MapRule } from '#contract/rule/channelRules.ts'
import { ruleIssues } from '#contract/rule/ruleIssues.ts'
import { isPersonalName, userFields } from '#contract/standardKeys.ts'
import { cases } from '../../test/fake/cases.ts'
import { compileRules, rulesOf } from './compileRules.ts'
import { regexIssue } from './regex.ts'

const limits = { eventBytes: 64 * 1024, keys: 5_000, depth: 32 }
const eventWith = (data: object, more: object = {}) =>
  ({ eventName: 'Purchase', eventId: 'e1', timestamp: 1, data, ...more }) as unknown as TagEvent

function mapped(rules: readonly MapRule[], event: TagEvent, person: Record<string, string> = {}) {
  assert.deepEqual(ruleIssues({ map: rules }, regexIssue), [])
  const result = compileRules({ map: rules })!.map(event, person, limits)
  assert.ok(result.refusedBy === undefined)
  return result
}
const dataAfter = (rules: readonly MapRule[], data: object) => mapped(rules, eventWith(data)).event.data

test('each rule of the page changes the event as it says', () => {
  const data = {
    margin: 3.456,
    brand: 'Acme',
    title: 'Shoe',
    price: ' 12.50 ',
    currency: '',
    list: ['B', 'a'],
    contents: [{ sku: 's1', price: '5', n: 2 }, { price: 2.5 }],
  }
  const after = (...rules: MapRule[]) => dataAfter(rules, data) as Record<string, unknown>
  assert.equal(after({ set: 'data.value', from: 'data.margin round2' }).value, 3.46)
  assert.equal(after({ set: 'data.value', from: 'data.price number' }).value, 12.5)
  assert.equal(after({ set: 'data.title', from: 'data.title upper' }).title, 'SHOE')
  assert.equal(after({ set: 'data.title', template: '{data.brand} {data.title} {{1}}' }).title, 'Acme Shoe {1}')
  assert.equal('note' in after({ set: 'data.note', template: 'for {data.absent}' }), false)
  assert.equal(after({ set: 'data.currency', value: 'EUR', when: 'missing' }).currency, 'EUR')
  assert.equal(after({ set: 'data.title', value: 'x', when: 'missing' }).title, 'Shoe')
  assert.equal(after({ set: 'data.title', value: null }).title, null)
  assert.deepEqual(after({ set: 'data.contents[].id', from: 'data.contents[].sku' }).contents, [
    { ...data.contents[0], id: 's1' },
    data.contents[1],
  ])
  assert.deepEqual(after({ remove: 'data.contents[].price' }).contents, [{ sku: 's1', n: 2 }, {}])
  assert.equal(after({ set: 'data.total', from: 'data.contents[].price number sum' }).total, 7.5)
  assert.equal(after({ set: 'data.total', from: 'data.contents count' }).total, 2)
  assert.equal(after({ set: 'data.ids', from: 'data.list lower join' }).ids, 'b,a')
  assert.equal(after({ set: 'data.ids', from: 'data.list first' }).ids, 'B')
  assert.equal(after({ set: 'data.deep.er', value: 1 }).deep instanceof Object, true)
  const tier = { set: 'data.tier', switch: 'data.margin', cases: [{ when: { $gte: 500 }, value: 'gold' }] }
  assert.equal(after({ ...tier, otherwise: 'none' }).tier, 'none')
  assert.equal('tier' in after(tier), false)
  assert.deepEqual(after({ set: 'data.title.x', value: 1 }, { remove: 'data.absent.x' }), data)
})

test('rules apply in their order, and the event that was stored is not changed', () => {
  const event = eventWith({ a: 1, contents: [{ id: 1 }] })
  const before = structuredClone(event)
  const rules: MapRule[] = [
    { set: 'data.b', from: 'data.a' },
    { remove: 'data.a' },
    { set: 'data.contents[].id', value: 2 },
    { set: 'data.c', from: 'data.b' },
  ]
  assert.deepEqual(mapped(rules, event).event.data, { b: 1, c: 1, contents: [{ id: 2 }] } as object)
  assert.deepEqual(event, before)
})

test('a field of a person is removed from the event, its data and the person', () => {
  const event = eventWith({ userPhone: '1', value: 2 }, { userEmail: 'ada@example.com' })
  const person = { email: 'ada@example.com', phone: '1', firstName: 'Ada', userId: 'usr_1' }
  const { event: after, person: rest } = mapped([{ remove: 'userPhone' }, { remove: 'data.userEmail' }], event, person)
  assert.deepEqual(after, eventWith({ value: 2 }))
  assert.deepEqual(JSON.parse(JSON.stringify(rest)), { firstName: 'Ada', userId: 'usr_1' })
})

test('a field of a person is set from another one of the profile, without showing the profile in the event', () => {
  const person = { email: 'ADA@example.com', customerId: 'c1' }
  const { event, person: after } = mapped([{ set: 'userCustomerId', from: 'userEmail lower' }], eventWith({}), person)
  assert.deepEqual(after, { email: 'ADA@example.com', customerId: 'ada@example.com' })
  assert.deepEqual(event, eventWith({}, { userCustomerId: 'ada@example.com' }))
})

test('rename, filter and sample decide in this order, and each says why', () => {
  const why = (rules: ChannelRules, eventName = 'Purchase') =>
    compileRules(rules)!.whyFiltered({ event: { ...eventWith({ value: 5 }), eventName } }, 'usr_1')
  const rules = { rename: { Buy: 'Purchase', Old: null }, filter: { eventName: 'Purchase' }, sample: 1 }
  assert.equal(why(rules, 'Buy'), undefined)
  assert.deepEqual(why(rules, 'Old'), { path: 'rename.Old', condition: null })
  assert.deepEqual(why(rules, 'Lead'), { path: 'filter.eventName', condition: 'Purchase' })
  assert.deepEqual(why({ ...rules, sample: 1e-9 }), { path: 'sample', condition: 1e-9 })
  assert.equal(compileRules(rules)!.map({ ...eventWith({}), eventName: 'Buy' }, {}, limits).refusedBy, undefined)
})

test('a sample takes about its share of visitors, always the same ones, and a larger share contains them', () => {
  const visitors = Array.from({ length: 10_000 }, (_, n) => `usr_${n}`)
  const sampled = (sample: number) => {
    const rules = compileRules({ sample })!
    return visitors.filter((userId) => !rules.whyFiltered({ event: eventWith({}) }, userId))
  }
  const tenth = sampled(0.1)
  assert.ok(tenth.length > 900 && tenth.length < 1_100, `${tenth.length}`)
  const half = new Set(sampled(0.5))
  assert.ok(tenth.every((userId) => half.has(userId)))
})

test('a mapped event that exceeds the limits of an event is refused, with the number of the rule', () => {
  const doubled = Array.from({ length: 60 }, (_, n) => ({ set: `data.copy${n}`, from: 'data.all' }))
  const growing: MapRule[] = [
    { set: 'data.all', from: 'data.big' },
    ...Array.from({ length: 60 }, () => ({ set: 'data.all.again', from: 'data' })),
  ]
  const run = (map: MapRule[], data: object) => compileRules({ map })!.map(eventWith(data), {}, limits)
  assert.deepEqual(run(doubled, { all: 'x'.repeat(20_000) }), { refusedBy: 3 })
  assert.ok(run(growing, { big: { a: 1 } }).refusedBy! > 1)
})

test('rules that would read or write more than 40,000 elements of lists of an event refuse it: each counts for each rule', () => {
  const contents = Array.from({ length: 1_000 }, (_, n) => ({ id: `${n}` }))
  const apply = (count: number, rule: MapRule) =>
    compileRules({ map: Array.from({ length: count }, () => rule) })!.map(eventWith({ contents }), {}, limits)
  assert.equal(apply(40, { set: 'data.contents[].id', value: 'x' }).refusedBy, undefined)
  assert.deepEqual(apply(41, { set: 'data.contents[].id', value: 'x' }), { refusedBy: 41 })
  assert.deepEqual(apply(100, { set: 'data.sum', from: 'data.contents[].id number sum' }), { refusedBy: 41 })
})

test('rules are compiled once for each script of a deployment', () => {
  const script = { filter: { eventName: 'Purchase' } }
  assert.equal(rulesOf(script), rulesOf(script))
  assert.equal(rulesOf({}), undefined)
})

// Property test: random rules that the API accepts, on an event whose personal values are canaries.
const part = fc.constantFrom('a', 'b', 'user', 'userEmail', 'email', 'note', 'contents', 'phone')
const path = fc
  .tuple(fc.constantFrom('data', 'userEmail', 'userPhone', 'pageTitle', 'userCity'), fc.array(part, { maxLength: 3 }))
  .map(([root, parts]) => [root, ...parts].join('.'))
const words = fc.array(fc.constantFrom('lower', 'text', 'first', 'join', 'trim'), { maxLength: 2 })
const rule: fc.Arbitrary<MapRule> = fc.oneof(
  fc.tuple(path, path, words).map(([set, from, more]) => ({ set, from: [from, ...more].join(' ') })),
  fc.tuple(path, path).map(([set, from]) => ({ set, template: `x {${from}}` })),
  fc.tuple(path, path).map(([set, from]) => ({ set, switch: from, cases: [{ when: { $exist: true }, value: 1 }] })),
  path.map((remove) => ({ remove })),
)

function strayCanaries(value: unknown, isPersonal: boolean): string[] {
  if (typeof value === 'string') return value.toLowerCase().includes('canary') && !isPersonal ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => strayCanaries(each, isPersonal || isPersonalName(name)))
}

test('no rule that is accepted brings a value of a person to a field that is not one', () => {
  const person = Object.fromEntries(userFields.map(([key]) => [key, `canary-profile-${key}`]))
  const event = eventWith(
    {
      userPhone: 'canary-phone',
      email: 'canary-mail',
      user: { a: 'canary-user', note: ['canary-list'] },
      contents: [{ a: 1, userEmail: 'canary-item' }],
      a: { b: { email: 'canary-deep' } },
      note: 'plain',
    },
    { userEmail: 'canary-top' },
  )
  let accepted = 0
  fc.assert(
    fc.property(fc.array(rule, { minLength: 1, maxLength: 12 }), (rules) => {
      const map = rules.filter((each) => ruleIssues({ map: [each] }, regexIssue).length === 0)
      if (map.length === 0) return
      accepted += map.length
      const result = compileRules({ map })!.map(event, person, limits)
      if (result.refusedBy === undefined) assert.deepEqual(strayCanaries(result.event, false), [])
    }),
    { numRuns: cases(5_000) },
  )
  assert.ok(accepted > cases(5_000))
})
