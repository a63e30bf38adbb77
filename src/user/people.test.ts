import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { silent } from '#kit/log.ts'
import { claimsKept } from '#store/store.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { fakeUsers } from '../../test/fake/users.ts'
import { openPeople } from './people.ts'
import type { Naming, Profile } from './profile.ts'

const tag = { tagId: 'tag_1', teamId: 'team_1' }
const jane = { tag, userId: 'usr_jane' }
const profile = (city: string): Profile => ({ keys: { city }, custom: {}, captured: {}, seenAt: 1 })

function house() {
  const keys = openKeyring(Buffer.alloc(32, 7), 'production')
  keys.makeTeam('team_1')
  const { users, rows } = fakeUsers()
  const clock = turnedClock()
  const giveUp = new AbortController()
  const people = openPeople({ store: { users }, keys, clock, log: silent }, giveUp.signal)
  const claimed = (email: string): Naming => ({ key: people.emailKey(tag, email), isClaimed: true, isConfirmed: false })
  const confirmed = (email: string): Naming => ({ ...claimed(email), isClaimed: false, isConfirmed: true })
  /** Makes this known, and waits until it is on disk. */
  const know = async (whom: typeof jane, known: Profile, naming?: Naming) =>
    (await people.change(whom, () => known, naming)).written
  const byEmail = (email: string, of = tag) => people.byEmail(of, people.emailKey(of, email))
  /** Who is confirmed for an e-mail, and who claims it. */
  const idsOf = async (email: string) => {
    const { confirmed: owner, claimants } = await byEmail(email)
    return [owner?.userId, ...claimants.map(({ userId }) => userId)]
  }
  return { users, rows, clock, people, keys, know, claimed, confirmed, byEmail, idsOf }
}
const none = { claimants: [], isCrowded: false }
const email = 'jane@example.com'

test('what is known of a person lies sealed in the store and is read again', async () => {
  const { people, rows, know } = house()
  await know(jane, profile('Bonn'))
  const [row] = rows.values()
  assert.ok(!Buffer.from(row!.sealed).includes('Bonn'))
  assert.deepEqual(await people.get(jane), profile('Bonn'))
  assert.equal(await people.get({ tag, userId: 'usr_other' }), undefined)
})

test('what is sealed for a user of one tag opens for no other user and on no other tag', async () => {
  const { people, rows, know } = house()
  await know(jane, profile('Bonn'))
  const row = rows.get('tag_1usr_jane')!
  rows.set('tag_1usr_eve', row)
  rows.set('tag_2usr_jane', row)
  assert.equal(await people.get({ tag, userId: 'usr_eve' }), undefined)
  assert.equal(await people.get({ tag: { ...tag, tagId: 'tag_2' }, userId: 'usr_jane' }), undefined)
})

test('an e-mail leads to all who claim it, in any case, seen last first; the first confirmed is its owner', async () => {
  const { know, claimed, confirmed, byEmail, idsOf, people } = house()
  await know(jane, { ...profile('Bonn'), seenAt: 5 }, claimed(email))
  await know({ tag, userId: 'usr_second' }, { ...profile('Kiel'), seenAt: 7 }, claimed(email))
  assert.deepEqual(await idsOf(' Jane@Example.com'), [undefined, 'usr_second', 'usr_jane'])
  assert.equal((await byEmail(email)).claimants[1]?.profile.keys.city, 'Bonn')
  assert.deepEqual(await byEmail('other@example.com'), none)
  await know({ tag, userId: 'usr_shop' }, profile('Köln'), confirmed(email))
  await know(jane, { ...profile('Bonn'), seenAt: 6 }, { ...confirmed(email), isClaimed: true })
  assert.deepEqual(await idsOf(email), ['usr_shop', 'usr_second', 'usr_jane'])
  assert.equal((await people.ownerOf(tag, people.emailKey(tag, email)))?.userId, 'usr_shop')
  assert.deepEqual(await byEmail(email, { ...tag, tagId: 'tag_2' }), none)
})

