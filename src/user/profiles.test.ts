import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { silentLog } from '#kit/log.ts'
import { maxClaims } from '#store/store.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { fakeUsers } from '../../test/fake/users.ts'
import type { EmailAssociation, Profile } from './profile.ts'
import { openProfiles } from './profiles.ts'

const tag = { tagId: 'tag_1', teamId: 'team_1' }
const jane = { tag, userId: 'usr_jane' }
const profile = (city: string): Profile => ({ keys: { city }, custom: {}, captured: {}, seenAt: 1 })

function openTestProfiles({ users, rows } = fakeUsers()) {
  const keys = openKeyring(Buffer.alloc(32, 7), 'production')
  keys.createTeamKey('team_1')
  const clock = turnedClock()
  const giveUp = new AbortController()
  const profiles = openProfiles(
    { store: { users }, keys, clock, log: silentLog, eventProfile: async () => undefined },
    giveUp.signal,
  )
  const claimed = (email: string): EmailAssociation => ({
    key: profiles.emailKey(tag, email),
    isClaimed: true,
    isConfirmed: false,
  })
  const confirmed = (email: string): EmailAssociation => ({ ...claimed(email), isClaimed: false, isConfirmed: true })
  /** Stores a profile and waits until it is on disk. */
  const store = async (user: typeof jane, known: Profile, association?: EmailAssociation) =>
    (await profiles.change(user, () => known, association)).written
  const byEmail = (email: string, of = tag) => profiles.byEmail(of, profiles.emailKey(of, email))
  /** The confirmed user of an e-mail, and the users who claim it. */
  const idsOf = async (email: string) => {
    const { confirmed: owner, claimants } = await byEmail(email)
    return [owner?.userId, ...claimants.map(({ userId }) => userId)]
  }
  return { users, rows, clock, profiles, keys, store, claimed, confirmed, byEmail, idsOf }
}
const none = { claimants: [], isCrowded: false }
const email = 'jane@example.com'

test('a profile is encrypted in the store and is read again', async () => {
  const { profiles, rows, store } = openTestProfiles()
  await store(jane, profile('Bonn'))
  const [row] = rows.values()
  assert.ok(!Buffer.from(row!.sealed).includes('Bonn'))
  assert.deepEqual(await profiles.get(jane), profile('Bonn'))
  assert.equal(await profiles.get({ tag, userId: 'usr_other' }), undefined)
})

test('the encrypted profile of a user does not open for another user or on another tag', async () => {
  const { profiles, rows, store } = openTestProfiles()
  await store(jane, profile('Bonn'))
  const row = rows.get('tag_1usr_jane')!
  rows.set('tag_1usr_eve', row)
  rows.set('tag_2usr_jane', row)
  assert.equal(await profiles.get({ tag, userId: 'usr_eve' }), undefined)
  assert.equal(await profiles.get({ tag: { ...tag, tagId: 'tag_2' }, userId: 'usr_jane' }), undefined)
})

test('an e-mail, in any case, finds all users who claim it, the last seen first, and its owner is the first confirmed user', async () => {
  const { store, claimed, confirmed, byEmail, idsOf, profiles } = openTestProfiles()
  await store(jane, { ...profile('Bonn'), seenAt: 5 }, claimed(email))
  await store({ tag, userId: 'usr_second' }, { ...profile('Kiel'), seenAt: 7 }, claimed(email))
  assert.deepEqual(await idsOf(' Jane@Example.com'), [undefined, 'usr_second', 'usr_jane'])
  assert.equal((await byEmail(email)).claimants[1]?.profile.keys.city, 'Bonn')
  assert.deepEqual(await byEmail('other@example.com'), none)
  await store({ tag, userId: 'usr_shop' }, profile('Köln'), confirmed(email))
  await store(jane, { ...profile('Bonn'), seenAt: 6 }, { ...confirmed(email), isClaimed: true })
  assert.deepEqual(await idsOf(email), ['usr_shop', 'usr_second', 'usr_jane'])
  const keys = [email, 'other@example.com'].map((each) => profiles.emailKey(tag, each))
  assert.equal((await profiles.ownerOf(tag, keys[0]!))?.userId, 'usr_shop')
  assert.deepEqual(await profiles.ownerIdsOf(tag, keys), ['usr_shop', undefined])
  assert.deepEqual(await byEmail(email, { ...tag, tagId: 'tag_2' }), none)
})

