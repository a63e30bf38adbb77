import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSlots } from './slots.ts'

test('a name has a limited number of slots, and a released slot is free again', () => {
  const slots = openSlots(() => 2)
  const first = slots.take('team_1')
  assert.ok(first && slots.take('team_1'))
  assert.equal(slots.take('team_1'), undefined)
  assert.ok(slots.take('team_2'), 'another name has its own slots')
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  assert.ok(slots.take('team_1'))
  assert.equal(slots.take('team_1'), undefined, 'releasing a slot twice frees one slot')
})
