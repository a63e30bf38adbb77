import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, client } from './client.ts'

/** A fetch that returns a fixed response and records its requests. */
function fakeFetch(status: number, body: unknown) {
  const requests: { url: string; method: string; headers: Headers; body: string | undefined }[] = []
  const send = async (url: string | URL | Request, init?: RequestInit) => {
    const { method = 'GET', headers, body: sent } = init ?? {}
    requests.push({ url: String(url), method, headers: new Headers(headers), body: sent as string | undefined })
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
  }
  return { requests, fetch: send as typeof fetch }
}
const access = { baseUrl: 'https://aglet.example/v1/', token: 'token', teamId: 'team_1' }

test('a call carries the token and the Team-Id, and the ids in its path are percent-encoded', async () => {
  const { requests, fetch } = fakeFetch(200, { eventId: 'a/b', deliveries: [] })
  const journey = await client({ ...access, fetch }).readEvent({ tagId: 'tag_1', eventId: 'a/b é?#' })
  assert.equal(journey.eventId, 'a/b')
  assert.equal(requests[0]?.url, 'https://aglet.example/v1/tag/tag_1/event/a%2Fb%20%C3%A9%3F%23')
  assert.equal(requests[0]?.headers.get('authorization'), 'Bearer token')
  assert.equal(requests[0]?.headers.get('team-id'), 'team_1')
  assert.equal(requests[0]?.body, undefined)
})

test('a query contains only the given values', async () => {
  const { requests, fetch } = fakeFetch(200, { scripts: [] })
  const api = client({ ...access, fetch })
  await api.listScripts({ tagId: 'tag_1', limit: 5 })
  await api.listTags({})
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['https://aglet.example/v1/script?tagId=tag_1&limit=5', 'https://aglet.example/v1/tag'],
  )
})

test('a body is sent as JSON with its content type', async () => {
  const { requests, fetch } = fakeFetch(200, { scriptId: 'scr_1' })
  const body = { name: 'sink', providerId: 'eventSink', tagId: 'tag_1' } as const
  assert.deepEqual(await client({ ...access, fetch }).updateScript({ scriptId: 'scr_1', body }), { scriptId: 'scr_1' })
  assert.equal(requests[0]?.method, 'PUT')
  assert.equal(requests[0]?.headers.get('content-type'), 'application/json')
  assert.deepEqual(JSON.parse(requests[0]?.body ?? ''), body)
})

test('a public call carries neither token nor Team-Id, and GET /me no Team-Id', async () => {
  const { requests, fetch } = fakeFetch(200, { keys: [] })
  const api = client({ ...access, fetch })
  await api.readKeys()
  await api.readMe()
  assert.equal(requests[0]?.headers.has('authorization'), false)
  assert.equal(requests[1]?.headers.has('authorization'), true)
  assert.ok(requests.every(({ headers }) => !headers.has('team-id')))
})

test('an operation of a person carries the session and never the token, and signIn carries neither', async () => {
  const { requests, fetch } = fakeFetch(200, { personId: 'per_1' })
  const api = client({ ...access, session: 'session', fetch })
  await api.signOut()
  await api.signIn({ body: { email: 'ada@example.com', password: 'correct horse' } })
  await api.readMe()
  await client({ ...access, fetch }).signOut()
  assert.deepEqual(
    requests.map(({ headers }) => headers.get('authorization')),
    ['Bearer session', null, 'Bearer token', null],
  )
})

test('an error response is thrown as ApiError with its Error object', async () => {
  const errorBody = { message: 'no', statusCode: 409, error: 'SCRIPT_OR_TAG_NOT_FOUND' }
  const { fetch } = fakeFetch(409, errorBody)
  await assert.rejects(client({ ...access, fetch }).readScript({ scriptId: 'scr_1' }), (error) => {
    assert.ok(error instanceof ApiError)
    assert.equal(error.statusCode, 409)
    assert.deepEqual(error.error, errorBody)
    return true
  })
})

test('an error response without an Error object is thrown as ApiError with its status', async () => {
  const { fetch } = fakeFetch(502, '<html>Bad gateway</html>')
  await assert.rejects(client({ ...access, fetch }).readMe(), { name: 'ApiError', statusCode: 502 })
})

test('an id that is blank, one dot or two dots is refused before the request', async () => {
  const { requests, fetch } = fakeFetch(200, {})
  for (const scriptId of ['', '.', '..']) {
    await assert.rejects(client({ ...access, fetch }).readScript({ scriptId }), TypeError)
  }
  assert.equal(requests.length, 0)
})