test('an e-mail leads to a user before that is on disk, and the first who is confirmed is its owner there too', async () => {
  const { people, users, claimed, confirmed, byEmail, idsOf } = house()
  users.put = () => new Promise(() => {})
  await people.change(jane, () => profile('Bonn'), claimed(email))
  await people.change({ tag, userId: 'usr_b' }, () => profile('Kiel'), confirmed(email))
  await people.change({ tag, userId: 'usr_a' }, () => profile('Kiel'), confirmed(email))
  assert.deepEqual(await idsOf('JANE@example.com'), ['usr_b', 'usr_jane'])
  assert.deepEqual(await byEmail(email, { ...tag, tagId: 'tag_2' }), none)
})

test('who takes the e-mail back is found by it no more, before that is on disk and after; others may be', async () => {
  const { people, users, know, claimed, confirmed, idsOf } = house()
  const named = { ...profile('Bonn'), keys: { email } }
  await know(jane, named, { ...confirmed(email), isClaimed: true })
  const { put } = users
  const gate = Promise.withResolvers<void>()
  users.put = async (...row) => gate.promise.then(() => put(...row))
  const { written } = await people.change(jane, () => profile('Bonn'))
  assert.deepEqual(await idsOf(email), [undefined])
  gate.resolve()
  await written
  assert.deepEqual(await idsOf(email), [undefined])
  await know({ tag, userId: 'usr_second' }, named, claimed(email))
  assert.deepEqual(await idsOf(email), [undefined, 'usr_second'])
})

test('an e-mail that is given again while it is being taken back leads there', async () => {
  const { people, know, claimed, idsOf } = house()
  const named = { ...profile('Bonn'), keys: { email } }
  await know(jane, named, claimed(email))
  const first = await people.change(jane, () => profile('Bonn'))
  const second = await people.change(jane, () => named, claimed(email))
  assert.deepEqual(await idsOf(email), [undefined, 'usr_jane'])
  await Promise.all([first.written, second.written])
  assert.deepEqual(await idsOf(email), [undefined, 'usr_jane'])
})

test('a refusal counts for every e-mail that its user gave, also where a flood had taken the place of its claim', async () => {
  const { people, users, know, claimed, byEmail, idsOf } = house()
  const learn = (consent: Profile['consent']) => (known: Profile | undefined) => ({
    ...known!,
    ...(consent && { consent }),
  })
  await know(jane, { ...profile('Bonn'), keys: { email } }, claimed(email))
  await (
    await people.change(
      jane,
      (known) => ({ ...known!, keys: { email: 'new@example.com' } }),
      claimed('new@example.com'),
    )
  ).written
  for (let n = 0; n < claimsKept; n++)
    await know(
      { tag, userId: `usr_flood${n}` },
      { ...profile('Kiel'), seenAt: 9, consent: { at: 1, consent: { all: true } } },
      claimed(email),
    )
  assert.equal((await idsOf(email)).includes('usr_jane'), false)
  await (await people.change(jane, learn({ at: 2, consent: { all: true, facebook: false } }))).written
  for (const each of [email, 'new@example.com']) assert.ok((await idsOf(each)).includes('usr_jane'), each)
  users.put = () => new Promise(() => {})
  for (let n = 0; n <= 2 * claimsKept; n++)
    await people.change({ tag, userId: `usr_wave${n}` }, () => profile('Kiel'), claimed(email))
  assert.deepEqual(await byEmail(email), { claimants: [], isCrowded: true })
})

test('a user of before there were claims claims the e-mail that it was found by', async () => {
  const { people, users, keys, idsOf, claimed, know } = house()
  const old = { ...profile('Bonn'), keys: { email }, findable: true }
  const sealed = keys.team('team_1').sealUser(Buffer.from(JSON.stringify(old)), 'tag_1/usr_jane')
  const alias = keys.team('team_1').alias('tag_1', email)
  await users.put({ tagId: 'tag_1', userId: 'usr_jane', sealed, seenAt: 1 }, { claims: [alias], stance: 'refuses' })
  assert.deepEqual(await idsOf(email), [undefined, 'usr_jane'])
  const claims = [people.emailKey(tag, email)]
  assert.deepEqual(await people.get(jane), { ...profile('Bonn'), keys: { email }, claims })
  const { written } = await people.change(jane, (known) => ({ ...known!, seenAt: 2 }))
  assert.deepEqual(await idsOf(email), [undefined, 'usr_jane'])
  await written
  await know({ tag, userId: 'usr_new' }, { ...profile('Kiel'), seenAt: 3 }, claimed(email))
  assert.deepEqual(await idsOf(email), [undefined, 'usr_new', 'usr_jane'])
})

