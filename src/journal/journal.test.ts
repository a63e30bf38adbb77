import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import type { Exchange } from '#contract/journey.ts'
import { silentLog } from '#kit/log.ts'
import { redactor } from '#provider/engine/redaction.ts'
import type { ExchangePack } from '#store/deliveryQueries.ts'
import type { AttemptRecord, DeliveryOutcome, Journal } from '#store/store.ts'
import { decodeExchange, encodeExchange } from './encodedExchange.ts'
import { openPack, removeParts, sealPack } from './exchangePack.ts'
import { redactExchange } from './redactExchange.ts'
import { settleWithPacks } from './settleWithPacks.ts'

const person = {
  email: 'Jane.Doe@example.com',
  phone: '+49 170 1234567',
  firstName: 'Jane',
  city: 'Köln am Rhein',
  country: 'DE',
}
const secrets = ['hunter2-secret', JSON.stringify({ TOKEN: 'inner-token' }), 'a/b+c==&d']
const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')
const owner = { tagId: 'tag_1', teamId: 'team_1' }
const exchange = (body: string): Exchange => ({
  request: { method: 'POST', url: 'https://v.example', headers: {}, body },
})

describe('an exchange', () => {
  const redact = redactor({ secrets, persons: [person] })
  const request = {
    method: 'POST',
    url: 'https://v.example/in?key=hunter2-secret',
    headers: {
      'content-type': 'application/json',
      authorization: 'Basic abc',
      'x-api-key': 'derived',
      'x-name': 'Jane',
    },
    body: `{"email":"${person.email}"}`,
  }
  const answer = {
    status: 400,
    headers: { 'content-type': 'text/plain', 'set-cookie': 'a=b', 'x-request-id': 'r1', 'x-powered-by': 'php' },
    body: `no such person: ${person.phone}`,
    durationMs: 4,
  }

  test('has the request and the response without secrets, and only the public headers of the response', () => {
    assert.deepEqual(decodeExchange(redactExchange(request, answer, redact)), {
      request: {
        method: 'POST',
        url: 'https://v.example/in?key=•••',
        headers: { 'content-type': 'application/json', authorization: '•••', 'x-api-key': '•••', 'x-name': '•••' },
        body: '{"email":"•••"}',
      },
      response: {
        status: 400,
        headers: { 'content-type': 'text/plain', 'x-request-id': 'r1' },
        body: 'no such person: •••',
      },
    })
  })

  test('has no bodies for a batch, and no response if there was no answer', () => {
    const answer = { failed: 'timeout', message: '', durationMs: 1 } as const
    const redacted = decodeExchange(redactExchange(request, answer, redact, true))
    assert.deepEqual([redacted.request.body, redacted.response], [undefined, undefined])
  })

  test('of a batch keeps a header of the response, without the words that the request contains', () => {
    const sent = { ...request, headers: {}, url: 'https://v.example/in', body: '{"name":"Zacharias"}' }
    const headers = { server: 'refused Zacharias' }
    const shown = (isBatch: boolean) =>
      decodeExchange(redactExchange(sent, { ...answer, headers }, redact, isBatch)).response?.headers
    assert.deepEqual(shown(true), { server: 'refused •••' })
    assert.deepEqual(shown(false), headers)
  })

  test('has bodies of up to 64 KiB, and a secret across the limit is redacted as a whole', () => {
    const body = `${'x'.repeat(64 * 1024 - 8)}hunter2-secret and more`
    const storedBody = decodeExchange(redactExchange({ ...request, body }, undefined, redact)).request.body!
    assert.equal(storedBody.length, 64 * 1024)
    assert.ok(!storedBody.includes('hunter2'))
  })
})

const encoded = (parts: readonly (readonly Exchange[])[]) => parts.map((part) => part.map(encodeExchange))

test('an exchange of any length is encoded beside others and decodes unchanged', () => {
  const bodies = ['', 'ä😀"', '東'.repeat(10_000), 'x'.repeat(30_000), '東京'.repeat(60_000)]
  const exchanges = [...bodies, ...bodies].map((body) => exchange(body))
  const bytes = exchanges.map(encodeExchange)
  assert.deepEqual(bytes.map(decodeExchange), exchanges)
})

test('half of a character is stored as it was sent', () => {
  assert.deepEqual(decodeExchange(encodeExchange(exchange('a\ud800'))), exchange('a\ufffd'))
})

