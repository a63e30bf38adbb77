import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { at } from './store.fixture.ts'
import { claimsKept, type Stance, type UserSigns, type Users } from './users.ts'

const sealed = new Uint8Array([1])
const user = (userId: string, seenAt = at, tagId = 'tag_1') => ({ tagId, userId, sealed, seenAt })

let made = 0
/** An e-mail that no other test has. */
const email = () => new Uint8Array(Buffer.from(`email ${++made}`))

/** What every store obeys where it keeps which users an e-mail leads to. */
export function emailLaws(users: () => Users): void {
  const of = (mark: Uint8Array, tagId = 'tag_1') => users().byEmail(tagId, mark)
  const claim = (userId: string, mark: Uint8Array, stance: Stance = 'unasked', seenAt = at) =>
    users().put(user(userId, seenAt), { claims: [mark], stance })

  describe('an e-mail', () => {
    test('leads to all who claim it, seen last first, on their own tag alone', async () => {
      const [one, other] = [email(), email()]
      await users().put(user('usr_1', at), { claims: [one, other] })
      await claim('usr_2', one, 'agrees', at + 5)
      await claim('usr_3', one, 'refuses', at + 3)
      assert.deepEqual(await of(one), { claimants: ['usr_2', 'usr_3', 'usr_1'], isCrowded: false })
      await users().put(user('usr_1', at + 9), { claims: [one] })
      assert.deepEqual((await of(one)).claimants, ['usr_1', 'usr_2', 'usr_3'])
      assert.deepEqual((await of(other)).claimants, ['usr_1'])
      assert.deepEqual(await of(one, 'tag_2'), { claimants: [], isCrowded: false })
    })

    test('is confirmed for the user that it was confirmed for first, until that one is gone', async () => {
      const mark = email()
      await users().put(user('usr_4'), { confirmed: [mark] })
      await users().put(user('usr_5'), { claims: [mark], confirmed: [mark] })
      assert.deepEqual(await of(mark), { confirmed: 'usr_4', claimants: ['usr_5'], isCrowded: false })
      await users().put(user('usr_4', at + 9), { isUnnamed: true })
      assert.equal((await of(mark)).confirmed, undefined)
      await users().put(user('usr_5', at + 1), { claims: [mark], confirmed: [mark] })
      assert.equal((await of(mark)).confirmed, 'usr_5')
    })

    test('leads no more to a user who took it back; what is said in the same moment does, and others keep theirs', async () => {
      const [before, after, other] = [email(), email(), email()]
      await users().put(user('usr_t1'), { claims: [before], confirmed: [before] })
      await users().put(user('usr_t2'), { claims: [other] })
      await users().put(user('usr_t1', at + 1), { claims: [after], isUnnamed: true })
      assert.deepEqual(await of(before), { claimants: [], isCrowded: false })
      assert.deepEqual([(await of(after)).claimants, (await of(other)).claimants], [['usr_t1'], ['usr_t2']])
      await users().put(user('usr_t3'), { confirmed: [before] })
      assert.equal((await of(before)).confirmed, 'usr_t3')
    })
  })

  describe('a flood of users who claim an e-mail', () => {
    const flood = async (
      mark: Uint8Array,
      stance: Stance,
      count: number,
      name = stance as string,
      seenAt = at + 100,
    ) => {
      for (let n = 0; n < count; n++) await claim(`usr_${made}_${name}${n}`, mark, stance, seenAt + n)
    }

    test('drops of those who refuse nothing who was seen longest ago, and those first who were not asked', async () => {
      const mark = email()
      await claim('usr_agreed', mark, 'agrees', at)
      await claim('usr_unasked', mark, 'unasked', at + 1_000)
      await flood(mark, 'agrees', claimsKept - 1)
      const full = (await of(mark)).claimants
      assert.deepEqual(
        [full.length, full.includes('usr_agreed'), full.includes('usr_unasked')],
        [claimsKept, true, false],
      )
      await flood(mark, 'agrees', 1, 'more')
      const { claimants, isCrowded } = await of(mark)
      assert.deepEqual([claimants.length, claimants.includes('usr_agreed'), isCrowded], [claimsKept, false, false])
    })

    test('drops nobody who refuses, before or after it, and takes in who refuses later', async () => {
      const mark = email()
      await claim('usr_refused', mark, 'refuses', at)
      await flood(mark, 'agrees', 3 * claimsKept)
      await claim('usr_late', mark, 'agrees', at - 1_000)
      assert.equal((await of(mark)).claimants.includes('usr_late'), false)
      await claim('usr_late', mark, 'refuses', at - 1_000)
      const { claimants, isCrowded } = await of(mark)
      assert.ok(claimants.includes('usr_refused') && claimants.includes('usr_late'))
      assert.deepEqual([claimants.length, isCrowded], [claimsKept + 2, false])
    })

    test('of users who refuse crowds it: none is kept, and it stays so when they take it back', async () => {
      const mark = email()
      await flood(mark, 'refuses', claimsKept)
      assert.equal((await of(mark)).isCrowded, false)
      await flood(mark, 'refuses', 1, 'last')
      assert.deepEqual(await of(mark), { claimants: [], isCrowded: true })
      for (let n = 0; n < claimsKept; n++) await users().put(user(`usr_${made}_refuses${n}`), { isUnnamed: true })
      await claim('usr_after', mark, 'agrees')
      assert.deepEqual(await of(mark), { claimants: [], isCrowded: true })
      await users().put(user('usr_shop'), { confirmed: [mark] })
      assert.deepEqual(await of(mark), { confirmed: 'usr_shop', claimants: [], isCrowded: true })
    })

    test('is over when nobody has claimed the e-mail for long enough', async () => {
      const mark = email()
      await flood(mark, 'refuses', claimsKept + 1)
      await claim('usr_again', mark, 'agrees', at + 9_000)
      await users().uncrowd(at + 9_000)
      assert.equal((await of(mark)).isCrowded, true)
      await users().uncrowd(at + 9_001)
      await claim('usr_again', mark, 'agrees', at + 9_002)
      assert.deepEqual(await of(mark), { claimants: ['usr_again'], isCrowded: false })
    })

    test('loses no refusal, in whatever order users claim it, change their mind and take it back', async () => {
      const step = fc.record({
        userId: fc.integer({ min: 0, max: 60 }).map((n) => `usr_p${n}`),
        stance: fc.constantFrom<Stance>('unasked', 'agrees', 'refuses', 'refuses'),
        seenAt: fc.integer({ min: at, max: at + 50 }),
        isUnnamed: fc.boolean(),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120, size: 'max' }), async (steps) => {
          const mark = email()
          const refusing = new Set<string>()
          let mayBeCrowded = false
          for (const { userId, stance, seenAt, isUnnamed } of steps) {
            const isGone = isUnnamed && stance === 'unasked'
            const signs: UserSigns = isGone ? { isUnnamed } : { claims: [mark], stance }
            await users().put(user(`${userId}_${made}`, seenAt), signs)
            if (stance === 'refuses') refusing.add(`${userId}_${made}`)
            else refusing.delete(`${userId}_${made}`)
            mayBeCrowded ||= refusing.size > claimsKept
          }
          const { claimants, isCrowded } = await of(mark)
          assert.equal(isCrowded, mayBeCrowded)
          assert.ok(claimants.length <= 2 * claimsKept)
          if (!isCrowded) for (const userId of refusing) assert.ok(claimants.includes(userId), `${userId} is lost`)
        }),
        { numRuns: 15 },
      )
    })
  })
}
