import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Refusal, SeenCaller } from '#contract/intake.ts'
import { noIntakeLog } from '#journal/intakeLog.ts'
import { event, openTestEdge, tagId, teamId } from './edge.fixture.ts'

const sdk = [{ version: '1.2.3', core: '1', gatedCore: '', modules: new Map(), adapters: new Map(), adapterBase: '' }]

/** An edge with the records of its calls. */
async function openRecordedEdge(t: TestContext) {
  const refusals: Omit<Refusal, 'at'>[] = []
  const callers: Omit<SeenCaller, 'at'>[] = []
  const counts: string[] = []
  const repeats: bigint[] = []
  const intakeLog = {
    ...noIntakeLog,
    countEvents: (of: string, result: string, events: number) => void counts.push(`${of} ${result} ${events}`),
    addRefusal: (of: string, refusal: Omit<Refusal, 'at'>) => {
      assert.equal(of, tagId)
      refusals.push(refusal)
    },
    addRepeat: (_: string, key: bigint) => void repeats.push(key),
    addCaller: (_: string, caller: Omit<SeenCaller, 'at'>) => void callers.push(caller),
  }
  return { ...(await openTestEdge(t, { deps: { intakeLog, sdk } })), refusals, callers, counts, repeats }
}
const shop = { origin: 'https://shop.example.com' }

test('the events of a call are counted by result, and its caller by host', async (t) => {
  const { ask, counts, callers, repeats, keys } = await openRecordedEdge(t)
  await ask({ method: 'POST', path: `/t/${tagId}/tag`, headers: shop, body: event() })
  await ask({ method: 'POST', path: `/t/${tagId}/tag`, body: event() })
  await ask({ method: 'POST', path: `/t/${tagId}/tag`, body: [{ eventName: 7 }, event({ eventId: 'e-2' })] })
  assert.deepEqual(counts, [
    `${tagId} accepted 1`,
    `${tagId} duplicate 1`,
    `${tagId} accepted 1`,
    `${tagId} rejected 1`,
  ])
  assert.deepEqual(repeats, [keys.team(teamId).eventKey(tagId, 'e-1', false)])
  assert.deepEqual(callers, [{ call: 'tag', host: 'shop.example.com' }, { call: 'tag' }, { call: 'tag' }])
})

const scriptId = `scr_${'0'.repeat(26)}`

test('a refused call is recorded by code, method, path and Origin, without its query and body, and without ids in its path', async (t) => {
  const { ask, refusals, callers } = await openRecordedEdge(t)
  const origin = `https://${'o'.repeat(500)}.example`
  await ask({
    method: 'POST',
    path: `/t/${tagId}/tag?email=jane@example.com`,
    headers: { origin },
    body: { secret: 'x' },
  })
  await ask({ method: 'GET', path: `/t/${tagId}/${'x'.repeat(500)}` })
  await ask({ method: 'GET', path: `/t/${tagId}/webhook/${scriptId}/orders/jane@example.com/4711` })
  assert.deepEqual(refusals, [
    { code: 'ORIGIN_REFUSED', method: 'POST', path: '/tag', origin: origin.slice(0, 200) },
    { code: 'NOT_FOUND', method: 'GET', path: '/•••' },
    { code: 'NOT_FOUND', method: 'GET', path: `/webhook/${scriptId}/orders/•••/•••` },
  ])
  assert.deepEqual(callers, [])
})

test('a page that loads the SDK is known by its Referer, if it is a page of the tag', async (t) => {
  const { ask, callers } = await openRecordedEdge(t)
  await ask({ method: 'GET', path: `/t/${tagId}/load`, headers: { referer: 'https://shop.example.com/cart?x=1' } })
  await ask({ method: 'GET', path: `/t/${tagId}/load`, headers: { referer: 'https://elsewhere.example/' } })
  await ask({ method: 'GET', path: `/t/${tagId}/load`, headers: { referer: 'nonsense' } })
  const [first, ...others] = callers
  assert.deepEqual(first, { call: 'load', host: 'shop.example.com', sdkVersion: '1.2.3' })
  assert.deepEqual(
    others.map(({ host }) => host),
    [undefined, undefined],
  )
})