describe('a pack', () => {
  test('opens unchanged, for its own tag and team only', async () => {
    const shared = exchange('batch')
    const parts = [[exchange('a'), exchange('b')], [shared], [], [shared]]
    const sealed = await sealPack(encoded(parts), owner, keys)
    assert.deepEqual(await openPack(sealed, owner, keys), parts)
    await assert.rejects(openPack(sealed, { ...owner, tagId: 'tag_2' }, keys))
    assert.throws(() => keys.team('team_1').openEvent(sealed, 'tag_1'))
    assert.ok(!Buffer.from(sealed).includes('batch'))
  })

  test('opens unchanged with bodies in any language, beyond the buffer that packs share', async () => {
    const parts = ['ä😀"', 'größe '.repeat(60_000), '', '東京'.repeat(90_000)].map((body) => [exchange(body)])
    assert.deepEqual(await openPack(await sealPack(encoded(parts), owner, keys), owner, keys), parts)
    assert.deepEqual(await openPack(await sealPack([], owner, keys), owner, keys), [])
  })

  test('is not changed by a pack that is sealed meanwhile', async () => {
    const long = [[exchange('x'.repeat(600_000))], [exchange('a')]]
    const [one, other] = await Promise.all([
      sealPack(encoded(long), owner, keys),
      sealPack(encoded([[exchange('b')]]), owner, keys),
    ])
    assert.deepEqual(await openPack(one, owner, keys), long)
    assert.deepEqual(await openPack(other, owner, keys), [[exchange('b')]])
  })

  test('contains nothing of removed parts', async () => {
    const sealed = await sealPack(encoded([[exchange('one')], [exchange('two')]]), owner, keys)
    const left = await openPack(await removeParts(sealed, [0], owner, keys), owner, keys)
    assert.deepEqual(left, [[], [exchange('two')]])
  })

  test('takes less than 300 bytes for each of many similar bodies', async () => {
    const similar = (n: number) => [
      exchange(
        JSON.stringify({
          event: 'Purchase',
          id: `order-${n}`,
          hashed: keys.hashToken(`${n}`).toString('hex'),
          page: 'https://shop.example/checkout/thanks',
          agent: 'Mozilla/5.0 (X11; Linux x86_64)',
        }),
      ),
    ]
    const sealed = await sealPack(encoded(Array.from({ length: 100 }, (_, n) => similar(n))), owner, keys)
    assert.ok(sealed.length / 100 < 300, `${sealed.length / 100} bytes each`)
  })
})

type Written = { outcomes: readonly DeliveryOutcome[]; packs: readonly ExchangePack[] }
const outcome = (
  deliveryId: string,
  status: DeliveryOutcome['status'],
  more: Partial<DeliveryOutcome> = {},
): DeliveryOutcome => ({
  deliveryId,
  tagId: 'tag_1',
  status,
  attempt: { deliveryId, number: 1, at: 5, durationMs: 1, exchanges: [encodeExchange(exchange(deliveryId))] },
  ...more,
})

/** `written`: the writes to the journal, at 10 ms. `erased`: returns the number of erasures so far. */
function openSettle(erased = () => 0) {
  const written: Written[] = []
  const journal: Pick<Journal, 'settle'> = {
    settle: async (outcomes, packs = []) => void written.push({ outcomes, packs }),
  }
  const settle = settleWithPacks({
    store: { journal: journal as Journal },
    keys,
    log: silentLog,
    clock: { now: () => 10 },
    stream: { rewritten: () => 0 },
    profiles: { refusals: { erased } },
    snapshots: { get: (tagId: string) => (tagId === 'tag_1' ? owner : undefined) as never },
  })
  return { written, settle }
}

test('an attempt that was under way while somebody was erased is written without the texts of its vendor', async () => {
  const told = (at: number) => {
    const exchanges = [encodeExchange(exchange('jane'))]
    const attempt = { deliveryId: 'a', number: 1, at, durationMs: 1, message: 'no jane', exchanges }
    return outcome('a', 'dead', { attempt })
  }
  const stored = { deliveryId: 'a', number: 1, at: 5, durationMs: 1 }
  for (const erasedAtCall of [2, 3]) {
    let calls = 0
    const { written, settle } = openSettle(() => (++calls >= erasedAtCall ? 1 : 0))
    await settle([told(5)])
    assert.deepEqual(written, [{ outcomes: [{ ...told(5), attempt: stored }], packs: [] }], `${erasedAtCall}`)
    await settle([told(11)])
    assert.equal(written[1]!.packs.length, 1, 'a later attempt keeps them')
    assert.equal((written[1]!.outcomes[0]!.attempt as AttemptRecord).message, 'no jane')
  }
})

test('outcomes are written with a pack of bodies for each tag, and failures in packs of their own', async () => {
  const { written, settle } = openSettle()
  await settle([
    outcome('a', 'delivered'),
    outcome('b', 'pending'),
    outcome('c', 'delivered'),
    outcome('d', 'dead', { tagId: 'tag_gone' }),
    { deliveryId: 'e', status: 'skipped' },
  ])
  const [{ outcomes, packs }] = written as [Written]
  assert.deepEqual(
    outcomes.map(({ attempt }) => attempt?.packed),
    [{ pack: 0, part: 0 }, { pack: 1, part: 0 }, { pack: 0, part: 1 }, undefined, undefined],
  )
  assert.deepEqual(
    packs.map(({ tagId, failed, at }) => [tagId, failed, at]),
    [
      ['tag_1', false, 5],
      ['tag_1', true, 5],
    ],
  )
  assert.deepEqual(await openPack(packs[0]!.sealed, owner, keys), [[exchange('a')], [exchange('c')]])
})
