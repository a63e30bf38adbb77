import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#contract/fault.ts'
import { parseProfile } from './person.ts'

const ada = { name: 'Ada Lovelace', email: 'ada@example.com' }

/** The paths of the fields that are refused. */
function refusedOf(profile: Partial<typeof ada>): string[] {
  try {
    parseProfile({ ...ada, ...profile })
    return []
  } catch (error) {
    assert.ok(error instanceof Fault && error.fault === 'badRequest')
    const { issues } = error.attributes as { issues: { path: string }[] }
    return issues.map(({ path }) => path)
  }
}

test('name and e-mail are stored without the space around them', () => {
  assert.deepEqual(parseProfile({ name: ' Ada Lovelace\n', email: '\tada@example.com ' }), ada)
})

test('a name has 1 to 200 characters, none of which is invisible or a control character', () => {
  for (const name of ['A', 'x'.repeat(200), 'Ada King-Noel', '愛']) assert.deepEqual(refusedOf({ name }), [], name)
  for (const name of ['', '  ', 'x'.repeat(201), 'Ada\u0000', 'Ada\u202eecila'])
    assert.deepEqual(refusedOf({ name }), ['name'], JSON.stringify(name))
})

test('an e-mail has one at sign, up to 64 characters before it, and at most 254 in all', () => {
  const longest = `${'x'.repeat(64)}@${'y'.repeat(254 - 65 - 4)}.com`
  for (const email of ['a@b', 'ada+test@mail.example.co.uk', longest]) assert.deepEqual(refusedOf({ email }), [], email)
  const wrong = [
    ...['', 'ada', '@example.com', 'ada@', 'ada@@example.com', 'ada@example..com', 'ada@.com', 'a da@example.com'],
    ...[`${'x'.repeat(65)}@example.com`, longest.replace('.com', 'y.com'), 'ada\u200b@example.com'],
  ]
  for (const email of wrong) assert.deepEqual(refusedOf({ email }), ['email'], email)
})

test('every wrong field is told at once', () => {
  assert.deepEqual(refusedOf({ name: '', email: '' }), ['name', 'email'])
})
