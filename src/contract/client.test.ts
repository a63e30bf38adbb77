import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, client } from './client.ts'

/** A fetch that answers what it is told to and remembers what it was asked. */
function answering(status: number, body: unknown) {
  const asked: { url: string; method: string; headers: Headers; body: string | undefined }[] = []
  const send = async (url: string | URL | Request, init?: RequestInit) => {
    const { method = 'GET', headers, body: sent } = init ?? {}
    asked.push({ url: String(url), method, headers: new Headers(headers), body: sent as string | undefined })
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
  }
  return { asked, fetch: send as typeof fetch }
}
const access = { baseUrl: 'https://aglet.example/v1/', token: 'token', teamId: 'team_1' }

test('a call carries the token and the Team-Id, and its ids stand encoded in the path', async () => {
  const { asked, fetch } = answering(200, { eventId: 'a/b', deliveries: [] })
  const journey = await client({ ...access, fetch }).readEvent({ tagId: 'tag_1', eventId: 'a/b é?#' })
  assert.equal(journey.eventId, 'a/b')
  assert.equal(asked[0]?.url, 'https://aglet.example/v1/tag/tag_1/event/a%2Fb%20%C3%A9%3F%23')
  assert.equal(asked[0]?.headers.get('authorization'), 'Bearer token')
  assert.equal(asked[0]?.headers.get('team-id'), 'team_1')
  assert.equal(asked[0]?.body, undefined)
})

test('the values of a query are sent, those left out are not', async () => {
  const { asked, fetch } = answering(200, { scripts: [] })
  const api = client({ ...access, fetch })
  await api.listScripts({ tagId: 'tag_1', limit: 5 })
  await api.listTags({})
  assert.deepEqual(
    asked.map(({ url }) => url),
    ['https://aglet.example/v1/script?tagId=tag_1&limit=5', 'https://aglet.example/v1/tag'],
  )
})

test('a body goes as JSON and says so', async () => {
  const { asked, fetch } = answering(200, { scriptId: 'scr_1' })
  const body = { name: 'sink', providerId: 'eventSink', tagId: 'tag_1' } as const
  assert.deepEqual(await client({ ...access, fetch }).updateScript({ scriptId: 'scr_1', body }), { scriptId: 'scr_1' })
  assert.equal(asked[0]?.method, 'PUT')
  assert.equal(asked[0]?.headers.get('content-type'), 'application/json')
  assert.deepEqual(JSON.parse(asked[0]?.body ?? ''), body)
})

test('a public call and GET /me name no team, and the public one shows no token', async () => {
  const { asked, fetch } = answering(200, { keys: [] })
  const api = client({ ...access, fetch })
  await api.readKeys()
  await api.readMe()
  assert.equal(asked[0]?.headers.has('authorization'), false)
  assert.equal(asked[1]?.headers.has('authorization'), true)
  assert.ok(asked.every(({ headers }) => !headers.has('team-id')))
})

test('what a person does for themselves shows the session and never the token, and signing in shows neither', async () => {
  const { asked, fetch } = answering(200, { personId: 'per_1' })
  const api = client({ ...access, session: 'session', fetch })
  await api.signOut()
  await api.signIn({ body: { email: 'ada@example.com', password: 'correct horse' } })
  await api.readMe()
  await client({ ...access, fetch }).signOut()
  assert.deepEqual(
    asked.map(({ headers }) => headers.get('authorization')),
    ['Bearer session', null, 'Bearer token', null],
  )
})

test('a refusal is thrown as ApiError with the Error object', async () => {
  const said = { message: 'no', statusCode: 409, error: 'SCRIPT_OR_TAG_NOT_FOUND' }
  const { fetch } = answering(409, said)
  await assert.rejects(client({ ...access, fetch }).readScript({ scriptId: 'scr_1' }), (error) => {
    assert.ok(error instanceof ApiError)
    assert.equal(error.statusCode, 409)
    assert.deepEqual(error.error, said)
    return true
  })
})

test('an answer that is no Error object still gives its status', async () => {
  const { fetch } = answering(502, '<html>Bad gateway</html>')
  await assert.rejects(client({ ...access, fetch }).readMe(), { name: 'ApiError', statusCode: 502 })
})

test('a blank id or dots are refused before they become another address', async () => {
  const { asked, fetch } = answering(200, {})
  for (const scriptId of ['', '.', '..']) {
    await assert.rejects(client({ ...access, fetch }).readScript({ scriptId }), TypeError)
  }
  assert.equal(asked.length, 0)
})
