import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ChannelRulesWrite } from './channelRules.ts'
import { ruleIssues } from './ruleIssues.ts'

const regexIssue = (pattern: string) => (pattern.includes('(?<') ? 'is not an RE2 regular expression' : undefined)
const issuesOf = (write: object) =>
  ruleIssues(write as ChannelRulesWrite, regexIssue).map(({ path, message }) => `${path} ${message}`)
const filterIssuesOf = (filter: unknown) => issuesOf({ filter })
const mapIssuesOf = (...map: unknown[]) => issuesOf({ map })

test('every form of a rule that the page shows is valid', () => {
  assert.deepEqual(
    issuesOf({
      filter: {
        eventName: { $in: ['Purchase', 'Lead'] },
        data: { value: { $gte: 10 }, tags: ['a', 'b'], contents: { $anyOf: { id: 'x' } } },
        'pageUrl.query.utm_source': { $regex: '^a' },
        'source.name': 'segment',
        userEmail: { $exist: true },
        $or: [{ place: { country: 'DE' } }, { $not: { isTest: true } }],
      },
    }),
    [],
  )
  assert.deepEqual(
    issuesOf({
      rename: { generate_lead: 'Lead', old_event: null },
      map: [
        { set: 'data.value', from: 'data.margin' },
        { set: 'data.contents[].id', from: 'data.contents[].sku' },
        { set: 'data.currency', value: 'EUR', when: 'missing' },
        { set: 'data.tier', switch: 'data.value', cases: [{ when: { $gte: 500 }, value: 'gold' }], otherwise: 'none' },
        { remove: 'userPhone' },
        { set: 'data.title', template: '{data.brand} {data.title}' },
        { set: 'data.total', from: 'data.contents[].price number sum round2' },
        { set: 'userEmail', from: 'data.email lower trim' },
      ],
      sample: 0.1,
    }),
    [],
  )
  assert.deepEqual(issuesOf({ filter: null, rename: null, map: null, sample: null }), [])
})

test('an unknown operator or field is refused with its path and the closest name', () => {
  assert.deepEqual(filterIssuesOf({ data: { value: { $gtee: 1 } } }), [
    'filter.data.value.$gtee "$gtee" is no operator; did you mean $gte?',
  ])
  assert.match(filterIssuesOf({ eventname: 'a' })[0]!, /^filter\.eventname .*did you mean eventName\?/)
  assert.match(filterIssuesOf({ userEmial: { $exist: true } })[0]!, /did you mean userEmail\?/)
  assert.match(filterIssuesOf({ 'pageUrl.hots': 'a' })[0]!, /did you mean host\?/)
  assert.match(filterIssuesOf({ $gte: 1 })[0]!, /needs a field/)
  assert.match(mapIssuesOf({ set: 'data.a', from: 'data.b lowr' })[0]!, /^map\.0\.from .*did you mean lower\?/)
  assert.match(mapIssuesOf({ set: 'data.a', form: 'data.b' })[0]!, /did you mean from\?/)
  assert.match(mapIssuesOf({ set: 'dta.a', value: 1 })[0]!, /^map\.0\.set .*did you mean data\?/)
})

test('what a filter asks must be askable: types, regular expressions and presence alone of a person', () => {
  assert.match(
    filterIssuesOf({ eventName: { $regex: '(?<=a)b' } })[0]!,
    /eventName\.\$regex is not an RE2 regular expression/,
  )
  assert.match(filterIssuesOf({ data: { a: { $in: 'text' } } })[0]!, /\$contains finds a part/)
  assert.match(filterIssuesOf({ data: { a: {} } })[0]!, /has no condition/)
  assert.match(filterIssuesOf({})[0]!, /has no condition/)
  for (const name of ['userEmail', 'data.userEmail', 'data.email', 'pageUrl.query.email', 'data.user.id'])
    assert.match(filterIssuesOf({ [name]: 'ada@example.com' })[0] ?? '', /only \$exist/, name)
})

