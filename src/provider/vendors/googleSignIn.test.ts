import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { jwtVerify } from 'jose'
import { googleSignIn, googleTokenRequest, serviceAccountCheck, serviceAccountProject } from './googleSignIn.ts'

const now = 1_700_000_000_500
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const file = {
  client_email: 'a@p.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  token_uri: 'https://evil.example/token',
}

test('a user who agreed asks with the refresh token', () => {
  const access = { clientId: 'id', clientSecret: 'secret', refreshToken: 'refresh' }
  assert.deepEqual(googleTokenRequest(access, 'scope', now), {
    url: 'https://oauth2.googleapis.com/token',
    form: { grant_type: 'refresh_token', client_id: 'id', client_secret: 'secret', refresh_token: 'refresh' },
  })
})

test('a service account asks with a claim that it signs for an hour, and never where its file says', async () => {
  const { url, form } = googleTokenRequest({ serviceAccount: JSON.stringify(file) }, 'https://scope', now)
  assert.equal(url, 'https://oauth2.googleapis.com/token')
  assert.equal(form!.grant_type, 'urn:ietf:params:oauth:grant-type:jwt-bearer')
  const key = createPublicKey(privateKey)
  const { payload } = await jwtVerify(String(form!.assertion), key, { currentDate: new Date(now), audience: url })
  assert.deepEqual(payload, {
    iss: file.client_email,
    scope: 'https://scope',
    aud: url,
    iat: 1_700_000_000,
    exp: 1_700_003_600,
  })
})

test('what is no key file is refused at write', () => {
  assert.equal(serviceAccountCheck(JSON.stringify(file)), undefined)
  for (const text of ['', 'x', 'null', '{}', '7', '{"client_email":"a","private_key":"b"}'])
    assert.match(serviceAccountCheck(text)!, /JSON key file/)
})

test('what signs in to Google stands under the prefix of a provider, in two ways of which one is whole', () => {
  const { secrets, credentialSets, tokenRequest } = googleSignIn('ACME', 'https://scope')
  assert.deepEqual(Object.keys(secrets), [
    'ACME_CLIENT_ID',
    'ACME_CLIENT_SECRET',
    'ACME_REFRESH_TOKEN',
    'ACME_SERVICE_ACCOUNT_JSON',
  ])
  assert.ok(Object.values(secrets).every(({ optional }) => optional))
  assert.deepEqual(credentialSets.flat().sort(), Object.keys(secrets).sort())
  const given = { ACME_CLIENT_ID: 'id', ACME_CLIENT_SECRET: 'secret', ACME_REFRESH_TOKEN: 'refresh' }
  const access = { clientId: 'id', clientSecret: 'secret', refreshToken: 'refresh', serviceAccount: undefined }
  assert.deepEqual(tokenRequest.request(given, now), googleTokenRequest(access, 'https://scope', now))
})

test('the project of a service account stands in its key file, where it names one', () => {
  assert.equal(serviceAccountProject(JSON.stringify({ ...file, project_id: 'shop' })), 'shop')
  for (const text of [JSON.stringify(file), JSON.stringify({ ...file, project_id: 7 }), 'no JSON'])
    assert.equal(serviceAccountProject(text), undefined)
})
