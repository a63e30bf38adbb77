import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isShown, parseViews, viewOf, withView } from './savedViews.ts'

test('a view keeps the filters of the address, and nothing that names a person', () => {
  const view = viewOf(' Failed ', {
    status: 'dead',
    visitor: 'usr_1',
    order: '7',
    customer: 'c',
    delivery: 'd',
    http: '',
  })
  assert.deepEqual(view, { name: 'Failed', query: { status: 'dead' } })
  assert.ok(isShown(view, { status: 'dead', visitor: 'usr_2' }))
  assert.ok(!isShown(view, { status: 'refused' }))
})

test('a view of the same name is replaced, and at most twenty are kept', () => {
  const one = viewOf('a', { status: 'dead' })
  assert.deepEqual(withView([one], viewOf('a', { name: 'Purchase' })), [viewOf('a', { name: 'Purchase' })])
  const many = Array.from({ length: 30 }, (_, n) => viewOf(`${n}`, {})).reduce(withView, [] as (typeof one)[])
  assert.deepEqual([many.length, many[0]?.name], [20, '10'])
})

test('a stored text that is not of views is none', () => {
  assert.deepEqual(parseViews(null), [])
  assert.deepEqual(parseViews('{'), [])
  assert.deepEqual(parseViews('[1,{"name":"a"},{"name":"b","query":{"status":"dead"}}]'), [
    viewOf('b', { status: 'dead' }),
  ])
})
