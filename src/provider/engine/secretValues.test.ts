import assert from 'node:assert/strict'
import { test } from 'node:test'
import { provider } from '#provider/form/provider.ts'
import { identifier, optional, password, text } from '#provider/form/variables.ts'
import { hasCredentialSet, invalidSecret, missingSecrets, secretValues } from './secretValues.ts'

const acme = provider({
  label: 'Acme',
  stage: 'draft',
  consent: ['advertising'],
  docs: 'https://acme.example',
  host: 'label',
  secrets: {
    REGION: text('Region', 'The one in the console.', { isHostLabel: true }),
    ID: identifier('ID', 'Of the account.', optional),
    KEY: password('Key', 'Of the account.', optional),
    TOKEN: password('Token', 'Instead of both.', optional),
    VERSION: text('Version', 'Of the API.', { optional: true, default: 'v7' }),
  },
  credentialSets: [['ID', 'KEY'], ['TOKEN']],
  events: {},
  user: {},
  personId: 'none',
  dedup: 'none',
  request: (_, { REGION, VERSION }) => ({ url: `https://${REGION}.acme.example/${VERSION}` }),
})

test('of several ways to sign in one must be whole', () => {
  assert.ok(hasCredentialSet(acme, { TOKEN: 't' }) && hasCredentialSet(acme, { ID: 'i', KEY: 'k' }))
  assert.ok(!hasCredentialSet(acme, { ID: 'i' }) && !hasCredentialSet(acme, { ID: 'i', KEY: '' }))
  assert.ok(hasCredentialSet({ secrets: {} }, {}))
  assert.deepEqual(missingSecrets(acme, { REGION: 'eu', ID: 'i' }), ['KEY'])
  assert.deepEqual(missingSecrets(acme, { TOKEN: 't' }), ['REGION'])
})

test('an optional secret that is not set has its default, and shows it as its placeholder', () => {
  assert.equal(secretValues('acme', acme, { REGION: 'eu' }).VERSION, 'v7')
  assert.equal(secretValues('acme', acme, { REGION: 'eu', VERSION: 'v8' }).VERSION, 'v8')
  assert.equal(acme.secrets.VERSION!.placeholder, 'v7')
})

test('what fills a label of a host is no more than a label: at write, and again before a request is made', () => {
  for (const REGION of ['eu.evil.example', 'eu/', 'EU', 'eu#', 'a@b', '', 'x'.repeat(64), 'eu\n']) {
    if (REGION) assert.deepEqual(invalidSecret(acme, { REGION })?.variable, 'REGION', REGION)
    assert.throws(
      () => secretValues('acme', acme, { REGION }),
      (error: Error) => !error.message.includes('evil'),
    )
  }
  for (const REGION of ['eu-central-1', 'a', 'x'.repeat(63)]) {
    assert.equal(invalidSecret(acme, { REGION }), undefined)
    assert.equal(secretValues('acme', acme, { REGION }).REGION, REGION)
  }
})
