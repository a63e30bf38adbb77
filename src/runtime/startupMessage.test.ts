import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { readSettings } from '#settings/settings.ts'
import { type StartedEnvironment, startupJson, startupText } from './startupMessage.ts'

const settings = readSettings({ AGLET_BRAND: 'Shop' }, {})
const production: StartedEnvironment = {
  environment: 'production',
  teamId: 'team_1',
  tagId: 'tag_1',
  tagUrl: 'http://127.0.0.1:4000/t/tag_1',
  token: 'aglet_live_x',
}
const sandbox: StartedEnvironment = {
  ...production,
  environment: 'sandbox',
  tagUrl: 'http://127.0.0.1:4000/sandbox/t/tag_1',
}

/** The words into which a shell splits a line. */
const shell = (line: string) => {
  const run = `for word in ${line.replace(/^curl /, '')}; do printf '%s\\n' "$word"; done`
  return execFileSync('sh', ['-c', run], { encoding: 'utf8' }).trimEnd().split('\n')
}
const curls = (text: string) => text.split('\n').filter((line) => line.startsWith('curl '))

test('the first start prints a curl that sends a new event with consent', () => {
  const [send] = curls(startupText('1.2.3', [production, sandbox], settings))
  const words = shell(send!)
  const event = JSON.parse(words[words.indexOf('-d') + 1]!)
  assert.ok(words.includes('http://127.0.0.1:4000/t/tag_1/tag'))
  assert.deepEqual(event.storage, { shop: { consent: { all: true } } })
  assert.ok(Math.abs(event.timestamp - Date.now()) < 5_000, 'the timestamp is the time of the run')
  assert.equal(event.eventName, 'AddToCart')
})

test('the first start prints a curl with token and Team-Id that reads the journey of that event', () => {
  const [send, journey] = curls(startupText('1.2.3', [production, sandbox], settings))
  const { eventId } = JSON.parse(shell(send!).at(-1)!)
  const words = shell(journey!)
  assert.ok(words.includes(`http://127.0.0.1:4000/v1/tag/tag_1/event/${eventId}`))
  assert.ok(words.includes('Authorization: Bearer aglet_live_x') && words.includes('Team-Id: team_1'))
  const [again] = curls(startupText('1.2.3', [production], settings))
  assert.notEqual(JSON.parse(shell(again!).at(-1)!).eventId, eventId)
})

test('a later start prints the addresses, no token, and how to create one', () => {
  const { token: _, ...later } = production
  const text = startupText('1.2.3', [later], settings)
  assert.deepEqual(curls(text), [])
  assert.doesNotMatch(text, /aglet_live/)
  assert.match(text, /http:\/\/127\.0\.0\.1:4000\/t\/tag_1\n/)
  assert.match(text, /token create --team team_1/)
})

test('the last line says that the server is running, so that whoever waits for it has read all addresses', () => {
  for (const all of [[production, sandbox], [{ ...production, token: undefined }], []])
    assert.match(startupText('1.2.3', all as never, settings), /^Aglet 1\.2\.3\n[\s\S]*\nAglet 1\.2\.3 is running\.\n$/)
})

test('a start without a demo prints only the address of the status page', () => {
  assert.match(startupText('1.2.3', [], settings), /Status page {5}http:\/\/127\.0\.0\.1:4000\/\n/)
})

test('the startup message names the dashboard of each environment', () => {
  const text = startupText('1.2.3', [production, sandbox], settings)
  assert.match(text, /Dashboard {5}http:\/\/127\.0\.0\.1:4000\/dashboard\n/)
  assert.match(text, /Dashboard {5}http:\/\/127\.0\.0\.1:4000\/sandbox\/dashboard\n/)
})

test('the startup message with --json is one JSON value', () => {
  const message = JSON.parse(startupJson('1.2.3', [production, sandbox], settings))
  assert.equal(message.sandbox.baseUrl, 'http://127.0.0.1:4000/sandbox/v1')
  assert.equal(message.production.token, 'aglet_live_x')
  assert.match(message.production.send, /^curl /)
})
