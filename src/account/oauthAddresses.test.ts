import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discovery, discoveryPaths } from './oauthAddresses.ts'

test('the metadata of an issuer lies where RFC 8414 puts it, and below the issuer', () => {
  const wellKnown = '/.well-known/oauth-authorization-server'
  assert.deepEqual(discoveryPaths('https://aglet.example'), [wellKnown])
  assert.deepEqual(discoveryPaths('https://aglet.example/sandbox'), [`${wellKnown}/sandbox`, `/sandbox${wellKnown}`])
})

test('neither the implicit nor the password grant is offered, and no challenge but S256', () => {
  const issuer = 'https://aglet.example/sandbox'
  const document = discovery({ issuer, baseUrl: `${issuer}/v1` })
  assert.equal(document.authorization_endpoint, `${issuer}/v1/oauth/authorize`)
  assert.deepEqual(document.response_types_supported, ['code'])
  assert.deepEqual(document.code_challenge_methods_supported, ['S256'])
  assert.doesNotMatch(JSON.stringify(document), /implicit|password|plain/)
})
