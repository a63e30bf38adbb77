import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { silent } from '#kit/log.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { fakeUsers } from '../../test/fake/users.ts'
import { openPeople } from './people.ts'
import type { Profile } from './profile.ts'

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
  /** Makes this known, and waits until it is on disk. */
  const know = async (whom: typeof jane, known: Profile, email?: string) =>
    (await people.change(whom, () => known, email)).written
  return { users, rows, clock, people, know }
}

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

test('a user is found by the e-mail in any case; the first who was known by it keeps it', async () => {
  const { people, know } = house()
  await know(jane, profile('Bonn'), 'jane@example.com')
  await know({ tag, userId: 'usr_second' }, profile('Kiel'), 'jane@example.com')
  assert.deepEqual(await people.byEmail(tag, ' Jane@Example.com'), { userId: 'usr_jane', profile: profile('Bonn') })
  assert.equal(await people.byEmail(tag, 'other@example.com'), undefined)
})

test('a user can be found by the e-mail before that is on disk', async () => {
  const { people, users } = house()
  users.put = () => new Promise(() => {})
  await people.change(jane, () => profile('Bonn'), 'jane@example.com')
  assert.equal((await people.byEmail(tag, 'JANE@example.com'))?.userId, 'usr_jane')
  assert.equal(await people.byEmail({ ...tag, tagId: 'tag_2' }, 'jane@example.com'), undefined)
})

test('who takes the e-mail back is found by it no more, before that is on disk and after; others may be', async () => {
  const { people, users, know } = house()
  const named = { ...profile('Bonn'), keys: { email: 'jane@example.com' } }
  const found = async () => (await people.byEmail(tag, 'jane@example.com'))?.userId
  await know(jane, named, 'jane@example.com')
  const { put } = users
  const gate = Promise.withResolvers<void>()
  users.put = async (...row) => gate.promise.then(() => put(...row))
  const { written } = await people.change(jane, () => profile('Bonn'))
  assert.equal(await found(), undefined)
  gate.resolve()
  await written
  assert.equal(await found(), undefined)
  await know({ tag, userId: 'usr_second' }, named, 'jane@example.com')
  assert.equal(await found(), 'usr_second')
})

test('an e-mail that is given again while it is being taken back leads there', async () => {
  const { people, know } = house()
  const named = { ...profile('Bonn'), keys: { email: 'jane@example.com' } }
  await know(jane, named, 'jane@example.com')
  const first = await people.change(jane, () => profile('Bonn'))
  const second = await people.change(jane, () => named, 'jane@example.com')
  assert.equal((await people.byEmail(tag, 'jane@example.com'))?.userId, 'usr_jane')
  await Promise.all([first.written, second.written])
  assert.equal((await people.byEmail(tag, 'jane@example.com'))?.userId, 'usr_jane')
})

test('what is being written is known at once, and the newest is what stays', async () => {
  const { people, users, rows } = house()
  const { put } = users
  const written: number[] = []
  users.put = async (row, aliases) => {
    await put(row, aliases)
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
  const { people, users, rows, clock } = house()
  const { put } = users
  users.put = async () => {
    throw new Error('disk full')
  }
  await people.change(jane, () => profile('Bonn'), 'jane@example.com')
  users.put = put
  const grave = { tagId: 'tag_1', userId: 'usr_jane', sealed: new Uint8Array(), seenAt: 7 }
  await people.forget(jane, async () => void rows.set('tag_1usr_jane', grave))
  await clock.turn(5_000)
  assert.deepEqual(rows.get('tag_1usr_jane'), grave)
  assert.deepEqual(await people.find(jane), { erasedAt: 7 })
  assert.equal(await people.byEmail(tag, 'jane@example.com'), undefined)
})

test('who comes again after that is known anew, and it stays known until when all was erased', async () => {
  const { people, rows, know } = house()
  rows.set('tag_1usr_jane', { tagId: 'tag_1', userId: 'usr_jane', sealed: new Uint8Array(), seenAt: 7 })
  await know(jane, profile('Kiel'))
  assert.deepEqual(await people.find(jane), { profile: { ...profile('Kiel'), erasedAt: 7 }, erasedAt: 7 })
})
