import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '#contract/fault.ts'
import { openIntakeRate } from './intakeRate.ts'

const plenty = 1_000_000
const shop = { tagId: 'tag_1', teamId: 'team_1' }

type IntakeRateDeps = Parameters<typeof openIntakeRate>[0]

function open(given: Partial<IntakeRateDeps['limits']>, more: Pick<IntakeRateDeps, 'processes'> = {}) {
  const clock = { ms: 0, now: () => clock.ms }
  const refused: string[] = []
  const limits = {
    teamEventRate: plenty,
    teamEventBurst: plenty,
    tagEventRate: plenty,
    tagEventBurst: plenty,
    ...given,
  }
  const rate = openIntakeRate({ clock, limits, refused: (tagId, of) => void refused.push(`${tagId} ${of}`), ...more })
  /** Sends a call with this number of events. Returns undefined if it is accepted, else the fault. */
  const send = (events: number, { of = shop, trusted = false } = {}) => {
    try {
      rate.takeCall(of, trusted)
      rate.takeEvents(of, trusted, events - 1)
      return undefined
    } catch (problem) {
      assert.ok(problem instanceof Fault)
      return problem
    }
  }
  return { clock, send, refused }
}

test('a tag that sends at its rate is never refused, whatever the sizes of its bodies', () => {
  const bodies = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 100 })
  fc.assert(
    fc.property(bodies, fc.integer({ min: 1, max: 5_000 }), (sizes, rate) => {
      const { clock, send } = open({ tagEventRate: rate, tagEventBurst: 500, teamEventRate: rate, teamEventBurst: 500 })
      for (const size of sizes) {
        assert.equal(send(size), undefined)
        clock.ms += (size / rate) * 1_000
      }
    }),
  )
})

test('a body of 500 events counts as 500, and 20 such bodies are a burst of 10,000', () => {
  const { send } = open({ teamEventRate: 2_000, teamEventBurst: 10_000 })
  for (let n = 0; n < 20; n++) assert.equal(send(500), undefined)
  assert.equal(send(1)?.code, 'INTAKE_RATE_EXCEEDED')
})

test('a call above the limit of the team or the tag is 429 with the limit, its owner and Retry-After', () => {
  for (const owner of ['team', 'tag'] as const) {
    const { clock, send, refused } = open({ [`${owner}EventRate`]: 100, [`${owner}EventBurst`]: 10 })
    assert.equal(send(10), undefined)
    const problem = send(1)!
    assert.deepEqual(
      [problem.status, problem.code, problem.attributes],
      [429, 'INTAKE_RATE_EXCEEDED', { limit: 100, of: owner }],
    )
    assert.match(problem.message, /limit of 100 events per second/)
    assert.deepEqual(refused, [`tag_1 ${owner}`])
    clock.ms += Number(problem.headers['retry-after']) * 1_000
    assert.equal(send(1), undefined)
  }
})

test('the tags of a team share the limit of the team, and another team is not affected', () => {
  const { send } = open({ teamEventRate: 100, teamEventBurst: 10 })
  assert.equal(send(10), undefined)
  assert.equal(send(1, { of: { ...shop, tagId: 'tag_2' } })?.attributes?.of, 'team')
  assert.equal(send(10, { of: { tagId: 'tag_3', teamId: 'team_2' } }), undefined)
})

test('a call that the limit of its tag refuses takes no tokens of the team', () => {
  const { send } = open({ tagEventRate: 1, tagEventBurst: 10, teamEventRate: 1, teamEventBurst: 20 })
  assert.equal(send(10), undefined)
  for (let n = 0; n < 50; n++) assert.equal(send(1)?.attributes?.of, 'tag')
  assert.equal(send(10, { of: { ...shop, tagId: 'tag_2' } }), undefined)
})

test('untrusted calls that use up the limit do not block trusted calls', () => {
  const { clock, send } = open({ teamEventRate: 100, teamEventBurst: 100, tagEventRate: 100, tagEventBurst: 100 })
  let accepted = 0
  for (let n = 0; n < 1_000; n++) {
    clock.ms += 2
    send(1)
    if (n % 10 === 0 && !send(1, { trusted: true })) accepted++
  }
  assert.equal(accepted, 100)
})

test('trusted calls are limited too', () => {
  const { send } = open({ teamEventRate: 100, teamEventBurst: 100 })
  const answers = Array.from({ length: 200 }, () => send(1, { trusted: true })?.status ?? 200)
  assert.equal(answers.filter((status) => status === 200).length, 110)
})

test('a process has its share of the rate for as long as others run beside it', () => {
  let processes = 4
  const limits = { teamEventRate: 100, teamEventBurst: 100, tagEventRate: 100, tagEventBurst: 100 }
  const { clock, send } = open(limits, { processes: () => processes })
  assert.equal(send(110), undefined, 'the burst is not divided')
  /** How many of the calls of one second, one each millisecond, are accepted. */
  const acceptedInOneSecond = () => {
    let accepted = 0
    for (let n = 0; n < 1_000; n++) {
      clock.ms++
      if (!send(1, { trusted: true })) accepted++
    }
    return accepted
  }
  assert.deepEqual([acceptedInOneSecond(), acceptedInOneSecond()], [25, 25])
  processes = 1
  assert.equal(acceptedInOneSecond(), 100)
})
