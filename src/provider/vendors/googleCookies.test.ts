import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adClick, derivedClientId, gaClientId, gaSessionId } from './googleCookies.ts'

const captured = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, at: 1 }]))

test('client and session are read from the cookies of either form', () => {
  assert.equal(gaClientId(captured({ _ga: 'GA1.1.123.456' })), '123.456')
  assert.equal(gaClientId(captured({ _ga: 'nothing' })), undefined)
  assert.equal(gaClientId(captured({ _ga: '0'.repeat(1_000_000) })), undefined)
  assert.equal(gaSessionId({ captured: captured({ _ga_ABC: 'GS1.1.1700.2.1' }) }, 'G-ABC'), '1700')
  assert.equal(gaSessionId({ captured: captured({ _ga_ABC: 'GS2.1.s1700$o2' }) }, 'G-ABC'), '1700')
  assert.equal(gaSessionId({ captured: captured({ _ga_ABC: 'GS1.1.1700.2' }) }, 'G-OTHER'), undefined)
  const session = { sessionId: 'ses_x', startedAt: 1_700_999 }
  assert.equal(gaSessionId({ captured: captured({ _ga_ABC: 'GS2.1.s17$o2' }), session }, 'G-ABC'), '17')
  assert.equal(gaSessionId({ captured: {}, session }, 'G-ABC'), '1700')
})

test('a client that is derived is always the same for one user, and another for another', () => {
  assert.match(derivedClientId('usr_1', {})!, /^\d+\.\d+$/)
  assert.equal(derivedClientId('usr_1', {}), derivedClientId('usr_1', {}))
  assert.notEqual(derivedClientId('usr_1', {}), derivedClientId('usr_2', {}))
})

test('of clicks of one time one is sent: gclid before gbraid before wbraid, the URL before the cookie', () => {
  assert.deepEqual(adClick(captured({ wbraid: 'w', gbraid: 'b', _gcl_aw: 'GCL.1700.fromCookie' })), {
    gclid: 'fromCookie',
  })
  assert.deepEqual(adClick(captured({ gclid: 'g', _gcl_aw: 'GCL.1700.x' })), { gclid: 'g' })
  assert.deepEqual(adClick(captured({ _gcl_ag: '2.1.kbraid$i1700' })), { gbraid: 'braid' })
  assert.deepEqual(adClick(captured({ _gcl_gb: 'plain' })), { wbraid: 'plain' })
  assert.equal(adClick({}), undefined)
})

test('of clicks of several times the newest is sent', () => {
  assert.deepEqual(adClick({ gclid: { value: 'g', at: 1 }, wbraid: { value: 'w', at: 2 } }), { wbraid: 'w' })
  assert.deepEqual(adClick({ _gcl_aw: { value: 'GCL.1700.g', at: 3 }, gbraid: { value: 'b', at: 2 } }), { gclid: 'g' })
})
