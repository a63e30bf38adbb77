import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callback, giveConsent, makeApplication, makeMember, makeTeam, openTestServer } from '../fake/testServer.ts'
import { exportsOf, hasPython, runPython, skipMissing } from './client.ts'

const place = await openTestServer()
after(place.close)
const { production } = place.environments
const team = await makeTeam(production)
const owner = await makeMember(place, production, team.teamId, 'owner', 'owner@example.com')
const application = await makeApplication(production, team)
const clientSecret = application.clientSecret!

type Server = { authorization_endpoint: string; token_endpoint: string; revocation_endpoint: string }
type Tokens = { access_token: string; refresh_token: string; scope: string; token_type: string }
// biome-ignore lint/suspicious/noExplicitAny: the library has no types here
type Library = Record<string | symbol, any>

const isAccepted = async (token: string) =>
  (await fetch(`${production.baseUrl}/me`, { headers: { authorization: `Bearer ${token}` } })).status === 200

test('oauth4webapi discovers the server, signs a person in with PKCE, refreshes and revokes', async (t) => {
  const oauth = exportsOf<Library>('oauth4webapi')
  if (!oauth) return skipMissing(t, 'oauth4webapi')
  const options = { [oauth.allowInsecureRequests]: true } // the test has no TLS
  const issuer = new URL(place.origin)
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options })
  const server: Server = await oauth.processDiscoveryResponse(issuer, found)
  const client = { client_id: application.applicationId }
  const authentication = oauth.ClientSecretBasic(clientSecret)
  const verifier = oauth.generateRandomCodeVerifier()
  const url = new URL(server.authorization_endpoint)
  const asked = {
    client_id: client.client_id,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'tag:read',
    state: 's',
  }
  const challenge = { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' }
  for (const [name, value] of Object.entries({ ...asked, ...challenge })) url.searchParams.set(name, value)
  const params = oauth.validateAuthResponse(server, client, await giveConsent(owner, url.href, team.teamId), 's')
  const exchanged = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    params,
    callback,
    verifier,
    options,
  )
  const tokens: Tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged)
  assert.deepEqual(
    [tokens.token_type, tokens.scope, await isAccepted(tokens.access_token)],
    ['bearer', 'tag:read', true],
  )
  const refreshed = await oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refresh_token, options)
  const next: Tokens = await oauth.processRefreshTokenResponse(server, client, refreshed)
  assert.ok(await isAccepted(next.access_token))
  const revoked = await oauth.revocationRequest(server, client, authentication, next.access_token, options)
  await oauth.processRevocationResponse(revoked)
  await place.clock.turn(5_000)
  assert.equal(await isAccepted(next.access_token), false)
})

const program = `
import json, os, sys
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
from authlib.integrations.requests_client import OAuth2Session
given = json.loads(sys.argv[1])
session = OAuth2Session(given["id"], given["secret"], scope="tag:read", token_endpoint=given["token"])
token = session.fetch_token(given["token"], grant_type="client_credentials")
me = session.get(given["me"])
revoked = session.revoke_token(given["revoke"], token=token["access_token"])
print(json.dumps([token["scope"], me.status_code, me.json()["teamId"], revoked.status_code]))
`

test('Authlib for Python gets a token of the application, calls with it and revokes it', async (t) => {
  if (!hasPython()) return skipMissing(t, 'Authlib')
  const oauth = `${production.baseUrl}/oauth`
  const addresses = { token: `${oauth}/token`, revoke: `${oauth}/revoke`, me: `${production.baseUrl}/me` }
  const said = await runPython(program, { id: application.applicationId, secret: clientSecret, ...addresses })
  assert.deepEqual(JSON.parse(said), ['tag:read', 200, team.teamId, 200])
})
