import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allowsWithPii } from '#consent/consent.ts'
import { type Call, type Consent, type Done, openCallers } from './fake/callers.ts'
import { cases } from './fake/cases.ts'

const callers = await openCallers()
/** Sequences of calls for each law. `JOIN_LAW_RUNS` asks for more. */
const numRuns = Number(process.env.JOIN_LAW_RUNS ?? cases(30, 10))

const email = fc.integer({ min: 0, max: 1 })
const customer = fc.integer({ min: 0, max: 1 })
const consent = fc.constantFrom<Consent>('none', 'none', 'yes', 'yes', 'no', 'noAds', 'noPii')
const more = { customer, consent, says: fc.boolean(), clicked: fc.boolean(), isSync: fc.boolean() }

/** The shop identifies people by e-mail, some also by a customer id, some by its own id, others by their browser's id. */
const ofShop: fc.Arbitrary<Call> = fc.record(
  {
    kind: fc.constantFrom<Call['kind']>('tag', 'tag', 'tag', 'consent', 'user', 'keys'),
    who: fc.constant('shop' as const),
    as: fc.constantFrom('customer-1', 'visitor-0'),
    email,
    ...more,
  },
  { requiredKeys: ['kind', 'who', 'email', 'consent', 'says', 'clicked', 'isSync'] },
)

/** Each stranger has an id, sends it or none, and uses any e-mail and customer id. */
const ofStranger: fc.Arbitrary<Call> = fc
  .record(
    {
      kind: fc.constantFrom<Call['kind']>('tag', 'tag', 'tag', 'consent', 'user', 'data', 'init', 'keys'),
      who: fc.integer({ min: 0, max: 3 }),
      isNamed: fc.boolean(),
      email,
      ...more,
    },
    { requiredKeys: ['kind', 'who', 'isNamed', 'consent', 'says', 'clicked', 'isSync'] },
  )
  .map(({ isNamed, ...call }) => ({ ...call, ...((isNamed || call.kind !== 'tag') && { as: `visitor-${call.who}` }) }))

const calls = fc.array(fc.oneof(ofShop, ofStranger, ofStranger), { minLength: 4, maxLength: 9, size: 'max' })

/**
 * One stranger refuses and another accepts with the same e-mail, in either order; then the shop sends a purchase with it.
 */
const disagreement = fc
  .tuple(
    fc.array(fc.oneof(ofShop, ofStranger), { maxLength: 3 }),
    email,
    fc.constantFrom<Consent>('no', 'noAds'),
    fc.boolean(),
  )
  .map(([before, of, refusal, isRefusalFirst]): Call[] => {
    const common = { kind: 'tag', email: of, says: false, clicked: false, isSync: false } as const
    const refuses: Call = { ...common, who: 0, as: 'visitor-0', consent: refusal }
    const agrees: Call = { ...common, who: 1, as: 'visitor-1', consent: 'yes' }
    const both = isRefusalFirst ? [refuses, agrees] : [agrees, refuses]
    return [...before, ...both, { ...common, who: 'shop', consent: 'none' }]
  })

/** A caller with an id that the shop sends is not a stranger: the shop vouches for that id. */
const known = (all: readonly Call[]) => new Set(all.flatMap(({ who, as }) => (who === 'shop' && as ? [as] : [])))
const isStrange =
  (all: readonly Call[]) =>
  ({ who }: Call): boolean =>
    who !== 'shop' && !known(all).has(`visitor-${who}`)

/** Removes calls; the others keep their places, and so their times and event ids. */
const leftOut = (all: readonly Call[], isGone: (call: Call) => boolean): (Call | undefined)[] =>
  all.map((each) => (isGone(each) ? undefined : each))

/** Ids created by a call are named after the event that created them. */
function idsOf(done: readonly Done[]): (userId: string | undefined) => string {
  const made = new Map(
    done.flatMap(({ answer, place }) => {
      const { userId } = (answer as { result: { userId?: string } }).result
      return userId?.startsWith('usr_') ? [[userId, `made by ${place}`] as const] : []
    }),
  )
  return (userId = '') => made.get(userId) ?? (userId.startsWith('usr_') ? 'made by a consent' : userId)
}

