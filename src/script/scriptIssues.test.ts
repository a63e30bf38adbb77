import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScriptWrite, SecretEntry } from '#contract/script.ts'
import { provider } from '#provider/form/provider.ts'
import { missingIssues, plaintextIssues, scriptIssues, signInIssues } from './scriptIssues.ts'

const acme = provider({
  label: 'Acme',
  stage: 'live',
  consent: ['advertising', 'analytics'],
  docs: 'https://acme.example/docs',
  host: 'fixed',
  secrets: {
    TOKEN: { label: 'Token', type: 'PASSWORD' },
    TEST: { label: 'Test mode', type: 'CHECKBOX', optional: true },
    URL: {
      label: 'Address',
      type: 'TEXT',
      optional: true,
      check: (text) => (URL.canParse(text) ? undefined : 'is no address'),
    },
  },
  events: {},
  user: {},
  personId: 'none',
  dedup: 'none',
  request: () => [],
})
const entry = (variable: string, type = 'PASSWORD'): SecretEntry => ({ variable, type, data: '', iv: '', key: '' })
const write = (more: Partial<ScriptWrite> = {}): ScriptWrite => ({
  name: 'a',
  providerId: 'facebook',
  tagId: 'tag_1',
  ...more,
})
const paths = (more: Partial<ScriptWrite>) => scriptIssues(write(more), acme).map(({ path }) => path)

test('a script with only the required members has no issue; null is the same as absent', () => {
  assert.deepEqual(paths({}), [])
  assert.deepEqual(paths({ consentCategory: null, geoRegions: null, purchaseValueMode: null, secrets: null }), [])
})

test('a category is one that the provider allows', () => {
  for (const consentCategory of ['advertising', 'analytics']) assert.deepEqual(paths({ consentCategory }), [])
  for (const consentCategory of ['functional', 'necessary', 'nope', '', '__proto__'])
    assert.deepEqual(paths({ consentCategory }), ['consentCategory'])
})

test('regions are known places', () => {
  assert.deepEqual(paths({ geoRegions: 'EU,US,-US-CA' }), [])
  assert.deepEqual(paths({ geoRegions: 'EU,Narnia' }), ['geoRegions'])
})

test('a variable is in the catalogue, is listed once and has its type', () => {
  assert.deepEqual(paths({ secrets: [entry('TOKEN'), entry('TEST', 'CHECKBOX')] }), [])
  for (const name of ['NOPE', 'token', '__proto__', 'constructor', 'toString'])
    assert.deepEqual(paths({ secrets: [entry('TOKEN'), entry(name)] }), ['secrets.1.variable'])
  assert.deepEqual(paths({ secrets: [entry('TOKEN', 'TEXT')] }), ['secrets.0.type'])
  assert.deepEqual(paths({ secrets: [entry('TOKEN'), entry('TOKEN')] }), ['secrets.1.variable'])
})

test('all issues are returned together', () => {
  assert.deepEqual(paths({ consentCategory: 'x', geoRegions: 'x', secrets: [entry('X')] }), [
    'consentCategory',
    'geoRegions',
    'secrets.0.variable',
  ])
})

test('a new script needs every required variable, and may omit the optional ones', () => {
  assert.deepEqual(missingIssues(write(), acme), [{ path: 'secrets', message: 'TOKEN is required' }])
  assert.deepEqual(missingIssues(write({ secrets: [entry('TOKEN')] }), acme), [])
  const ways = { ...acme, credentialSets: [['TEST'], ['URL']] }
  assert.deepEqual(missingIssues(write({ secrets: [entry('TOKEN')] }), ways), [
    { path: 'secrets', message: 'TEST is required' },
  ])
  assert.deepEqual(missingIssues(write({ secrets: [entry('TOKEN'), entry('URL', 'TEXT')] }), ways), [])
  const claims = { ...entry('TEST'), optional: true }
  assert.equal(missingIssues(write({ secrets: [claims] }), acme).length, 1)
})

test('the variables after a write have one complete way to sign in if there are several', () => {
  const ways = { ...acme, credentialSets: [['TEST', 'URL'], ['TOKEN']] }
  assert.deepEqual(signInIssues({}, acme), [])
  assert.deepEqual(signInIssues({ TOKEN: {} }, ways), [])
  assert.deepEqual(signInIssues({ TEST: {}, URL: {} }, ways), [])
  assert.deepEqual(signInIssues({ TEST: {} }, ways), [
    { path: 'secrets', message: 'must contain TEST with URL, or TOKEN' },
  ])
})

test('an entry that claims to be optional changes nothing', () => {
  assert.equal(plaintextIssues('TOKEN', '', acme.secrets.TOKEN!, 0)[0]?.path, 'secrets.0')
})

test('an empty plaintext unsets an optional variable and is refused for a required one', () => {
  assert.deepEqual(plaintextIssues('TEST', '', acme.secrets.TEST!, 0), [])
  assert.deepEqual(plaintextIssues('URL', '', acme.secrets.URL!, 0), [])
  assert.equal(plaintextIssues('TOKEN', '', acme.secrets.TOKEN!, 2)[0]?.path, 'secrets.2')
})

test("a CHECKBOX is 1 or 0, and the provider's own check applies", () => {
  for (const good of ['1', '0']) assert.deepEqual(plaintextIssues('TEST', good, acme.secrets.TEST!, 0), [])
  for (const bad of ['true', '2', ' 1', 'yes'])
    assert.equal(plaintextIssues('TEST', bad, acme.secrets.TEST!, 0).length, 1)
  assert.deepEqual(plaintextIssues('URL', 'https://a.example', acme.secrets.URL!, 1), [])
  assert.deepEqual(plaintextIssues('URL', 's3cret', acme.secrets.URL!, 1), [
    { path: 'secrets.1', message: 'URL: is no address' },
  ])
})
