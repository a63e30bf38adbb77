import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSeats } from './seats.ts'

test('so many places of one name are held at once, and one that is given back is free again', () => {
  const seats = openSeats(() => 2)
  const first = seats.take('team_1')
  assert.ok(first && seats.take('team_1'))
  assert.equal(seats.take('team_1'), undefined)
  assert.ok(seats.take('team_2'), 'another name has places of its own')
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  assert.ok(seats.take('team_1'))
  assert.equal(seats.take('team_1'), undefined, 'giving one back twice frees one')
})
