import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/fake/cases.ts'
import { openDataLayerModel } from './dataLayerModel.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

function stateAfter(...pushes: Record<string, unknown>[]) {
  const { model, add } = openDataLayerModel()
  for (const push of pushes) add(plain(push))
  return plain(model)
}

describe('the state of a data layer', () => {
  test('keeps what later pushes do not name, and replaces a value', () => {
    assert.deepEqual(stateAfter({ one: 1, two: 2 }, { two: 3 }), { one: 1, two: 3 })
    assert.deepEqual(stateAfter({ one: 1 }, { one: { three: 3 } }, { one: { four: 4 } }), {
      one: { three: 3, four: 4 },
    })
    assert.deepEqual(stateAfter({ a: { b: 1 } }, { a: 'text' }), { a: 'text' })
    assert.deepEqual(stateAfter({ a: { b: 1 } }, { a: null }), { a: null })
  })

  test('merges lists by index', () => {
    assert.deepEqual(stateAfter({ items: ['a', 'b', 'c'] }, { items: ['x'] }), { items: ['x', 'b', 'c'] })
    assert.deepEqual(stateAfter({ items: [{ id: 1, price: 2 }] }, { items: [{ price: 3 }, { id: 2 }] }), {
      items: [{ id: 1, price: 3 }, { id: 2 }],
    })
    assert.deepEqual(stateAfter({ a: { b: 1 } }, { a: [1] }), { a: [1] })
    assert.deepEqual(stateAfter({ a: [1, 2] }, { a: { b: 1 } }), { a: { b: 1 } })
  })

  test('takes a dot in a key of a push as a path, and none in a key below', () => {
    assert.deepEqual(stateAfter({ a: 1, b: { c: { d: 4 }, e: 5 } }, { 'b.c': 3 }), { a: 1, b: { c: 3, e: 5 } })
    assert.deepEqual(stateAfter({ 'a.b.c': 6 }), { a: { b: { c: 6 } } })
    assert.deepEqual(stateAfter({ a: { 'b.c': 1 } }), { a: { 'b.c': 1 } })
    assert.deepEqual(stateAfter({ 'a..b': 2, '': 1 }), { a: { '': { b: 2 } }, '': 1 })
  })

  test('replaces the members of an object with _clear, and keeps those that it does not name', () => {
    const before = { ecommerce: { items: [{ id: 1 }, { id: 2 }], currency: 'EUR' } }
    assert.deepEqual(stateAfter(before, { ecommerce: { _clear: true, items: [{ id: 3 }] } }), {
      ecommerce: { items: [{ id: 3 }], currency: 'EUR' },
    })
  })

  test('replaces what a push with _clear names', () => {
    const before = { ecommerce: { items: [{ id: 1 }, { id: 2 }], currency: 'EUR' }, page: 'cart' }
    assert.deepEqual(stateAfter(before, { _clear: true, ecommerce: { items: [{ id: 3 }] } }), {
      ecommerce: { items: [{ id: 3 }] },
      page: 'cart',
    })
  })

  test('forgets e-commerce at ecommerce: null', () => {
    const items = [{ item_id: 'a' }, { item_id: 'b' }]
    assert.deepEqual(
      stateAfter({ ecommerce: { items } }, { ecommerce: null }, { ecommerce: { items: [{ item_id: 'c' }] } }),
      {
        ecommerce: { items: [{ item_id: 'c' }] },
      },
    )
  })

  test('leads to no prototype', () => {
    const hostile =
      '{"__proto__": {"polluted": 1}, "a": {"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}}'
    const { add } = openDataLayerModel()
    for (const push of [
      hostile,
      hostile,
      '{"__proto__.polluted": 1, "a.__proto__.polluted": 1, "constructor.prototype.polluted": 1}',
    ])
      add(JSON.parse(push))
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
    assert.equal((() => {}).constructor.prototype.polluted, undefined)
  })
})

const key = fc.constantFrom('a', 'b', 'c')
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, fc.integer(), fc.constant(null), fc.string(), tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 3 }),
  object: fc.dictionary(key, tie('any'), { maxKeys: 3 }),
}))
const push = value.object as fc.Arbitrary<Record<string, unknown>>

/** The path and value of every leaf: anything but a list or an object with members. */
const leaves = (at: unknown, path: string[] = []): [string, unknown][] =>
  typeof at === 'object' && at !== null && Object.keys(at).length > 0
    ? Object.entries(at).flatMap(([name, below]) => leaves(below, [...path, name]))
    : [[path.join('.'), at]]
const at = (state: unknown, path: string) =>
  path.split('.').reduce<unknown>((within, name) => (within as Record<string, unknown> | null)?.[name], state)

describe('a property of the state of a data layer:', () => {
  test('every value of the last push is in it', () => {
    fc.assert(
      fc.property(fc.array(push, { maxLength: 4 }), push, (before, last) => {
        const state = stateAfter(...before, last)
        for (const [path, expected] of leaves(last))
          if (path && (typeof expected !== 'object' || expected === null)) assert.deepEqual(at(state, path), expected)
      }),
      { numRuns: cases(300) },
    )
  })

  test('a push that is repeated changes nothing', () => {
    fc.assert(
      fc.property(fc.array(push, { maxLength: 4 }), push, (before, last) => {
        assert.deepEqual(stateAfter(...before, last, last), stateAfter(...before, last))
      }),
      { numRuns: cases(300) },
    )
  })

  test('after a push with _clear each key that it names has the value of the push alone', () => {
    fc.assert(
      fc.property(fc.array(push, { maxLength: 4 }), push, (before, last) => {
        const state = stateAfter(...before, { ...last, _clear: true })
        for (const name of Object.keys(last)) assert.deepEqual(state[name], plain(last[name]))
      }),
      { numRuns: cases(300) },
    )
  })

  test('a key that no push names is never there, and one that the last does not name stays', () => {
    fc.assert(
      fc.property(fc.array(push, { maxLength: 4 }), push, (before, last) => {
        const state = stateAfter(...before, last)
        const old = stateAfter(...before)
        assert.deepEqual(new Set(Object.keys(state)), new Set([...before, last].flatMap((each) => Object.keys(each))))
        for (const name of Object.keys(old)) if (!(name in last)) assert.deepEqual(state[name], old[name])
      }),
      { numRuns: cases(300) },
    )
  })
})
