import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../test/fake/cases.ts'
import { at, putUser } from './store.fixture.ts'
import { maxClaims, type OverallConsent, type UserLookupKeys, type UserStore } from './users.ts'

const sealed = new Uint8Array([1])
const user = (userId: string, seenAt = at, tagId = 'tag_1') => ({ tagId, userId, sealed, seenAt })

let createdCount = 0
/** An e-mail that no other test uses. */
const email = () => new Uint8Array(Buffer.from(`email ${++createdCount}`))

/** The laws of every store for the users of an e-mail. */
export function emailLaws(users: () => UserStore): void {
  const emailUsers = (mark: Uint8Array, tagId = 'tag_1') => users().byEmail(tagId, mark)
  const claim = (userId: string, mark: Uint8Array, overallConsent: OverallConsent = 'unasked', seenAt = at) =>
    putUser(users(), user(userId, seenAt), { claims: [mark], overallConsent })

  describe('an e-mail', () => {
    test('has all users who claim it, last seen first, on their tag only', async () => {
      const [one, other] = [email(), email()]
      await putUser(users(), user('usr_1', at), { claims: [one, other] })
      await claim('usr_2', one, 'agrees', at + 5)
      await claim('usr_3', one, 'refuses', at + 3)
      assert.deepEqual(await emailUsers(one), { claimants: ['usr_2', 'usr_3', 'usr_1'], isCrowded: false })
      await putUser(users(), user('usr_1', at + 9), { claims: [one] })
      assert.deepEqual((await emailUsers(one)).claimants, ['usr_1', 'usr_2', 'usr_3'])
      assert.deepEqual((await emailUsers(other)).claimants, ['usr_1'])
      assert.deepEqual(await emailUsers(one, 'tag_2'), { claimants: [], isCrowded: false })
    })

    test('is confirmed for the first user that it was confirmed for, until that user is gone', async () => {
      const mark = email()
      await putUser(users(), user('usr_4'), { confirmed: [mark] })
      await putUser(users(), user('usr_5'), { claims: [mark], confirmed: [mark] })
      assert.deepEqual(await emailUsers(mark), { confirmed: 'usr_4', claimants: ['usr_5'], isCrowded: false })
      await putUser(users(), user('usr_4', at + 9), { isUnnamed: true })
      assert.equal((await emailUsers(mark)).confirmed, undefined)
      await putUser(users(), user('usr_5', at + 1), { claims: [mark], confirmed: [mark] })
      assert.equal((await emailUsers(mark)).confirmed, 'usr_5')
    })

    test('loses a user who removes their e-mails, except those of the same write, and keeps other users', async () => {
      const [before, after, other] = [email(), email(), email()]
      await putUser(users(), user('usr_t1'), { claims: [before], confirmed: [before] })
      await putUser(users(), user('usr_t2'), { claims: [other] })
      await putUser(users(), user('usr_t1', at + 1), { claims: [after], isUnnamed: true })
      assert.deepEqual(await emailUsers(before), { claimants: [], isCrowded: false })
      assert.deepEqual(
        [(await emailUsers(after)).claimants, (await emailUsers(other)).claimants],
        [['usr_t1'], ['usr_t2']],
      )
      await putUser(users(), user('usr_t3'), { confirmed: [before] })
      assert.equal((await emailUsers(before)).confirmed, 'usr_t3')
    })
  })

  describe('a flood of users who claim an e-mail', () => {
    const flood = async (
      mark: Uint8Array,
      overallConsent: OverallConsent,
      count: number,
      name = overallConsent as string,
      seenAt = at + 100,
    ) => {
      for (let n = 0; n < count; n++) await claim(`usr_${createdCount}_${name}${n}`, mark, overallConsent, seenAt + n)
    }

    test('drops, of the users who refuse nothing, the least recently seen, and first those who were never asked', async () => {
      const mark = email()
      await claim('usr_agreed', mark, 'agrees', at)
      await claim('usr_unasked', mark, 'unasked', at + 1_000)
      await flood(mark, 'agrees', maxClaims - 1)
      const full = (await emailUsers(mark)).claimants
      assert.deepEqual(
        [full.length, full.includes('usr_agreed'), full.includes('usr_unasked')],
        [maxClaims, true, false],
      )
      await flood(mark, 'agrees', 1, 'more')
      const { claimants, isCrowded } = await emailUsers(mark)
      assert.deepEqual([claimants.length, claimants.includes('usr_agreed'), isCrowded], [maxClaims, false, false])
    })

    test('drops no user who refuses, before or after it, and adds a user who refuses later', async () => {
      const mark = email()
      await claim('usr_refused', mark, 'refuses', at)
      await flood(mark, 'agrees', 3 * maxClaims)
      await claim('usr_late', mark, 'agrees', at - 1_000)
      assert.equal((await emailUsers(mark)).claimants.includes('usr_late'), false)
      await claim('usr_late', mark, 'refuses', at - 1_000)
      const { claimants, isCrowded } = await emailUsers(mark)
      assert.ok(claimants.includes('usr_refused') && claimants.includes('usr_late'))
      assert.deepEqual([claimants.length, isCrowded], [maxClaims + 2, false])
    })

    test('of users who refuse makes it crowded: no claim is stored, and it stays crowded when they remove it', async () => {
      const mark = email()
      await flood(mark, 'refuses', maxClaims)
      assert.equal((await emailUsers(mark)).isCrowded, false)
      await flood(mark, 'refuses', 1, 'last')
      assert.deepEqual(await emailUsers(mark), { claimants: [], isCrowded: true })
      for (let n = 0; n < maxClaims; n++)
        await putUser(users(), user(`usr_${createdCount}_refuses${n}`), { isUnnamed: true })
      await claim('usr_after', mark, 'agrees')
      assert.deepEqual(await emailUsers(mark), { claimants: [], isCrowded: true })
      await putUser(users(), user('usr_shop'), { confirmed: [mark] })
      assert.deepEqual(await emailUsers(mark), { confirmed: 'usr_shop', claimants: [], isCrowded: true })
    })

    test('ends when the e-mail is not claimed for long enough', async () => {
      const mark = email()
      await flood(mark, 'refuses', maxClaims + 1)
      await claim('usr_again', mark, 'agrees', at + 9_000)
      await users().deleteCrowded(at + 9_000)
      assert.equal((await emailUsers(mark)).isCrowded, true)
      await users().deleteCrowded(at + 9_001)
      await claim('usr_again', mark, 'agrees', at + 9_002)
      assert.deepEqual(await emailUsers(mark), { claimants: ['usr_again'], isCrowded: false })
    })

    test('loses no refusal, in any order in which users claim it, change their consent and remove it', async () => {
      const step = fc.record({
        userId: fc.integer({ min: 0, max: 60 }).map((n) => `usr_p${n}`),
        overallConsent: fc.constantFrom<OverallConsent>('unasked', 'agrees', 'refuses', 'refuses'),
        seenAt: fc.integer({ min: at, max: at + 50 }),
        isUnnamed: fc.boolean(),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120, size: 'max' }), async (steps) => {
          const mark = email()
          const refusing = new Set<string>()
          let mayBeCrowded = false
          for (const { userId, overallConsent, seenAt, isUnnamed } of steps) {
            const isGone = isUnnamed && overallConsent === 'unasked'
            const lookupKeys: UserLookupKeys = isGone ? { isUnnamed } : { claims: [mark], overallConsent }
            await putUser(users(), user(`${userId}_${createdCount}`, seenAt), lookupKeys)
            if (overallConsent === 'refuses') refusing.add(`${userId}_${createdCount}`)
            else refusing.delete(`${userId}_${createdCount}`)
            mayBeCrowded ||= refusing.size > maxClaims
          }
          const { claimants, isCrowded } = await emailUsers(mark)
          assert.equal(isCrowded, mayBeCrowded)
          assert.ok(claimants.length <= 2 * maxClaims)
          if (!isCrowded) for (const userId of refusing) assert.ok(claimants.includes(userId), `${userId} is lost`)
        }),
        { numRuns: cases(15) },
      )
    })
  })
}
