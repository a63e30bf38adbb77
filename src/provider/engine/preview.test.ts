import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import { mirror, now } from './mirror.fixture.ts'
import { preview } from './preview.ts'

const show = (line: unknown) => preview(line, { mirror }, now)
const line = {
  provider: 'mirror',
  secrets: { KEY: 'k' },
  event: { eventName: 'PageView' },
  user: { email: 'a@b.example' },
}

function bodyOf(given: object) {
  const { requests } = show({ ...line, ...given })
  return JSON.parse(requests[0]!.body!) as Record<string, unknown>
}

test('a line is answered by the requests as they would go over the wire', () => {
  const { requests, ...rest } = show({ ...line, event: { ...line.event, eventId: 'e', timestamp: now } })
  assert.deepEqual(rest, {})
  assert.equal(requests.length, 1)
  const { body, ...request } = requests[0]!
  assert.deepEqual(request, {
    method: 'POST',
    url: 'https://mirror.example/in',
    headers: { 'content-type': 'application/json', 'x-key': 'k' },
  })
  assert.equal(typeof body, 'string')
})

test('keys of a person that are none of the standard ones are custom keys', () => {
  const { custom, user } = bodyOf({ user: { email: 'a@b.example', idfa: 'ID-1' } }) as Record<string, object>
  assert.deepEqual([custom, Object.keys(user!)], [{ idfa: 'ID-1' }, ['em']])
})

test('the id of the shop is `customerId`, and `userId` is the visitor', () => {
  const rules = { customer: plain('customerId'), match: plain('anyStableId'), visitor: plain('anonymousId') }
  const own: Provider = { ...mirror, user: { ...mirror.user, ...rules } }
  const idsOf = (user: object) => {
    const { requests } = preview({ ...line, user: { email: 'a@b.example', ...user } }, { mirror: own }, now)
    const { em: _, ...ids } = (JSON.parse(requests[0]!.body!) as { user: Record<string, string> }).user
    return ids
  }
  assert.deepEqual(idsOf({ userId: 'usr_1' }), { match: 'usr_1', visitor: 'usr_1' })
  assert.deepEqual(idsOf({ userId: 'usr_1', customerId: 4711 }), { customer: '4711', match: '4711', visitor: 'usr_1' })
  assert.deepEqual(idsOf({ customerId: 'null' }), {})
  // Only a vendor that takes unhashed e-mails receives an e-mail as an id.
  assert.deepEqual(idsOf({ userId: 'usr_1', customerId: 'A@b.example' }), { visitor: 'usr_1' })
  const open = { ...own, user: { ...own.user, email: plain('email') } }
  const { requests } = preview(
    { ...line, user: { email: 'a@b.example', customerId: 'a@b.example' } },
    { mirror: open },
    now,
  )
  assert.equal(JSON.parse(requests[0]!.body!).user.customer, 'a@b.example')
})

test('an event that would not be sent says why', () => {
  assert.deepEqual(show({ ...line, user: {} }), { requests: [], skipped: 'identityMissing' })
  assert.deepEqual(show({ ...line, event: { eventName: 'Lead' } }), { requests: [], skipped: 'eventNotSupported' })
  const old = { eventName: 'PageView', timestamp: now }
  assert.deepEqual(show({ ...line, event: old, now: now + 1_001 }), { requests: [], skipped: 'tooOld' })
})

test('a provider that this build does not have is named so, whatever else the line holds', () => {
  for (const provider of ['tiktok', 'nobody', '__proto__', 'constructor'])
    assert.deepEqual(show({ provider }), {
      requests: [],
      error: 'UNKNOWN_PROVIDER',
      message: `This build has no provider "${provider}".`,
    })
})

test('a line that is not as it should be says where', () => {
  const problemOf = (bad: unknown) => {
    const { requests, error, message } = show(bad)
    assert.deepEqual([requests, error], [[], 'BAD_LINE'])
    return message!
  }
  for (const bad of [undefined, null, 'not json', 7, []]) assert.match(problemOf(bad), /^The line: /)
  assert.match(problemOf({}), /^(provider|event): is required/)
  assert.match(problemOf({ ...line, event: {} }), /^event\.eventName: is required/)
  assert.match(problemOf({ ...line, secrets: { KEY: 1 } }), /^secrets\.KEY: /)
  assert.match(problemOf({ ...line, captured: { click: {} } }), /^captured\.click: /)
  assert.match(problemOf({ ...line, channel: { purchaseValueMode: 'half' } }), /^channel\.purchaseValueMode: /)
  assert.match(problemOf({ ...line, event: { ...line.event, timestamp: 'now' } }), /^event\.timestamp: /)
})

test('a required secret that is missing, and one that is no good, is said without its value', () => {
  assert.deepEqual(show({ ...line, secrets: {} }), {
    requests: [],
    error: 'SECRET_MISSING',
    message: 'mirror needs KEY.',
  })
  assert.deepEqual(show({ ...line, secrets: { KEY: 'k', NOTE: 'bad' } }), {
    requests: [],
    error: 'SECRET_REFUSED',
    message: 'NOTE: Write another.',
  })
})