test('what is being written is known at once, and the newest is what stays', async () => {
  const { people, users, rows } = house()
  const { put } = users
  const written: number[] = []
  users.put = async (row, signs) => {
    await put(row, signs)
    written.push(row.seenAt)
  }
  const first = await people.change(jane, () => ({ ...profile('Bonn'), seenAt: 1 }))
  const second = await people.change(jane, () => ({ ...profile('Kiel'), seenAt: 2 }))
  assert.equal((await people.get(jane))?.keys.city, 'Kiel')
  await Promise.all([first.written, second.written])
  assert.deepEqual(written, [1, 2])
  assert.equal(rows.size, 1)
  assert.equal((await people.get(jane))?.keys.city, 'Kiel')
})

test('changes of one user are made one after the other, each on what the one before it left', async () => {
  const { people } = house()
  const count = (known: Profile | undefined): Profile => ({
    ...profile('Bonn'),
    custom: { n: Number(known?.custom.n ?? 0) + 1 },
  })
  await Promise.all(Array.from({ length: 20 }, () => people.change(jane, count)))
  assert.equal((await people.get(jane))?.custom.n, 20)
})

test('a change that changes nothing writes nothing', async () => {
  const { people, users, know } = house()
  await know(jane, profile('Bonn'))
  users.put = async () => assert.fail('written')
  await (await people.change(jane, (known) => known)).written
  await (await people.change(jane, () => undefined)).written
})

test('what cannot be written is written as soon as it can, and never in the place of something newer', async () => {
  const { people, users, clock } = house()
  const { put } = users
  users.put = async () => {
    throw new Error('disk full')
  }
  const first = await people.change(jane, () => profile('Bonn'))
  await clock.turn(1_000)
  const second = await people.change(jane, () => profile('Kiel'))
  users.put = put
  let isWritten = false
  void Promise.all([first.written, second.written]).then(() => {
    isWritten = true
  })
  await clock.turn(1_000)
  await until('it is written', () => isWritten)
  assert.equal((await people.get(jane))?.keys.city, 'Kiel')
})

test('a user that does not open is as good as unknown', async () => {
  const { people, rows, know } = house()
  await know(jane, profile('Bonn'))
  rows.get('tag_1usr_jane')!.sealed.fill(0)
  assert.equal(await people.get(jane), undefined)
})

test('a user that is forgotten is unknown at once, and nothing that was known before is written any more', async () => {
  const { people, users, rows, clock, claimed, byEmail } = house()
  const { put } = users
  users.put = async () => {
    throw new Error('disk full')
  }
  await people.change(jane, () => profile('Bonn'), claimed(email))
  users.put = put
  const grave = { tagId: 'tag_1', userId: 'usr_jane', sealed: new Uint8Array(), seenAt: 7 }
  await people.forget(jane, async () => void rows.set('tag_1usr_jane', grave))
  await clock.turn(5_000)
  assert.deepEqual(rows.get('tag_1usr_jane'), grave)
  assert.deepEqual(await people.find(jane), { erasedAt: 7 })
  assert.deepEqual(await byEmail(email), none)
})

test('who comes again after that is known anew, and it stays known until when all was erased', async () => {
  const { people, rows, know } = house()
  rows.set('tag_1usr_jane', { tagId: 'tag_1', userId: 'usr_jane', sealed: new Uint8Array(), seenAt: 7 })
  await know(jane, profile('Kiel'))
  assert.deepEqual(await people.find(jane), { profile: { ...profile('Kiel'), erasedAt: 7 }, erasedAt: 7 })
})
