import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { readSettings } from '#contract/settings.ts'
import { type Told, welcomeJson, welcomeText } from './welcome.ts'

const settings = readSettings({ AGLET_BRAND: 'Shop' }, {})
const production: Told = {
  environment: 'production',
  teamId: 'team_1',
  tagId: 'tag_1',
  tagUrl: 'http://127.0.0.1:4000/t/tag_1',
  token: 'aglet_live_x',
}
const sandbox: Told = { ...production, environment: 'sandbox', tagUrl: 'http://127.0.0.1:4000/sandbox/t/tag_1' }

/** The words that a shell makes of a line. */
const shell = (line: string) => {
  const run = `for word in ${line.replace(/^curl /, '')}; do printf '%s\\n' "$word"; done`
  return execFileSync('sh', ['-c', run], { encoding: 'utf8' }).trimEnd().split('\n')
}
const curls = (text: string) => text.split('\n').filter((line) => line.startsWith('curl '))

test('the first start prints a curl that sends a fresh event with consent', () => {
  const [send] = curls(welcomeText('1.2.3', [production, sandbox], settings))
  const words = shell(send!)
  const event = JSON.parse(words[words.indexOf('-d') + 1]!)
  assert.ok(words.includes('http://127.0.0.1:4000/t/tag_1/tag'))
  assert.deepEqual(event.storage, { shop: { consent: { all: true } } })
  assert.ok(Math.abs(event.timestamp - Date.now()) < 5_000, 'the timestamp is the clock of the moment it is run')
  assert.equal(event.eventName, 'AddToCart')
})

test('and one that reads the journey of that event, token and Team-Id included', () => {
  const [send, journey] = curls(welcomeText('1.2.3', [production, sandbox], settings))
  const { eventId } = JSON.parse(shell(send!).at(-1)!)
  const words = shell(journey!)
  assert.ok(words.includes(`http://127.0.0.1:4000/v1/tag/tag_1/event/${eventId}`))
  assert.ok(words.includes('Authorization: Bearer aglet_live_x') && words.includes('Team-Id: team_1'))
  const [again] = curls(welcomeText('1.2.3', [production], settings))
  assert.notEqual(JSON.parse(shell(again!).at(-1)!).eventId, eventId)
})

test('a later start prints the addresses, no token, and how to get one', () => {
  const { token: _, ...later } = production
  const text = welcomeText('1.2.3', [later], settings)
  assert.deepEqual(curls(text), [])
  assert.doesNotMatch(text, /aglet_live/)
  assert.match(text, /http:\/\/127\.0\.0\.1:4000\/t\/tag_1\n/)
  assert.match(text, /token create --team team_1/)
})

test('where nothing was made yet there is the address of the page alone', () => {
  assert.match(welcomeText('1.2.3', [], settings), /Status page {5}http:\/\/127\.0\.0\.1:4000\/\n/)
})

test('with --json it is one JSON value', () => {
  const told = JSON.parse(welcomeJson('1.2.3', [production, sandbox], settings))
  assert.equal(told.sandbox.baseUrl, 'http://127.0.0.1:4000/sandbox/v1')
  assert.equal(told.production.token, 'aglet_live_x')
  assert.match(told.production.send, /^curl /)
})