test('a part of a path that reaches the prototype is refused', () => {
  for (const part of ['__proto__', 'constructor', 'prototype']) {
    assert.match(filterIssuesOf({ [`data.${part}`]: 1 })[0]!, /may not have the part/)
    assert.match(filterIssuesOf(JSON.parse(`{"data":{"${part}":1}}`))[0]!, /may not have the part/)
    assert.match(mapIssuesOf({ set: `data.${part}.a`, value: 1 })[0]!, /may not have the part/)
    assert.match(mapIssuesOf({ set: 'data.a', template: `{data.${part}}` })[0]!, /may not have the part/)
  }
})

test('a value of a person goes to no other field, and no other value to a field of a person', () => {
  assert.match(
    mapIssuesOf({ set: 'data.note', from: 'userEmail' })[0]!,
    /cannot be set in a field that is not personal/,
  )
  assert.match(
    mapIssuesOf({ set: 'data.note', template: 'for {data.userPhone}' })[0]!,
    /cannot be set in a field that is not personal/,
  )
  assert.match(mapIssuesOf({ set: 'userEmail', value: 'a@example.com' })[0]!, /only be set from another personal field/)
  assert.match(mapIssuesOf({ set: 'userEmail', from: 'data.note' })[0]!, /only be set from another one/)
  const bySwitch = { set: 'data.a', switch: 'userEmail', cases: [{ when: 'ada@example.com', value: 1 }] }
  assert.match(mapIssuesOf(bySwitch)[0]!, /cases\.0\.when is a personal field/)
  assert.deepEqual(mapIssuesOf({ ...bySwitch, cases: [{ when: { $exist: true }, value: 1 }] }), [])
})

test('both sides of a rule have the same number of lists, or a function turns the last into a value', () => {
  assert.match(mapIssuesOf({ set: 'data.contents[].id', from: 'data.sku' })[0]!, /as many \[\]/)
  assert.match(mapIssuesOf({ set: 'data.total', from: 'data.contents[].price' })[0]!, /add sum/)
  assert.match(mapIssuesOf({ set: 'data.a[].b', template: '{data.c[].d[].e}' })[0]!, /as many \[\]/)
})

test('the limits of conditions, depth, lists, expressions and rules hold', () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`data.f${n}`, n]))
  assert.match(filterIssuesOf(many)[0]!, /^filter has more than 50 conditions/)
  const nested = (levels: number): object => (levels === 0 ? { isTest: true } : { $not: nested(levels - 1) })
  assert.deepEqual(filterIssuesOf(nested(5)), [])
  assert.match(filterIssuesOf(nested(6))[0]!, /nested deeper than 5/)
  assert.match(filterIssuesOf({ eventName: { $in: Array.from({ length: 201 }, () => 'a') } })[0]!, /1 to 200/)
  assert.match(filterIssuesOf({ eventName: { $regex: 'a'.repeat(201) } })[0]!, /more than 200/)
  assert.match(mapIssuesOf(...Array.from({ length: 101 }, () => ({ remove: 'data.a' })))[0]!, /more than 100 rules/)
  for (const sample of [0, -1, 1.1, Number.NaN])
    assert.match(issuesOf({ sample })[0]!, /^sample must be greater than 0/)
})

test('whatever JSON a caller sends as rules gets issues and never an exception, in bounded number', () => {
  const anything = fc.anything({ maxDepth: 6, withObjectString: true })
  fc.assert(
    fc.property(anything, anything, anything, anything, (filter, rename, map, sample) => {
      assert.ok(issuesOf({ filter, rename, map, sample }).length <= 100)
    }),
  )
  let deep: object = {}
  for (let n = 0; n < 50_000; n++) deep = n % 2 ? [deep] : { data: deep }
  assert.match(issuesOf({ filter: deep, map: deep })[0]!, /nested too deep/)
})
