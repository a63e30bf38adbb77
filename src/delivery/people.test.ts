import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { silent } from '#kit/log.ts'
import type { UserRecord, Users } from '#store/store.ts'
import type { Profile } from '#user/profile.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { knownPeople } from './people.ts'

const tag = { tagId: 'tag_1', teamId: 'team_1' }
const jane = { tag, userId: 'usr_jane' }
const profile = (city: string): Profile => ({ keys: { city }, custom: {}, captured: {}, seenAt: 1 })

function house() {
  const keys = openKeyring(Buffer.alloc(32, 7), 'production')
  keys.makeTeam('team_1')
  const rows = new Map<string, UserRecord>()
  const aliases = new Map<string, string>()
  const users: Users = {
    get: async (tagId, userId) => rows.get(tagId + userId),
    byAlias: async (tagId, alias) => aliases.get(tagId + Buffer.from(alias).toString('hex')),
    async put(row, given) {
      rows.set(row.tagId + row.userId, row)
      for (const alias of given) {
        const key = row.tagId + Buffer.from(alias).toString('hex')
        if (!aliases.has(key)) aliases.set(key, row.userId)
      }
    },
  }
  const clock = turnedClock()
  const giveUp = new AbortController()
  const on = { store: { users } as never, keys, clock, log: silent }
  return { users, rows, clock, giveUp, people: knownPeople(on, giveUp.signal) }
}

test('what is known of a person lies sealed in the store and is read again', async () => {
  const { people, rows } = house()
  await people.put(jane, profile('Bonn'))
  const [row] = rows.values()
  assert.ok(!Buffer.from(row!.sealed).includes('Bonn'))
  assert.deepEqual(await people.get(jane), profile('Bonn'))
  assert.equal(await people.get({ tag, userId: 'usr_other' }), undefined)
})

test('a user is found by the e-mail in any case; the first who was known by it keeps it', async () => {
  const { people } = house()
  await people.put(jane, profile('Bonn'), 'jane@example.com')
  await people.put({ tag, userId: 'usr_second' }, profile('Kiel'), 'jane@example.com')
  assert.deepEqual(await people.byEmail(tag, ' Jane@Example.com'), { userId: 'usr_jane', profile: profile('Bonn') })
  assert.equal(await people.byEmail(tag, 'other@example.com'), undefined)
})

test('what is being written is known at once, and the newest is what stays', async () => {
  const { people, users } = house()
  const { put } = users
  const written: number[] = []
  users.put = async (row, aliases) => {
    await put(row, aliases)
    written.push(row.seenAt)
  }
  const both = [
    people.put(jane, { ...profile('Bonn'), seenAt: 1 }),
    people.put(jane, { ...profile('Kiel'), seenAt: 2 }),
  ]
  assert.equal((await people.get(jane))?.keys.city, 'Kiel')
  await Promise.all(both)
  assert.deepEqual(written, [1, 2])
  assert.equal((await people.get(jane))?.keys.city, 'Kiel')
})

test('what cannot be written is written as soon as it can, and never in the place of something newer', async () => {
  const { people, users, clock } = house()
  const { put } = users
  users.put = async () => {
    throw new Error('disk full')
  }
  const first = people.put(jane, profile('Bonn'))
  await clock.turn(1_000)
  const second = people.put(jane, profile('Kiel'))
  users.put = put
  let isWritten = false
  void Promise.all([first, second]).then(() => {
    isWritten = true
  })
  await clock.turn(1_000)
  await until('it is written', () => isWritten)
  assert.equal((await people.get(jane))?.keys.city, 'Kiel')
})

test('a user that does not open is as good as unknown', async () => {
  const { people, rows } = house()
  await people.put(jane, profile('Bonn'))
  rows.get('tag_1usr_jane')!.sealed.fill(0)
  assert.equal(await people.get(jane), undefined)
})
