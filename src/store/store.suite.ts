import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Fault } from '#contract/fault.ts'
import { accountLaws } from './accounts.suite.ts'
import { attemptLaws } from './attempts.suite.ts'
import { findingLaws } from './deliveryQueries.suite.ts'
import { emailLaws } from './emails.suite.ts'
import { eventSearchLaws } from './eventSearch.suite.ts'
import { hostileTextLaws } from './hostileTexts.suite.ts'
import { incidentLaws } from './incidents.suite.ts'
import { journalLaws } from './journal.suite.ts'
import { orderLaws } from './orders.suite.ts'
import { plannedDeliveryLaws } from './plannedDeliveries.suite.ts'
import { policyLaws } from './policy.suite.ts'
import { replayLaws } from './replays.suite.ts'
import { retentionLaws } from './retention.suite.ts'
import {
  allPages,
  at,
  baseChanges,
  deployment,
  putUser,
  type StoreLocation,
  script,
  secret,
  tag,
  team,
  token,
} from './store.fixture.ts'
import { Conflict, type Store, type StoreChange } from './store.ts'
import { tagLaws } from './tag.suite.ts'
import { profileLaws } from './users.suite.ts'
import { runLaws } from './webhookRuns.suite.ts'

/** The laws of every store. `createLocation` returns an empty location. */
export function storeLaws(adapter: string, createLocation: () => Promise<StoreLocation>): void {
  describe(`a store on ${adapter}`, () => {
    writeLaws(createLocation)
    readLaws(createLocation)
    tagLaws(opened(createLocation))
    hostileTextLaws(opened(createLocation))
    userLaws(createLocation)
    accountLaws(createLocation)
    incidentLaws(createLocation)
    attemptLaws(createLocation)
    profileLaws(opened(createLocation))
    const emailStore = opened(createLocation)
    emailLaws(() => emailStore().users)
    journalLaws(createLocation)
    plannedDeliveryLaws(createLocation)
    replayLaws(createLocation)
    findingLaws(createLocation)
    retentionLaws(createLocation)
    eventSearchLaws(createLocation)
    policyLaws(opened(createLocation))
    orderLaws(opened(createLocation))
    runLaws(opened(createLocation))
  })
}

/** A store for the tests of one block. Each test uses different rows. */
export function opened(createLocation: () => Promise<StoreLocation>): () => Store {
  let location: StoreLocation
  let store: Store
  before(async () => {
    location = await createLocation()
    store = await location.open()
  })
  after(async () => {
    await store.close()
    await location.remove()
  })
  return () => store
}

const conflict = (unique: Conflict['unique']) => (error: unknown) =>
  error instanceof Conflict && error.unique === unique

function writeLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('write', () => {
    const store = opened(createLocation)
    before(() => store().write(baseChanges))

    test('the changes of one write are atomic', async () => {
      const changes: StoreChange[] = [
        { add: 'tag', row: tag(20) },
        { put: 'setting', name: 'half', value: 'written' },
        { add: 'tag', row: { ...tag(21), name: tag(20).name } },
      ]
      await assert.rejects(store().write(changes), conflict('tag.name'))
      assert.equal(await store().tag('tag_20'), undefined)
      assert.equal(await store().setting('half'), undefined)
    })

    test('a failed write does not affect other concurrent writes', async () => {
      const writes = await Promise.allSettled([
        store().write([{ put: 'setting', name: 'before', value: '1' }]),
        store().write([{ add: 'tag', row: { ...tag(30), name: tag().name } }]),
        store().write([{ put: 'setting', name: 'after', value: '2' }]),
      ])
      assert.deepEqual(
        writes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.equal(await store().setting('before'), '1')
      assert.equal(await store().setting('after'), '2')
    })

    test('a tag name is unique in a team, and may be used in another team', async () => {
      const taken = store().write([{ add: 'tag', row: { ...tag(40), name: tag().name } }])
      await assert.rejects(taken, conflict('tag.name'))
      await store().write([
        { add: 'team', row: team(2) },
        { add: 'tag', row: { ...tag(41, 'team_2'), name: tag().name } },
      ])
    })

    test('a script name is unique on a tag, also after a rename', async () => {
      await store().write([
        { add: 'tag', row: tag(50) },
        { put: 'script', row: script(50, 'tag_50') },
        { put: 'script', row: script(51, 'tag_50') },
        { put: 'script', row: { ...script(52), name: script(50).name } },
      ])
      const renamed = store().write([{ put: 'script', row: { ...script(51, 'tag_50'), name: script(50).name } }])
      await assert.rejects(renamed, conflict('script.name'))
      assert.deepEqual(await store().script('scr_51'), script(51, 'tag_50'))
    })

    test('a deployment number is unique on a tag', async () => {
      await store().write([{ add: 'deployment', row: deployment(7) }])
      await assert.rejects(store().write([{ add: 'deployment', row: deployment(7) }]), conflict('deployment.number'))
    })

    test('a duplicate id is the conflict other', async () => {
      await assert.rejects(store().write([{ add: 'team', row: team() }]), conflict('other'))
    })

    test('a row of an unknown team is refused, but not with a conflict', async () => {
      const orphan = store().write([{ add: 'token', row: { ...token(60), teamId: 'team_none' } }])
      await assert.rejects(orphan, (error: Error) => !(error instanceof Conflict))
      assert.equal(await store().tokenById('tok_60'), undefined)
    })

    test('an audit row has its object and IP address, and a row without a team is in no team’s audit', async () => {
      await store().write([
        { add: 'audit', row: { at, by: 'tok_1', what: 'createTag', teamId: 'team_1', object: 'tag_1', from: '::1' } },
        { add: 'audit', row: { at, by: 'operator', what: 'createTeam' } },
      ])
      const { rows } = await store().audit('team_1', { limit: 10 })
      const stored = rows.map(({ by, what, object, from }) => ({ by, what, object, from }))
      assert.deepEqual(stored, [{ by: 'tok_1', what: 'createTag', object: 'tag_1', from: '::1' }])
    })
  })

  test('written rows persist after the store is reopened', async () => {
    const location = await createLocation()
    const before = await location.open()
    await before.write([...baseChanges, { put: 'script', row: script() }, { add: 'secret', row: secret() }])
    await before.close()
    const store = await location.open()
    assert.deepEqual(await store.team('team_1'), team())
    assert.deepEqual(await store.tag('tag_1'), tag())
    assert.deepEqual(await store.script('scr_1'), script())
    assert.deepEqual(await store.secret({ secretId: 'sec_1', version: 1 }), secret())
    await store.close()
    await location.remove()
  })

  test('closing completes earlier writes and refuses later ones', async () => {
    const location = await createLocation()
    const store = await location.open()
    const pendingWrite = store.write([{ put: 'setting', name: 'last', value: 'word' }])
    await Promise.all([pendingWrite, store.close()])
    await assert.rejects(store.write([{ put: 'setting', name: 'late', value: 'word' }]), /closed/)
    const again = await location.open()
    assert.equal(await again.setting('last'), 'word')
    assert.equal(await again.setting('late'), undefined)
    await again.close()
    await location.remove()
  })
}

function readLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('read', () => {
    const store = opened(createLocation)
    before(() => store().write(baseChanges))

    test('an unknown row is undefined, and an unknown list is empty', async () => {
      assert.equal(await store().team('team_none'), undefined)
      assert.equal(await store().person('operator'), undefined)
      assert.equal(await store().token(new Uint8Array(32)), undefined)
      assert.equal(await store().secret({ secretId: 'sec_1', version: 9 }), undefined)
      assert.equal(await store().deployment('tag_none'), undefined)
      assert.deepEqual(await store().scripts('tag_none', { limit: 5 }), { rows: [] })
      assert.deepEqual(await store().sealingKeys(), [])
    })

    test('a person is found by role', async () => {
      const row = { personId: 'per_1', name: 'Operator', role: 'operator', createdAt: at } as const
      await store().write([{ add: 'person', row }])
      assert.deepEqual(await store().person('operator'), row)
    })

    test('a token is found by hash and by id, and keeps the time of its first revocation', async () => {
      await store().write([{ add: 'token', row: token() }])
      assert.deepEqual(await store().token(token().hash), token())
      await store().write([{ revoke: 'token', tokenId: 'tok_1', at: at + 5 }])
      await store().write([{ revoke: 'token', tokenId: 'tok_1', at: at + 9 }])
      assert.deepEqual(await store().tokenById('tok_1'), { ...token(), revokedAt: at + 5 })
    })

    test('a put replaces a script completely: omitted fields are unset', async () => {
      const { scriptId, tagId, teamId, name, providerId, createdAt } = script()
      const bare = { scriptId, tagId, teamId, name: `${name}!`, providerId, secrets: {}, createdAt, version: 4 }
      await store().write([{ put: 'script', row: script() }])
      await store().write([{ put: 'script', row: bare }])
      assert.deepEqual(await store().script(scriptId), bare)
    })

    test('a dropped script is deleted, and its secret is kept for the deployments that refer to it', async () => {
      await store().write([
        { put: 'script', row: script(2) },
        { add: 'secret', row: secret(2) },
      ])
      await store().write([{ drop: 'script', scriptId: 'scr_2' }])
      assert.equal(await store().script('scr_2'), undefined)
      assert.deepEqual(await store().secret({ secretId: 'sec_1', version: 2 }), secret(2))
    })

    test('the newest deployment of a tag is the one with the highest number', async () => {
      await store().write([
        { add: 'tag', row: tag(2) },
        { add: 'deployment', row: deployment(1) },
        { add: 'deployment', row: deployment(2, 'tag_2') },
        { add: 'deployment', row: deployment(10) },
        { add: 'deployment', row: deployment(9) },
      ])
      assert.deepEqual(await store().deployment('tag_1'), deployment(10))
      const newest = (await store().deployments()).map(({ tagId, number }) => [tagId, number])
      assert.deepEqual(newest.sort(), [
        ['tag_1', 10],
        ['tag_2', 2],
      ])
    })

    test('a put changes the state of a sealing key', async () => {
      const sealedPrivate = new Uint8Array([1, 2])
      const pair = { kid: 'k1', state: 'next', publicJwk: '{}', sealedPrivate, createdAt: at } as const
      await store().write([{ put: 'sealingKey', row: pair }])
      await store().write([{ put: 'sealingKey', row: { ...pair, state: 'active' } }])
      assert.deepEqual(await store().sealingKeys(), [{ ...pair, state: 'active' }])
    })

    test('the pages of a list contain every row once, newest first', async () => {
      const rows = Array.from({ length: 7 }, (_, n) => script(100 + n, 'tag_9'))
      await store().write([{ add: 'tag', row: tag(9) }, ...rows.map((row): StoreChange => ({ put: 'script', row }))])
      for (const limit of [1, 2, 3, 7, 50]) {
        const read = await allPages(limit, (page) => store().scripts('tag_9', page))
        assert.deepEqual(read, rows.toReversed())
      }
    })

    test('adding rows while a list is paged neither repeats nor hides a row', async () => {
      await store().write([
        { add: 'team', row: team(8) },
        ...[81, 82, 83].map((n): StoreChange => ({ add: 'tag', row: tag(n, 'team_8') })),
      ])
      const first = await store().tags('team_8', { limit: 2 })
      await store().write([{ add: 'tag', row: tag(84, 'team_8') }])
      const second = await store().tags('team_8', { limit: 2, cursor: first.next! })
      assert.deepEqual(
        [...first.rows, ...second.rows].map(({ tagId }) => tagId),
        ['tag_83', 'tag_82', 'tag_81'],
      )
      assert.equal(second.next, undefined)
    })

    test('a malformed cursor is badRequest with the path cursor', async () => {
      for (const cursor of [
        '',
        'x',
        '!!',
        Buffer.from('1.2').toString('base64url'),
        Buffer.from("1'--").toString('base64url'),
      ])
        await assert.rejects(store().scripts('tag_1', { cursor, limit: 5 }), (error) => {
          const issues = error instanceof Fault && (error.attributes?.issues as { path: string }[])
          return issues && issues[0]?.path === 'cursor'
        })
    })
  })
}

function userLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('users', () => {
    const store = opened(createLocation)
    const user = (userId: string, tagId = 'tag_1') => ({ tagId, userId, sealed: new Uint8Array([1, 2, 3]), seenAt: at })

    test('a user is found only on its tag', async () => {
      await putUser(store().users, user('usr_1'))
      assert.deepEqual(await store().users.get('tag_1', 'usr_1'), { ...user('usr_1'), version: 1 })
      assert.equal(await store().users.get('tag_2', 'usr_1'), undefined)
      assert.equal(await store().users.get('tag_1', 'usr_9'), undefined)
    })

    test('a put replaces a user', async () => {
      const later = { ...user('usr_2'), sealed: new Uint8Array([9]), seenAt: at + 1 }
      await putUser(store().users, user('usr_2'))
      await putUser(store().users, later)
      assert.deepEqual(await store().users.get('tag_1', 'usr_2'), { ...later, version: 2 })
    })
  })
}

/** The laws of a store that several processes open at once. */
export function sharedStoreLaws(createLocation: () => Promise<StoreLocation>): void {
  test('of two writers that open one store and change one version, one is told that it is stale', async () => {
    const location = await createLocation()
    const handles = [await location.open(), await location.open()]
    try {
      for (let version = 0; version < 5; version++) {
        const results = await Promise.all(
          handles.map(({ users }, n) =>
            users.put([
              {
                user: { tagId: 'tag_1', userId: 'usr_1', sealed: new Uint8Array([1, 2, 3]), seenAt: at + n },
                basedOn: version,
              },
            ]),
          ),
        )
        assert.deepEqual(results.flat().sort(), [false, true])
      }
      for (const { users } of handles) assert.equal((await users.get('tag_1', 'usr_1'))?.version, 5)
    } finally {
      for (const handle of handles) await handle.close()
      await location.remove()
    }
  })
}