test('an e-mail finds users that are not on disk yet, and its owner is the first confirmed user', async () => {
  const { profiles, users, claimed, confirmed, byEmail, idsOf } = openTestProfiles()
  users.put = () => new Promise(() => {})
  await profiles.change(jane, () => profile('Bonn'), claimed(email))
  await profiles.change({ tag, userId: 'usr_b' }, () => profile('Kiel'), confirmed(email))
  await profiles.change({ tag, userId: 'usr_a' }, () => profile('Kiel'), confirmed(email))
  assert.deepEqual(await idsOf('JANE@example.com'), ['usr_b', 'usr_jane'])
  assert.deepEqual(await profiles.ownerIdsOf(tag, [profiles.emailKey(tag, email)]), ['usr_b'])
  assert.deepEqual(await byEmail(email, { ...tag, tagId: 'tag_2' }), none)
})

test('a user who removes the e-mail is not found by it, before and after the write, and other users are', async () => {
  const { profiles, users, store, claimed, confirmed, idsOf } = openTestProfiles()
  const withEmail = { ...profile('Bonn'), keys: { email } }
  await store(jane, withEmail, { ...confirmed(email), isClaimed: true })
  const { put } = users
  const gate = Promise.withResolvers<void>()
  users.put = async (...row) => gate.promise.then(() => put(...row))
  const { written } = await profiles.change(jane, () => profile('Bonn'))
  assert.deepEqual(await idsOf(email), [undefined])
  gate.resolve()
  await written
  assert.deepEqual(await idsOf(email), [undefined])
  await store({ tag, userId: 'usr_second' }, withEmail, claimed(email))
  assert.deepEqual(await idsOf(email), [undefined, 'usr_second'])
})

test('an e-mail that is given again during its removal finds the user', async () => {
  const { profiles, store, claimed, idsOf } = openTestProfiles()
  const withEmail = { ...profile('Bonn'), keys: { email } }
  await store(jane, withEmail, claimed(email))
  const first = await profiles.change(jane, () => profile('Bonn'))
  const second = await profiles.change(jane, () => withEmail, claimed(email))
  assert.deepEqual(await idsOf(email), [undefined, 'usr_jane'])
  await Promise.all([first.written, second.written])
  assert.deepEqual(await idsOf(email), [undefined, 'usr_jane'])
})

test('a refusal counts for every e-mail of its user, also where a flood of claims has displaced the claim of the user', async () => {
  const { profiles, users, store, claimed, byEmail, idsOf } = openTestProfiles()
  const withConsent = (consent: Profile['consent']) => (known: Profile | undefined) => ({
    ...known!,
    ...(consent && { consent }),
  })
  await store(jane, { ...profile('Bonn'), keys: { email } }, claimed(email))
  await (
    await profiles.change(
      jane,
      (known) => ({ ...known!, keys: { email: 'new@example.com' } }),
      claimed('new@example.com'),
    )
  ).written
  for (let n = 0; n < maxClaims; n++)
    await store(
      { tag, userId: `usr_flood${n}` },
      { ...profile('Kiel'), seenAt: 9, consent: { at: 1, consent: { all: true } } },
      claimed(email),
    )
  assert.equal((await idsOf(email)).includes('usr_jane'), false)
  await (await profiles.change(jane, withConsent({ at: 2, consent: { all: true, facebook: false } }))).written
  for (const each of [email, 'new@example.com']) assert.ok((await idsOf(each)).includes('usr_jane'), each)
  users.put = () => new Promise(() => {})
  for (let n = 0; n <= 2 * maxClaims; n++)
    await profiles.change({ tag, userId: `usr_wave${n}` }, () => profile('Kiel'), claimed(email))
  assert.deepEqual(await byEmail(email), { claimants: [], isCrowded: true })
})

