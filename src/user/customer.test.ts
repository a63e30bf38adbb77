import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import {
  type Customer,
  deviceUserId,
  findCustomer,
  maxCustomerEmails,
  namedUser,
  withCustomerEmail,
} from './customer.ts'
import type { EmailKey, Profile } from './profile.ts'
import type { KnownUser } from './profiles.ts'

const now = Date.UTC(2026, 10, 20)
const dayMs = 86_400_000
const tag = { tagId: 'tag_1', teamId: 'team_1' }
const key = 'customer 4711' as EmailKey
const other = 'customer 12' as EmailKey
const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')

const aProfile = (more: Partial<Profile> = {}): Profile => ({
  keys: {},
  custom: {},
  captured: {},
  seenAt: now,
  ...more,
})
const aUser = (userId: string, more: Partial<Profile> = {}): KnownUser => ({ userId, profile: aProfile(more) })

const aCustomer = (more: Partial<Customer> = {}): Customer => ({
  key,
  users: [],
  ownUser: { userId: 'usr_own' },
  isCrowded: false,
  isShared: false,
  ...more,
})

test('a customer id names its latest device, then the owner of the e-mail, then the user of the id', () => {
  const owner = aUser('usr_owner')
  const named = (customer: Customer | undefined, emailOwner?: KnownUser) => namedUser(customer, emailOwner)?.userId
  assert.equal(named(aCustomer({ users: [aUser('usr_phone'), aUser('usr_old')] }), owner), 'usr_phone')
  assert.equal(named(aCustomer(), owner), 'usr_owner')
  assert.equal(named(aCustomer(), aUser('usr_owner', { customerKey: key })), 'usr_owner')
  assert.equal(named(aCustomer()), 'usr_own')
})

test('the owner of an e-mail who belongs to another customer is not named by a customer id', () => {
  assert.equal(namedUser(aCustomer(), aUser('usr_owner', { customerKey: other }))?.userId, 'usr_own')
})

test('a customer id that many people share names nobody, an e-mail beside it still does', () => {
  const shared = aCustomer({ isShared: true })
  assert.equal(namedUser(shared, aUser('usr_owner', { customerKey: other }))?.userId, 'usr_owner')
  assert.equal(namedUser(shared, undefined), undefined)
})

/** Finds a customer whose users and own record are these. */
const find = (claimants: readonly KnownUser[], own?: Profile, email?: EmailKey) =>
  findCustomer(
    tag,
    { customerId: '4711', email, at: now },
    {
      keys,
      profiles: {
        emailKey: () => key,
        byEmail: async () => ({ claimants, isCrowded: true }),
        find: async () => (own ? { profile: own, version: 1 } : { version: 0 }),
      },
    },
  )

test('the devices of a customer come in the order of their last visit, without those of another customer', async () => {
  const visited = (userId: string, daysAgo: number, customerKey = key) =>
    aUser(userId, {
      customerKey,
      session: { sessionId: 'ses_1', startedAt: now, at: now - daysAgo * dayMs } as Profile['session'] & object,
    })
  const { users } = await find([visited('usr_old', 9), visited('usr_new', 1), visited('usr_sold', 0, other)])
  assert.deepEqual(
    users.map(({ userId }) => userId),
    ['usr_new', 'usr_old'],
  )
})

test('an eleventh e-mail within 30 days makes a customer id shared, and an old one does not count', async () => {
  const emails = (count: number, daysAgo: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`mail ${at}`, now - daysAgo * dayMs]))
  const users = [aUser('usr_phone', { customerKey: key })]
  const found = (days: number, email: string) =>
    find(users, aProfile({ customerEmails: emails(maxCustomerEmails, days) }), email as EmailKey)
  const known = await found(29, 'mail 3')
  assert.deepEqual([known.isShared, known.isCrowded, known.users.length], [false, true, 1])
  const eleventh = await found(29, 'new')
  assert.deepEqual([eleventh.isShared, eleventh.isCrowded, eleventh.users.length], [true, false, 0])
  assert.equal((await found(30, 'new')).isShared, false)
})

test('an e-mail of a customer is recorded once a day, and no more than eleven are kept, the newest', () => {
  const first = withCustomerEmail(undefined, 'mail' as EmailKey, now)!
  assert.equal(withCustomerEmail(first, 'mail' as EmailKey, now + dayMs - 1), first)
  assert.deepEqual(withCustomerEmail(first, 'mail' as EmailKey, now + dayMs)?.customerEmails, { mail: now + dayMs })
  let record: Profile | undefined
  for (let n = 0; n < 14; n++) record = withCustomerEmail(record, `mail ${n}` as EmailKey, now + n)
  assert.deepEqual(
    Object.keys(record!.customerEmails!),
    Array.from({ length: 11 }, (_, at) => `mail ${at + 3}`),
  )
})

test('a device id that is a UUID is the user id itself, in lower case; another is digested for each tag', () => {
  const uuid = '9B2E6C1A-0000-4000-8000-ABCDEF012345'
  assert.equal(deviceUserId(tag, uuid, keys), uuid.toLowerCase())
  const [one, two] = ['tag_1', 'tag_2'].map((tagId) => deviceUserId({ ...tag, tagId }, 'phone 1', keys))
  assert.match(one!, /^usr_/)
  assert.notEqual(one, two)
})
