import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextRate, openFairShare } from './fairShare.ts'

const target = 0.85

/** A fair share whose clock and load are set by hand. `second` sends these many events of each team, and ends the second. */
function open() {
  const state = { ms: 0, load: 0 }
  const share = openFairShare({ clock: { now: () => state.ms }, load: () => state.load, target })
  const send = (teamId: string, events: number, isTrusted = false) => {
    let accepted = 0
    for (let n = 0; n < events; n++) {
      if (!share.mayTake(teamId, isTrusted)) continue
      share.take(teamId, 1)
      accepted++
    }
    return accepted
  }
  const second = (events: Record<string, number>) => {
    const accepted = Object.entries(events).map(([teamId, count]) => [teamId, send(teamId, count)])
    state.ms += 1_000
    return Object.fromEntries(accepted) as Record<string, number>
  }
  return { state, share, send, second }
}

test('below the target no team is limited', () => {
  const { state, second } = open()
  state.load = 0.7
  for (let n = 0; n < 10; n++) assert.deepEqual(second({ loud: 500, quiet: 20 }), { loud: 500, quiet: 20 })
})

test('above the target the team that sends most is limited, a little more each second, and the other never', () => {
  const { state, second } = open()
  state.load = 1
  assert.deepEqual(second({ loud: 500, quiet: 20 }), { loud: 500, quiet: 20 })
  assert.deepEqual(second({ loud: 500, quiet: 20 }), { loud: 375, quiet: 20 })
  assert.deepEqual(second({ loud: 500, quiet: 20 }), { loud: 282, quiet: 20 })
  for (let n = 0; n < 30; n++) assert.equal(second({ loud: 500, quiet: 20 }).quiet, 20)
  assert.equal(second({ loud: 500, quiet: 20 }).loud, 50)
})

test('a team that is alone is never limited', () => {
  const { state, second } = open()
  state.load = 1
  for (let n = 0; n < 10; n++) assert.deepEqual(second({ alone: 500 }), { alone: 500 })
})

test('near the target the rate stays, and below it rises until no team is limited', () => {
  const { state, share, second } = open()
  state.load = 1
  for (let n = 0; n < 4; n++) second({ loud: 500, quiet: 20 })
  state.load = 0.8
  second({ loud: 500, quiet: 20 })
  const rate = share.perSecond()
  second({ loud: 500, quiet: 20 })
  assert.equal(share.perSecond(), rate)
  state.load = 0.5
  for (let n = 0; n < 60; n++) second({ loud: 500, quiet: 20 })
  assert.equal(share.perSecond(), Number.POSITIVE_INFINITY)
})

test('calls with a token may exceed the rate by a tenth', () => {
  const { state, second, send } = open()
  state.load = 1
  second({ shop: 400, quiet: 20 })
  assert.equal(send('shop', 1_000), 300)
  assert.equal(send('shop', 1_000, true), 30)
})

test('after ten seconds without a call, or when the clock was set back, no limit is left', () => {
  for (const passedMs of [20_000, -5_000]) {
    const { state, second } = open()
    state.load = 1
    for (let n = 0; n < 5; n++) second({ loud: 500, quiet: 20 })
    state.ms += passedMs
    assert.equal(second({ loud: 500 }).loud, 500)
  }
})

test('no load, rate and number of teams limits a team that sends at most 50 events a second', () => {
  const counts = fc.array(fc.integer({ min: 1, max: 10_000 }), { maxLength: 20 })
  const rates = fc.oneof(fc.double({ min: 50, max: 1e6, noNaN: true }), fc.constant(Number.POSITIVE_INFINITY))
  fc.assert(
    fc.property(rates, counts, fc.double({ min: 0, max: 1, noNaN: true }), (rate, sent, load) => {
      assert.ok(nextRate(rate, sent, load, target) >= 50)
    }),
  )
})
