import assert from 'node:assert/strict'
import { test } from 'node:test'
import { standardEvents } from './standardEvents.ts'
import { wellKnownEventOf, wellKnownEvents } from './wellKnownEvents.ts'

test('a well-known event is found by each of its names, however they are written', () => {
  for (const [event, names] of Object.entries(wellKnownEvents))
    for (const name of [event, ...names])
      for (const form of [name, name.toUpperCase(), name.replaceAll(' ', '_'), name.replaceAll(' ', ''), ` ${name}`])
        assert.equal(wellKnownEventOf(form), event, form)
  for (const name of ['sign_up', 'SignUp', 'sign-up', 'Sign Up'])
    assert.equal(wellKnownEventOf(name), 'CompleteRegistration')
})

test('a name means one event only, and none of the standard ones', () => {
  const names = Object.entries(wellKnownEvents).flatMap(([event, more]) => [event, ...more])
  const simple = names.map((name) => name.toLowerCase().replaceAll(/[\s_.-]/g, ''))
  assert.deepEqual(simple, [...new Set(simple)])
  for (const name of [...Object.keys(standardEvents), 'Quiz', '', 'constructor', '__proto__', 'x'.repeat(200)])
    assert.equal(wellKnownEventOf(name), undefined, name)
})
