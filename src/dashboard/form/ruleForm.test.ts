import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Filter, MapRule } from '#contract/rule/channelRules.ts'
import {
  filterOf,
  filterRows,
  mapRow,
  mapRuleOf,
  parseRulesText,
  ruleOperators,
  rulesText,
  textValue,
  valueText,
} from './ruleForm.ts'

test('the lines of a filter show each condition, and give the same conditions back', () => {
  const filter: Filter = { eventName: { $in: ['Purchase', 'Lead'] }, data: { value: { $gte: 10, $lt: 99 }, kind: 'a' } }
  const rows = filterRows(filter)!
  assert.deepEqual(rows, [
    { field: 'eventName', operator: '$in', text: 'Purchase, Lead' },
    { field: 'data.value', operator: '$gte', text: '10' },
    { field: 'data.value', operator: '$lt', text: '99' },
    { field: 'data.kind', operator: '$eq', text: 'a' },
  ])
  assert.deepEqual(filterOf(rows), {
    eventName: { $in: ['Purchase', 'Lead'] },
    'data.value': { $gte: 10, $lt: 99 },
    'data.kind': { $eq: 'a' },
  })
})

test('a filter with alternatives, or with several conditions on an element of a list, has no lines', () => {
  for (const filter of [
    { $or: [{ eventName: 'Lead' }] },
    { data: { a: { $not: 1 } } },
    { data: { tags: ['a', 'b'] } },
    { data: { contents: { id: 'a', price: { $gt: 1 } } } },
  ] as Filter[])
    assert.equal(filterRows(filter), undefined, JSON.stringify(filter))
})

test('lines that a person makes are the same lines again, two of one kind on one field too', () => {
  const row = fc.record({
    field: fc.constantFrom('eventName', 'data.value', 'pageUrl.host'),
    operator: fc.constantFrom(...ruleOperators.filter((operator) => operator !== '$exist')),
    text: fc.constantFrom('a', '10', 'true', '"10"', 'a b'),
  })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
      const again = filterRows(filterOf(rows))!
      const sorted = (list: object[]) => list.map((each) => JSON.stringify(each)).sort()
      assert.deepEqual(sorted(again), sorted(rows))
    }),
  )
})

test('a typed value is a number, a truth value or null where it looks like one, and a text in quotes stays a text', () => {
  assert.deepEqual(['10', '"10"', 'true', 'null', 'Lead', '{}'].map(textValue), [10, '10', true, null, 'Lead', '{}'])
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), (value) => {
      assert.equal(textValue(valueText(value)), value)
    }),
  )
})

test('a change that a line cannot show is left to JSON; the others come back as they were', () => {
  const rules: MapRule[] = [
    { set: 'data.a', from: 'data.b number' },
    { set: 'data.a', value: '10' },
    { remove: 'userPhone' },
  ]
  for (const rule of rules) assert.deepEqual(mapRuleOf(mapRow(rule)!), rule)
  assert.equal(mapRow({ set: 'data.a', template: '{data.b}' }), undefined)
  assert.equal(mapRow({ set: 'data.a', value: 1, when: 'missing' }), undefined)
})

test('the JSON beside the lines is an object of rules, or broken', () => {
  assert.deepEqual(parseRulesText(rulesText({ sample: 0.1 })), { sample: 0.1 })
  assert.deepEqual(parseRulesText(' '), {})
  for (const text of ['{', '[]', '{"filtr":{}}', '1']) assert.equal(parseRulesText(text), undefined)
})
