import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverMetadata, serverMetadataPaths } from './oauthAddresses.ts'

test('the metadata of an issuer is at the path of RFC 8414, and below the issuer', () => {
  const wellKnown = '/.well-known/oauth-authorization-server'
  assert.deepEqual(serverMetadataPaths('https://aglet.example'), [wellKnown])
  assert.deepEqual(serverMetadataPaths('https://aglet.example/sandbox'), [
    `${wellKnown}/sandbox`,
    `/sandbox${wellKnown}`,
  ])
})

test('the metadata offers neither the implicit nor the password grant, and only the challenge method S256', () => {
  const issuer = 'https://aglet.example/sandbox'
  const document = serverMetadata({ issuer, baseUrl: `${issuer}/v1` })
  assert.equal(document.authorization_endpoint, `${issuer}/v1/oauth/authorize`)
  assert.deepEqual(document.response_types_supported, ['code'])
  assert.deepEqual(document.code_challenge_methods_supported, ['S256'])
  assert.doesNotMatch(JSON.stringify(document), /implicit|password|plain/)
})