/** The data that a trusted event carries to each channel, except click ids. */
function carried(done: readonly Done[]) {
  const idOf = idsOf(done)
  return new Map(
    done
      .filter(({ call }) => call.who === 'shop')
      .flatMap(({ place, sent }) =>
        sent.map(
          ({ channel, userId, customerId, phone, city }) =>
            [
              `${place} ${channel}`,
              { userId: idOf(userId), customerId: customerId?.replace(/^r\d+-/, ''), phone, city },
            ] as const,
        ),
      ),
  )
}

/** The channels that somebody's refusal keeps an event from. */
const refusedIn = ({ journey }: Done): string[] =>
  journey && journey.consent.source !== 'none'
    ? journey.deliveries.flatMap(({ providerId, reason }) => (reason === 'consent' ? [providerId] : []))
    : []

test('no untrusted call changes the id and the keys that a trusted event carries, whatever it says of the e-mail', async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (all) => {
      const isStranger = isStrange(all)
      const [whole, without] = [await callers.run(all), await callers.run(leftOut(all, isStranger))]
      const [one, other] = [carried(whole), carried(without)]
      for (const [place, what] of one) if (other.has(place)) assert.deepEqual(what, other.get(place), place)
    }),
    { numRuns },
  )
})

test('a click id of somebody else goes along only where the event has none and its owner lets the channel have it', async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (all) => {
      const isStranger = isStrange(all)
      const [whole, without] = [await callers.run(all), await callers.run(leftOut(all, isStranger))]
      const before = new Map(without.map((each) => [each.place, each]))
      for (const { call, place, sent, journey, eventId, joined } of whole.filter(({ call: { who } }) => who === 'shop'))
        for (const { channel, click } of sent) {
          const delivery = journey!.deliveries.find(({ providerId }) => providerId === channel)!
          const lender = delivery.attempts[0]?.joined
          const alone = before.get(place)?.sent.find((each) => each.channel === channel)
          const isLentAlone = before.get(place)?.journey?.deliveries.some(({ attempts }) => attempts[0]?.joined)
          if (alone?.click && !isLentAlone) assert.equal(click, alone.click)
          if (!lender) continue
          const profile = joined.get(lender)!
          assert.ok(profile.claims?.includes(callers.emailOf(eventId, call.email!)), `${lender} claims no such e-mail`)
          assert.ok(Object.values(profile.captured).some(({ value }) => value.replace(/r\d+-/, 'run-') === click))
          const script = callers.script.find(({ providerId }) => providerId === channel)!
          const category = channel === 'facebook' ? 'advertising' : 'analytics'
          assert.ok(profile.consent && allowsWithPii(profile.consent, script, category), `${lender} did not agree`)
        }
    }),
    { numRuns },
  )
})

test('what somebody refused stays refused, whatever untrusted calls of others say of the e-mail', async () => {
  let refusals = 0
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(calls, disagreement),
      fc.subarray([0, 1, 2, 3], { minLength: 1 }),
      async (all, others) => {
        const isStranger = isStrange(all)
        const isOther = (call: Call) => isStranger(call) && others.includes(call.who as number)
        const [whole, without] = [await callers.run(all), await callers.run(leftOut(all, isOther))]
        for (const each of without) {
          const now = whole.find(({ place }) => place === each.place)!
          for (const refused of refusedIn(each)) {
            refusals++
            assert.ok(!now.sent.some(({ channel }) => channel === refused), `${each.place} went to ${refused}`)
          }
        }
      },
    ),
    { numRuns },
  )
  assert.ok(refusals > numRuns / 4, `only ${refusals} refusals were looked at`)
})

test('no answer to an untrusted caller differs by what others did or what is stored of them', async () => {
  await fc.assert(
    fc.asyncProperty(calls, fc.integer({ min: 0, max: 3 }), async (all, who) => {
      if (known(all).has(`visitor-${who}`)) return
      const [whole, alone] = [await callers.run(all), await callers.run(leftOut(all, (each) => each.who !== who))]
      const answers = (done: readonly Done[]) => {
        const idOf = idsOf(done)
        return done
          .filter(({ call }) => call.who === who)
          .map(({ place, answer }) => [place, JSON.stringify(answer).replace(/usr_[0-9a-z]{26}/g, (id) => idOf(id))])
      }
      assert.deepEqual(answers(whole), answers(alone))
    }),
    { numRuns },
  )
})