test('an event without a timestamp happens now, one without an id is called preview', () => {
  assert.equal(bodyOf({}).id, 'preview')
  assert.equal(bodyOf({ now: 1 }).id, 'preview')
})

test('captured values were seen when the event happened; click ids of the page address count, what is given goes before', () => {
  const event = { eventName: 'PageView', timestamp: now - 5, search: '?click=fromPage&other=x' }
  assert.deepEqual(bodyOf({ event }).captured, { click: { value: 'fromPage', at: now - 5 } })
  assert.deepEqual(bodyOf({ event, captured: { click: 'given', more: 'm' } }).captured, {
    click: { value: 'given', at: now - 5 },
    more: { value: 'm', at: now - 5 },
  })
})

test('the person is the one of the line, what it leaves out is read from the event', () => {
  const event = { eventName: 'PageView', ip: '81.2.69.142', userEmail: 'event@b.example' }
  const alone = bodyOf({ event, user: {} }).user as { em: string; ip: string }
  assert.equal(alone.ip, '81.2.69.142')
  assert.notEqual(alone.em, (bodyOf({ event }).user as { em: string }).em)
})

test('the value is gross unless the channel says net', () => {
  const event = { eventName: 'Purchase', data: { value: 119, tax: 19 } }
  assert.equal(bodyOf({ event }).value, 119)
  assert.equal(bodyOf({ event, channel: { purchaseValueMode: 'net' } }).value, 100)
})

test('it never throws, whatever the line', () => {
  const broken = { ...mirror, request: () => assert.fail('a bug') }
  assert.equal(preview(line, { mirror: broken }, now).error, 'PREVIEW_FAILED')
  fc.assert(fc.property(fc.anything(), (any) => Array.isArray(show(any).requests)))
  fc.assert(
    fc.property(fc.object(), fc.object(), (event, user) => {
      assert.ok(Array.isArray(show({ ...line, event: { ...event, eventName: 'PageView' }, user }).requests))
    }),
  )
})

const withToken = {
  ...mirror,
  tokenRequest: { request: ({ KEY = '' }) => ({ url: 'https://mirror.example/token', form: { key: KEY } }) },
  request: ({ token }: { token: string }) => ({ url: 'https://mirror.example/in', json: { token } }),
} as typeof mirror
const showToken = (given: object = {}) => preview({ ...line, ...given }, { mirror: withToken }, now)

test('a token request stands first, and what it is answered gives the token', () => {
  const { requests } = showToken({ replies: [{ status: 200, json: { access_token: 'tok', expires_in: 60 } }] })
  assert.deepEqual(
    requests.map(({ url, body }) => [url, body]),
    [
      ['https://mirror.example/token', 'key=k'],
      ['https://mirror.example/in', '{"token":"tok"}'],
    ],
  )
})

test('a token request that is not answered shows where the token would stand; one that is refused says so', () => {
  assert.equal(showToken().requests[1]?.body, '{"token":"{token}"}')
  const refused = showToken({ replies: [{ status: 400, json: { error: 'invalid_grant k' } }] })
  assert.deepEqual(
    [refused.requests.length, refused.error, refused.message],
    [1, 'TOKEN_REFUSED', 'HTTP 400: invalid_grant k'],
  )
  assert.equal(showToken({ replies: [{ status: 200, json: {} }] }).error, 'TOKEN_REFUSED')
  assert.equal(showToken({ replies: [{ status: 'ok' }] }).error, 'BAD_LINE')
})

test('an event that is not sent asks for no token', () => {
  assert.deepEqual(showToken({ user: {} }), { requests: [], skipped: 'identityMissing' })
})

test('the requests of steps are shown as far as the line has responses for them', () => {
  const steps: Provider = {
    ...mirror,
    request: () => ({
      next: ([id, ...later]) => {
        if (id === undefined) return { url: 'https://mirror.example/find', resultPath: 'id' }
        return later.length === 0 ? { url: `https://mirror.example/contacts/${id}`, method: 'PUT' } : undefined
      },
    }),
  }
  const urls = (...replies: object[]) => {
    const line = {
      provider: 'mirror',
      secrets: { KEY: 'k' },
      event: { eventName: 'PageView' },
      user: { email: 'a@b.example' },
    }
    return preview({ ...line, replies }, { mirror: steps }, now).requests.map(({ url }) => url)
  }
  assert.deepEqual(urls(), ['https://mirror.example/find'])
  assert.deepEqual(urls({ status: 200, json: { id: 7 } }), [
    'https://mirror.example/find',
    'https://mirror.example/contacts/7',
  ])
  assert.deepEqual(urls({ status: 500 }), ['https://mirror.example/find'], 'a step that fails is the last one')
})
