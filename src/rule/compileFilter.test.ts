import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TagEvent } from '#contract/event.ts'
import type { Condition, Filter } from '#contract/rule/channelRules.ts'
import { filterIssues } from '#contract/rule/filterIssues.ts'
import { compileCondition, compileFilter } from './compileFilter.ts'
import { regexIssue } from './regex.ts'

const event = {
  eventName: 'Purchase',
  eventId: 'e1',
  timestamp: 1,
  pageUrl: 'https://Shop.example.com/shoes/red?utm_source=news&id=1&id=2',
  data: {
    value: 12.5,
    count: '7',
    title: 'Red shoes',
    tags: ['sale', 'new'],
    nothing: null,
    contents: [
      { id: 'a', price: 5 },
      { id: 'b', price: 50 },
    ],
    empty: [],
  },
} as unknown as TagEvent

const matches = (filter: Filter, more: object = {}) => {
  assert.deepEqual(filterIssues(filter, regexIssue), [], JSON.stringify(filter))
  return compileFilter(filter).test({ event: { ...event, ...more } as TagEvent, place: { country: 'DE' } })
}
const ofData = (data: { [name: string]: Condition }) => matches({ data })

test('each operator compares as the page says', () => {
  for (const [condition, expected] of [
    [{ value: 12.5 }, true],
    [{ value: { $gte: 10, $lt: 12.5 } }, false],
    [{ value: { $gt: 10, $lte: 12.5 } }, true],
    [{ count: 7 }, true],
    [{ count: { $gt: 6 } }, true],
    [{ count: { $in: [1, 7] } }, true],
    [{ value: { $in: ['12', '13'] } }, false],
    [{ title: { $startsWith: 'Red' } }, true],
    [{ title: { $endsWith: ['boots', 'shoes'] } }, true],
    [{ title: { $contains: 'd s' } }, true],
    [{ title: { $regex: '^red .*$' } }, false],
    [{ title: { $regex: '(?i)^red' } }, true],
    [{ title: { $neq: 'Red shoes' } }, false],
    [{ title: { $gt: 'Blue' } }, true],
    [{ nothing: null }, true],
    [{ nothing: { $exist: true } }, true],
    [{ value: true }, false],
    [{ title: { $or: [{ $contains: 'x' }, { $endsWith: 'shoes' }] } }, true],
    [{ title: { $not: { $contains: 'Red' } } }, false],
  ] as const)
    assert.equal(ofData(condition as never), expected, JSON.stringify(condition))
})

test('absent is equal to nothing, $neq and $nin of it are true, and $exist alone asks for presence', () => {
  assert.equal(ofData({ no: { $eq: null } }), false)
  assert.equal(ofData({ no: { $neq: 'x' } }), true)
  assert.equal(ofData({ no: { $nin: ['x'] } }), true)
  assert.equal(ofData({ no: { $exist: false } }), true)
  assert.equal(ofData({ no: { $lt: 5 } }), false)
  assert.equal(ofData({ 'no.deeper': { $exist: false } }), true)
})

test('a condition on a list holds if one element fulfils all of it', () => {
  assert.equal(ofData({ tags: 'new' }), true)
  assert.equal(ofData({ contents: { id: 'a', price: { $lt: 10 } } }), true)
  assert.equal(ofData({ contents: { id: 'a', price: { $gt: 10 } } }), false)
  assert.equal(ofData({ 'contents.id': 'a', 'contents.price': { $gt: 10 } }), true)
  assert.equal(ofData({ tags: { $neq: 'new' } }), true)
  assert.equal(matches({ $not: { data: { tags: 'new' } } }), false)
  assert.equal(ofData({ tags: ['new', 'sale'] }), true)
  assert.equal(ofData({ tags: ['new', 'old'] }), false)
  assert.equal(ofData({ contents: { $anyOf: { price: { $gt: 10 } } } }), true)
  assert.equal(ofData({ title: { $anyOf: { $contains: 'Red' } } }), false)
  assert.equal(ofData({ empty: { $exist: true } }), true)
  assert.equal(ofData({ empty: { $neq: 1 } }), false)
})

test('the page, the place and the presence of a person can be asked', () => {
  assert.equal(matches({ 'pageUrl.host': 'shop.example.com' }), true)
  assert.equal(matches({ pageUrl: { path: { $startsWith: '/shoes' }, query: { utm_source: 'news' } } }), true)
  assert.equal(matches({ 'pageUrl.query.id': '2' }), true)
  assert.equal(matches({ pageUrl: { $contains: 'utm_' } }), true)
  assert.equal(matches({ 'pageUrl.host': { $exist: false } }, { pageUrl: '/no-url' }), true)
  assert.equal(matches({ place: { country: 'DE' }, isTest: false }), true)
  assert.equal(matches({ isTest: true }, { isTest: true }), true)
  assert.equal(matches({ 'source.name': 'segment' }, { source: { name: 'segment' } }), true)
  const hasEmail = compileFilter({ userEmail: { $exist: true } })
  assert.equal(hasEmail.test({ event }), false)
  assert.equal(hasEmail.test({ event, hasKey: (key) => key === 'email' }), true)
  assert.equal(hasEmail.test({ event: { ...event, data: { userEmail: 'ada@example.com' } } }), true)
})

test('the first condition that is false is told with its path', () => {
  const why = (filter: Filter) => compileFilter(filter).why({ event })
  assert.deepEqual(why({ eventName: 'Purchase', data: { value: { $gt: 1, $gte: 20 } } }), {
    path: 'filter.data.value.$gte',
    condition: 20,
  })
  assert.deepEqual(why({ data: { contents: { id: 'a', price: 7 } } }), {
    path: 'filter.data.contents',
    condition: { id: 'a', price: 7 },
  })
  assert.deepEqual(why({ $and: [{ eventName: 'Purchase' }, { eventName: 'Lead' }] }), {
    path: 'filter.$and.1.eventName',
    condition: 'Lead',
  })
  assert.deepEqual(why({ $or: [{ eventName: 'Lead' }] }), { path: 'filter.$or', condition: [{ eventName: 'Lead' }] })
})

test('an expression that is not linear, is too complex or is none of RE2 is refused', () => {
  for (const pattern of ['(?<=a)b', '(?=a)', '(a)\\1', '(', '(.?a){400}']) assert.ok(regexIssue(pattern), pattern)
  for (const pattern of ['^/shop/(shoes|boots)', '(?i)google', '(a*)*$']) assert.equal(regexIssue(pattern), undefined)
})

test('every operator takes hostile texts of 1 MiB and of 2 MiB, and the longer one in about twice the time', () => {
  const hostile = {
    $startsWith: 'a',
    $endsWith: 'b',
    $contains: `${'a'.repeat(400)}b`,
    $regex: '(a*)*b',
    $eq: 'b',
    $gt: 'aa',
  }
  const text = 'a'.repeat(2 ** 20)
  for (const [operator, operand] of Object.entries(hostile)) {
    const { test: matchesText } = compileCondition({ [operator]: operand }, '')
    const timeOf = (value: string) =>
      Math.min(
        ...Array.from({ length: 5 }, (_, n) => {
          const begun = performance.now()
          matchesText(`${value}${n}`)
          return performance.now() - begun
        }),
      )
    timeOf(text) // compiles it
    const ratio = timeOf(text + text) / Math.max(timeOf(text), 1)
    assert.ok(ratio < 20, `${operator} takes ${ratio} times as long`)
  }
})
