import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mappedTraits, traitMapping } from './personTraits.ts'

const user = { firstName: 'Ada' }
const custom = { tier: 'gold', points: 7, isMember: true, likes: ['a'], note: '', secret: 's', long: 'x'.repeat(501) }

test('only the keys of the mapping are sent, under the names of the vendor', () => {
  const mapping = '[["tier", "Tier"], ["points", "Points"], ["isMember", "Member"], ["firstName", "Name"]]'
  assert.deepEqual(mappedTraits({ user, custom }, mapping), { Tier: 'gold', Points: 7, Member: true, Name: 'Ada' })
})

test('what is not flat, blank or longer than 500 characters is not sent', () => {
  const mapping = '[["likes", "a"], ["note", "b"], ["long", "c"], ["unknown", "d"], ["constructor", "e"]]'
  assert.equal(mappedTraits({ user, custom }, mapping), undefined)
})

test('no key leaves that the mapping does not name, whatever the mapping is', () => {
  const names = fc.constantFrom('tier', 'points', 'firstName', 'x')
  const property = fc.property(fc.array(fc.tuple(names, fc.string({ minLength: 1 }))), (pairs) => {
    const traits = mappedTraits({ user, custom }, JSON.stringify(pairs)) ?? {}
    for (const value of Object.values(traits)) assert.ok(['gold', 7, 'Ada'].includes(value as never))
    for (const name of Object.keys(traits)) assert.ok(pairs.some(([, each]) => each === name))
  })
  fc.assert(property)
  for (const text of [undefined, '', 'no JSON']) assert.equal(mappedTraits({ user, custom }, text), undefined)
})

test('the variable is optional and takes a list of pairs', () => {
  const spec = traitMapping('a field', ['tier', 'Tier'])
  assert.equal(spec.optional, true)
  assert.equal(spec.check?.('[["tier", "Tier"]]'), undefined)
  assert.match(spec.check?.('tier') ?? '', /pairs/)
})
