import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import type { TagEvent } from '#contract/event.ts'
import { Fault } from '#contract/fault.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import { buildRequests } from '#provider/engine/buildRequests.ts'
import { identityOf } from '#provider/engine/identity.ts'
import { OutboundDenied } from '#provider/engine/outboundGuard.ts'
import { invalidSecret } from '#provider/engine/secretValues.ts'
import { openSender, type SendRequest, type SendResult } from '#provider/engine/send.ts'
import { providers } from '#providers/index.ts'
import { createGuardedFetch } from '#sandbox/guardedFetch.ts'
import { callHook, newHook } from '#script/hook.ts'
import { parseHosts } from '#tag/parseHosts.ts'
import { hostileUrls, privateV4, privateV6, redirects, zones } from './corpus.ts'

const now = 1_700_000_000_000
const event = { eventName: 'Purchase', eventId: 'evt-1', timestamp: now, data: { value: 1 } } as TagEvent
const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')

/**
 * Requests an address as one entry point does: returns the error in the customer's words, or `reached` without an error.
 */
type Door = (url: string, send: SendRequest) => Promise<string>

const saidBy = (answer: SendResult) => ('failed' in answer ? answer.message : 'reached')

const channel =
  (id: ProviderId, variable: string, more: Record<string, string> = {}): Door =>
  async (url, send) => {
    const provider = providers[id]!
    const secrets = { [variable]: url, ...more }
    const refusedAtWrite = invalidSecret(provider, secrets)
    if (refusedAtWrite) return refusedAtWrite.message
    const captured = { click_id: { value: 'c', at: now } }
    const input = { event, identity: identityOf({ userId: 'usr_1' }), captured, secrets, now }
    const built = buildRequests(id, provider, { ...input, purchaseValueMode: 'gross' })
    assert.ok('requests' in built && built.requests.length === 1)
    return saidBy(await send(built.requests[0]!, provider.host))
  }

const hook =
  (kind: 'deploy' | 'alert'): Door =>
  async (url, send) => {
    const options = { clock: { now: () => now }, environment: 'production', keys, send } as const
    try {
      const { row } = newHook('team_1', url, options, kind)
      return (await callHook(row, { id: 'msg_1', type: 'test', data: {} }, options)) ?? 'reached'
    } catch (error) {
      assert.ok(error instanceof Fault)
      return error.message
    }
  }

const doors: Readonly<Record<string, Door>> = {
  'fetch in the sandbox': (url, send) =>
    createGuardedFetch(send)({ url, method: 'GET', headers: [], body: null, redirect: 'follow' }).then(
      () => 'reached',
      (error: Error) => error.message,
    ),
  eventSink: channel('eventSink', 'EVENT_SINK_URL'),
  affiliate: channel('affiliate', 'AFFILIATE_POSTBACK_URL'),
  'a deploy hook': hook('deploy'),
  'an alert': hook('alert'),
  'a vendor at a host of the customer': async (url, send) =>
    saidBy(await send({ method: 'POST', url, headers: {}, body: '{}' }, 'tenant')),
}

let reached = 0
let port = 0
const inside = createServer((_, response) => {
  reached++
  response.end('inside')
})
before(async () => {
  inside.listen(0, '127.0.0.1')
  await new Promise((resolve) => inside.once('listening', resolve))
  port = (inside.address() as AddressInfo).port
})
after(() => inside.close())

/** The real sender with the real guard, on name servers with these answers, in this order. */
async function guarded(answers: readonly (readonly string[])[], ask: (send: SendRequest) => Promise<void>) {
  let asked = 0
  const resolve = async () => answers[Math.min(asked++, answers.length - 1)]!
  const send = openSender({ allowPrivate: false, outboundPorts: [8443, port], resolve })
  await ask(send).finally(send.close)
}

for (const [name, door] of Object.entries(doors))
  describe(name, () => {
    test(`reaches none of ${hostileUrls.length} addresses that lead inside, or nowhere a customer may name`, async () => {
      await guarded([['127.0.0.1']], async (send) => {
        for (const url of hostileUrls) assert.notEqual(await door(url, send), 'reached', url)
      })
      assert.equal(reached, 0)
    })

    for (const { title, answers } of zones)
      test(`does not go where a name server leads it: ${title}`, () =>
        guarded(answers, async (send) => {
          const said = await door(`https://name.example:${port}/`, send)
          assert.equal(
            said,
            answers.flat().length === 0 ? 'The host name did not resolve.' : new OutboundDenied().message,
          )
          assert.equal(reached, 0)
        }))
  })

describe('redirects', () => {
  const away = (location: string): SendResult => ({ status: 307, headers: { location }, body: '', durationMs: 1 })
  const begin = 'https://public.example/'

  /** The first hop is a fixed answer; each later one passes the guard. */
  const behind =
    (location: string, send: SendRequest): SendRequest =>
    (request, reach) =>
      request.url === begin ? Promise.resolve(away(location)) : send(request, reach)

  for (const location of redirects)
    test(`fetch in the sandbox is not led to ${location}`, () =>
      guarded([['10.0.0.1']], async (send) => {
        const said = await doors['fetch in the sandbox']!(begin, behind(location, send))
        assert.equal(said, new OutboundDenied().message)
      }))

  test('no other door follows one, wherever it leads', async () => {
    for (const [name, door] of Object.entries(doors).slice(1)) {
      const asked: string[] = []
      const send: SendRequest = async ({ url }) => {
        asked.push(url)
        return away(`https://127.0.0.1:${port}/`)
      }
      await door(begin, send)
      assert.deepEqual(asked, [begin], name)
    }
  })
})

test('the host of a tag is a name, never an address: none is asked for', () => {
  for (const host of [...privateV4, ...privateV6, '[::1]', '2130706433', '0x7f.1', 'localhost', '127.1']) {
    const read = parseHosts([host], [])
    assert.ok('issues' in read, host)
  }
})
