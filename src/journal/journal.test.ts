import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import type { Exchange } from '#contract/journey.ts'
import { silent } from '#kit/log.ts'
import { redactor } from '#provider/engine/redaction.ts'
import type { Pack } from '#store/found.ts'
import type { Journal, Settled } from '#store/store.ts'
import { exchangeOf } from './exchange.ts'
import { openPack, sealPack, withoutParts } from './pack.ts'
import { settlePacked } from './packing.ts'

const person = {
  email: 'Jane.Doe@example.com',
  phone: '+49 170 1234567',
  firstName: 'Jane',
  city: 'Köln am Rhein',
  country: 'DE',
}
const secrets = ['hunter2-secret', JSON.stringify({ TOKEN: 'inner-token' }), 'a/b+c==&d']
const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.makeTeam('team_1')
const owner = { tagId: 'tag_1', teamId: 'team_1' }
const exchange = (body: string): Exchange => ({
  request: { method: 'POST', url: 'https://v.example', headers: {}, body },
})

describe('an exchange', () => {
  const redact = redactor({ secrets, people: [person] })
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

  test('keeps what went out and what came back, without secrets, and of the answer the headers that tell something', () => {
    assert.deepEqual(exchangeOf(request, answer, redact), {
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

  test('of a call for several people the bodies are left out, and of no answer there is none', () => {
    const told = exchangeOf(request, { failed: 'timeout', message: '', durationMs: 1 }, redact, true)
    assert.deepEqual([told.request.body, told.response], [undefined, undefined])
  })

  test('bodies are kept up to 64 KiB, and nothing that stands across the cut is told in part', () => {
    const body = `${'x'.repeat(64 * 1024 - 8)}hunter2-secret and more`
    const kept = exchangeOf({ ...request, body }, undefined, redact).request.body!
    assert.equal(kept.length, 64 * 1024)
    assert.ok(!kept.includes('hunter2'))
  })
})

describe('a pack', () => {
  test('opens as it was packed, for its own tag and team alone', async () => {
    const shared = exchange('batch')
    const parts = [[exchange('a'), exchange('b')], [shared], [], [shared]]
    const sealed = await sealPack(parts, owner, keys)
    assert.deepEqual(await openPack(sealed, owner, keys), parts)
    await assert.rejects(openPack(sealed, { ...owner, tagId: 'tag_2' }, keys))
    assert.throws(() => keys.team('team_1').openEvent(sealed, 'tag_1'))
    assert.ok(!Buffer.from(sealed).includes('batch'))
  })

  test('of parts that are taken out nothing is left', async () => {
    const sealed = await sealPack([[exchange('one')], [exchange('two')]], owner, keys)
    const left = await openPack(await withoutParts(sealed, [0], owner, keys), owner, keys)
    assert.deepEqual(left, [[], [exchange('two')]])
  })

  test('bodies that are alike take less than 300 bytes each', async () => {
    const alike = (n: number) => [
      exchange(
        JSON.stringify({
          event: 'Purchase',
          id: `order-${n}`,
          hashed: keys.tokenHash(`${n}`).toString('hex'),
          page: 'https://shop.example/checkout/thanks',
          agent: 'Mozilla/5.0 (X11; Linux x86_64)',
        }),
      ),
    ]
    const sealed = await sealPack(
      Array.from({ length: 100 }, (_, n) => alike(n)),
      owner,
      keys,
    )
    assert.ok(sealed.length / 100 < 300, `${sealed.length / 100} bytes each`)
  })
})

test('outcomes are written with their bodies: of each tag together, those of failures apart', async () => {
  const written: { outcomes: readonly Settled[]; packs: readonly Pack[] }[] = []
  const journal = { settle: async (outcomes, packs = []) => void written.push({ outcomes, packs }) } as Pick<
    Journal,
    'settle'
  >
  const settled = (deliveryId: string, status: Settled['status'], more: Partial<Settled> = {}): Settled => ({
    deliveryId,
    tagId: 'tag_1',
    status,
    attempt: { deliveryId, number: 1, at: 5, durationMs: 1, exchanges: [exchange(deliveryId)] },
    ...more,
  })
  const on = {
    store: { journal: journal as Journal },
    keys,
    log: silent,
    snapshots: { get: (tagId: string) => (tagId === 'tag_1' ? owner : undefined) as never },
  }
  await settlePacked(on)([
    settled('a', 'delivered'),
    settled('b', 'pending'),
    settled('c', 'delivered'),
    settled('d', 'dead', { tagId: 'tag_gone' }),
    { deliveryId: 'e', status: 'skipped' },
  ])
  const [{ outcomes, packs }] = written as [{ outcomes: readonly Settled[]; packs: readonly Pack[] }]
  assert.deepEqual(
    outcomes.map(({ attempt }) => attempt?.packed),
    [{ pack: 0, part: 0 }, { pack: 1, part: 0 }, { pack: 0, part: 1 }, undefined, undefined],
  )
  assert.ok(outcomes.every(({ attempt }) => attempt?.exchanges === undefined))
  assert.deepEqual(
    packs.map(({ tagId, failed, at }) => [tagId, failed, at]),
    [
      ['tag_1', false, 5],
      ['tag_1', true, 5],
    ],
  )
  assert.deepEqual(await openPack(packs[0]!.sealed, owner, keys), [[exchange('a')], [exchange('c')]])
})