test('a profile is readable before it is written, and the newest is stored', async () => {
  const { profiles, users, rows } = openTestProfiles()
  const { put } = users
  const written: number[] = []
  users.put = (writes) => {
    written.push(...writes.map(({ user }) => user.seenAt))
    return put(writes)
  }
  const first = await profiles.change(jane, () => ({ ...profile('Bonn'), seenAt: 1 }))
  const second = await profiles.change(jane, () => ({ ...profile('Kiel'), seenAt: 2 }))
  assert.equal((await profiles.get(jane))?.keys.city, 'Kiel')
  await Promise.all([first.written, second.written])
  assert.deepEqual(written, [2])
  assert.equal(rows.size, 1)
  assert.equal((await profiles.get(jane))?.keys.city, 'Kiel')
})

test('changes of one user run one after the other, each on the result of the one before', async () => {
  const { profiles } = openTestProfiles()
  const count = (known: Profile | undefined): Profile => ({
    ...profile('Bonn'),
    custom: { n: Number(known?.custom.n ?? 0) + 1 },
  })
  await Promise.all(Array.from({ length: 20 }, () => profiles.change(jane, count)))
  assert.equal((await profiles.get(jane))?.custom.n, 20)
})

test('a change without a difference writes nothing', async () => {
  const { profiles, users, store } = openTestProfiles()
  await store(jane, profile('Bonn'))
  users.put = async () => assert.fail('written')
  await (await profiles.change(jane, (known) => known)).written
  await (await profiles.change(jane, () => undefined)).written
})

test('a failed write is retried, and never replaces a newer profile', async () => {
  const { profiles, users, clock } = openTestProfiles()
  const { put } = users
  users.put = async () => {
    throw new Error('disk full')
  }
  const first = await profiles.change(jane, () => profile('Bonn'))
  await clock.turn(1_000)
  const second = await profiles.change(jane, () => profile('Kiel'))
  users.put = put
  let isWritten = false
  void Promise.all([first.written, second.written]).then(() => {
    isWritten = true
  })
  await clock.turn(1_000)
  await until('it is written', () => isWritten)
  assert.equal((await profiles.get(jane))?.keys.city, 'Kiel')
})

test('a profile that cannot be decrypted is ignored', async () => {
  const { profiles, rows, store } = openTestProfiles()
  await store(jane, profile('Bonn'))
  rows.get('tag_1usr_jane')!.sealed.fill(0)
  assert.equal(await profiles.get(jane), undefined)
})

test('an erased user is unknown at once, and its pending writes are cancelled', async () => {
  const { profiles, users, rows, clock, claimed, byEmail } = openTestProfiles()
  const { put } = users
  users.put = async () => {
    throw new Error('disk full')
  }
  await profiles.change(jane, () => profile('Bonn'), claimed(email))
  users.put = put
  const erasureMark = { tagId: 'tag_1', userId: 'usr_jane', sealed: new Uint8Array(), seenAt: 7, version: 1 }
  await profiles.forget(jane, async () => void rows.set('tag_1usr_jane', erasureMark))
  await clock.turn(5_000)
  assert.deepEqual(rows.get('tag_1usr_jane'), erasureMark)
  assert.deepEqual(await profiles.find(jane), { erasedAt: 7, version: 1 })
  assert.deepEqual(await byEmail(email), none)
})

test('an erased user who returns gets a new profile that keeps the time of the erasure', async () => {
  const { profiles, rows, store } = openTestProfiles()
  rows.set('tag_1usr_jane', { tagId: 'tag_1', userId: 'usr_jane', sealed: new Uint8Array(), seenAt: 7, version: 1 })
  await store(jane, profile('Kiel'))
  assert.deepEqual(await profiles.find(jane), {
    profile: { ...profile('Kiel'), erasedAt: 7 },
    erasedAt: 7,
    version: 2,
  })
})
