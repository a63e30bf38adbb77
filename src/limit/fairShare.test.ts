import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextRate, openFairShare } from './fairShare.ts'

const target = 0.85
const slices = 20
/** The events that a team may send at once, in addition to its rate. */
const burst = 1_000

/** A fair share with a settable clock and load. `second` sends this many events of each team, evenly over a second. */
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
    const accepted: Record<string, number> = {}
    for (let slice = 0; slice < slices; slice++, state.ms += 1_000 / slices)
      for (const [teamId, count] of Object.entries(events))
        accepted[teamId] = (accepted[teamId] ?? 0) + send(teamId, count / slices)
    return accepted
  }
  return { state, share, send, second }
}

test('below the target no team is limited', () => {
  const { state, second } = open()
  state.load = 0.7
  for (let n = 0; n < 10; n++) assert.deepEqual(second({ loud: 500, quiet: 20 }), { loud: 500, quiet: 20 })
})

test('above the target the team that sends most is limited, a little more each window, and the other never', () => {
  const { state, share, second } = open()
  state.load = 1
  assert.deepEqual(second({ quiet: 20 }), { quiet: 20 })
  const rates: number[] = []
  for (let n = 0; n < 10; n++) {
    const { loud, quiet } = second({ loud: 500, quiet: 20 })
    assert.equal(quiet, 20)
    rates.push(share.perSecond())
    const allowed = (rates[n - 1] ?? Number.POSITIVE_INFINITY) + burst
    assert.ok(loud! <= allowed, `${loud} of ${allowed}`)
  }
  assert.deepEqual(
    rates,
    rates.toSorted((one, other) => other - one),
  )
  assert.equal(rates.at(-1), 200)
  assert.ok(Math.abs(second({ loud: 500, quiet: 20 }).loud! - 200) <= 2)
})

test('a limited team is accepted all over the second, never a whole second of events at once', () => {
  const { state, share, second, send } = open()
  state.load = 1
  for (let n = 0; n < 2; n++) second({ loud: 2_000, quiet: 20 })
  send('loud', 2_000)
  const rate = share.perSecond()
  state.load = 0.8
  const accepted = Array.from({ length: 9 }, () => {
    state.ms += 100
    return send('loud', 2_000)
  })
  for (const each of accepted) assert.ok(Math.abs(each - rate / 10) <= 1, `${each} of ${rate}`)
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

test('calls with a token have a tenth of the bucket more, so that strangers do not lock them out', () => {
  const { state, second, send } = open()
  state.load = 1
  second({ shop: 400, quiet: 20 })
  send('shop', 2_000)
  assert.equal(send('shop', 2_000), 0)
  assert.ok(Math.abs(send('shop', 1_000, true) - burst / 10) <= 1)
  assert.equal(send('shop', 1_000, true), 0)
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

test('no load, rate and number of teams limits a team that sends at most 200 events a second', () => {
  const counts = fc.array(fc.integer({ min: 1, max: 10_000 }), { maxLength: 20 })
  const rates = fc.oneof(fc.double({ min: 200, max: 1e6, noNaN: true }), fc.constant(Number.POSITIVE_INFINITY))
  fc.assert(
    fc.property(rates, counts, fc.double({ min: 0, max: 1, noNaN: true }), (rate, sent, load) => {
      assert.ok(nextRate(rate, sent, load, target) >= 200)
    }),
  )
})
