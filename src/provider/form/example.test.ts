import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleLike, like } from './example.ts'

test('an example has the fields of its base, and those in which it differs', () => {
  const example = exampleLike({ user: { email: 'ada@example.com' }, secrets: { API_KEY: 'key', ACCOUNT: '1' } })
  const changes = { event: { eventName: 'Lead' }, sends: [], secrets: { ACCOUNT: undefined, MODE: 'test' } }
  const secrets = { API_KEY: 'key', MODE: 'test' }
  const { user, ...others } = example('a lead', changes)
  assert.deepStrictEqual(user, { email: 'ada@example.com' })
  assert.deepStrictEqual(others, { title: 'a lead', event: { eventName: 'Lead' }, sends: [], secrets })
  assert.deepStrictEqual(example('nobody', { ...changes, user: undefined }), { ...others, title: 'nobody' })
})

test('a request like another one differs in the stated fields alone, also within lists', () => {
  const request = {
    url: 'https://a.example',
    body: { events: [{ name: 'a', user: { id: 1, ip: '::1' } }], test: true },
  }
  const changes = { body: { events: [{ user: { ip: undefined, age: 7 } }, { name: /^b/ }] } }
  assert.deepStrictEqual(like<object>(request, changes), {
    url: 'https://a.example',
    body: { events: [{ name: 'a', user: { id: 1, age: 7 } }, { name: /^b/ }], test: true },
  })
  assert.deepStrictEqual(request.body.events, [{ name: 'a', user: { id: 1, ip: '::1' } }])
})
