import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Fault } from '#contract/fault.ts'
import { accountLaws } from './accounts.suite.ts'
import { emailLaws } from './emails.suite.ts'
import { findingLaws } from './found.suite.ts'
import { journalLaws } from './journal.suite.ts'
import { peopleLaws } from './people.suite.ts'
import { policyLaws } from './policy.suite.ts'
import { replayLaws } from './replays.suite.ts'
import { allPages, at, deployment, ground, type StoreHome, script, secret, tag, team, token } from './store.fixture.ts'
import { type Change, Conflict, type Store } from './store.ts'
import { tagLaws } from './tag.suite.ts'

/** What every store obeys. `makeHome` gives an empty place. */
export function storeLaws(adapter: string, makeHome: () => Promise<StoreHome>): void {
  describe(`a store on ${adapter}`, () => {
    writeLaws(makeHome)
    readLaws(makeHome)
    tagLaws(opened(makeHome))
    userLaws(makeHome)
    accountLaws(makeHome)
    peopleLaws(opened(makeHome))
    const ofEmails = opened(makeHome)
    emailLaws(() => ofEmails().users)
    journalLaws(makeHome)
    replayLaws(makeHome)
    findingLaws(makeHome)
    policyLaws(opened(makeHome))
  })
}

/** A store for the tests of one block, each of which makes rows of its own. */
export function opened(makeHome: () => Promise<StoreHome>): () => Store {
  let home: StoreHome
  let store: Store
  before(async () => {
    home = await makeHome()
    store = await home.open()
  })
  after(async () => {
    await store.close()
    await home.remove()
  })
  return () => store
}

const conflict = (unique: Conflict['unique']) => (error: unknown) =>
  error instanceof Conflict && error.unique === unique

function writeLaws(makeHome: () => Promise<StoreHome>): void {
  describe('write', () => {
    const store = opened(makeHome)
    before(() => store().write(ground))

    test('changes written together stand or fall together', async () => {
      const changes: Change[] = [
        { add: 'tag', row: tag(20) },
        { put: 'setting', name: 'half', value: 'written' },
        { add: 'tag', row: { ...tag(21), name: tag(20).name } },
      ]
      await assert.rejects(store().write(changes), conflict('tag.name'))
      assert.equal(await store().tag('tag_20'), undefined)
      assert.equal(await store().setting('half'), undefined)
    })

    test('a write that fails takes no other with it, though they come in the same moment', async () => {
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

    test('a tag name is taken once in a team, and again in another team', async () => {
      const taken = store().write([{ add: 'tag', row: { ...tag(40), name: tag().name } }])
      await assert.rejects(taken, conflict('tag.name'))
      await store().write([
        { add: 'team', row: team(2) },
        { add: 'tag', row: { ...tag(41, 'team_2'), name: tag().name } },
      ])
    })

    test('a script name is taken once on a tag, also by a change of name', async () => {
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

    test('a deployment number is taken once on a tag', async () => {
      await store().write([{ add: 'deployment', row: deployment(7) }])
      await assert.rejects(store().write([{ add: 'deployment', row: deployment(7) }]), conflict('deployment.number'))
    })

    test('an id that is there already is a conflict without a name', async () => {
      await assert.rejects(store().write([{ add: 'team', row: team() }]), conflict('other'))
    })

    test('what hangs on a team that is not there is refused, and is no conflict', async () => {
      const orphan = store().write([{ add: 'token', row: { ...token(60), teamId: 'team_none' } }])
      await assert.rejects(orphan, (error: Error) => !(error instanceof Conflict))
      assert.equal(await store().tokenById('tok_60'), undefined)
    })

    test('an audit row is kept with and without team, object and address', async () => {
      await store().write([
        { add: 'audit', row: { at, by: 'tok_1', what: 'createTag', teamId: 'team_1', object: 'tag_1', from: '::1' } },
        { add: 'audit', row: { at, by: 'operator', what: 'createTeam' } },
      ])
    })
  })

  test('what was written is there after the store is opened again', async () => {
    const home = await makeHome()
    const before = await home.open()
    await before.write([...ground, { put: 'script', row: script() }, { add: 'secret', row: secret() }])
    await before.close()
    const store = await home.open()
    assert.deepEqual(await store.team('team_1'), team())
    assert.deepEqual(await store.tag('tag_1'), tag())
    assert.deepEqual(await store.script('scr_1'), script())
    assert.deepEqual(await store.secret({ secretId: 'sec_1', version: 1 }), secret())
    await store.close()
    await home.remove()
  })

  test('closing writes what was asked before and refuses what comes after', async () => {
    const home = await makeHome()
    const store = await home.open()
    const asked = store.write([{ put: 'setting', name: 'last', value: 'word' }])
    await Promise.all([asked, store.close()])
    await assert.rejects(store.write([{ put: 'setting', name: 'late', value: 'word' }]), /closed/)
    const again = await home.open()
    assert.equal(await again.setting('last'), 'word')
    assert.equal(await again.setting('late'), undefined)
    await again.close()
    await home.remove()
  })
}

function readLaws(makeHome: () => Promise<StoreHome>): void {
  describe('read', () => {
    const store = opened(makeHome)
    before(() => store().write(ground))

    test('what is not there is undefined, and a list of it is empty', async () => {
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

    test('a token is found by its hash and its id, and stays revoked since it first was', async () => {
      await store().write([{ add: 'token', row: token() }])
      assert.deepEqual(await store().token(token().hash), token())
      await store().write([{ revoke: 'token', tokenId: 'tok_1', at: at + 5 }])
      await store().write([{ revoke: 'token', tokenId: 'tok_1', at: at + 9 }])
      assert.deepEqual(await store().tokenById('tok_1'), { ...token(), revokedAt: at + 5 })
    })

    test('a script that is put again is replaced whole: what is left out is unset', async () => {
      const { scriptId, tagId, teamId, name, providerId, createdAt } = script()
      const bare = { scriptId, tagId, teamId, name: `${name}!`, providerId, secrets: {}, createdAt }
      await store().write([{ put: 'script', row: script() }])
      await store().write([{ put: 'script', row: bare }])
      assert.deepEqual(await store().script(scriptId), bare)
    })

    test('a script that is dropped is gone, its secret stays for the deployments that refer to it', async () => {
      await store().write([
        { put: 'script', row: script(2) },
        { add: 'secret', row: secret(2) },
      ])
      await store().write([{ drop: 'script', scriptId: 'scr_2' }])
      assert.equal(await store().script('scr_2'), undefined)
      assert.deepEqual(await store().secret({ secretId: 'sec_1', version: 2 }), secret(2))
    })

    test('the newest deployment of a tag is the one of the highest number', async () => {
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

    test('a sealing key that is put again changes its state', async () => {
      const sealedPrivate = new Uint8Array([1, 2])
      const pair = { kid: 'k1', state: 'next', publicJwk: '{}', sealedPrivate, createdAt: at } as const
      await store().write([{ put: 'sealingKey', row: pair }])
      await store().write([{ put: 'sealingKey', row: { ...pair, state: 'active' } }])
      assert.deepEqual(await store().sealingKeys(), [{ ...pair, state: 'active' }])
    })

    test('the pages of a list hold every row once, newest first', async () => {
      const rows = Array.from({ length: 7 }, (_, n) => script(100 + n, 'tag_9'))
      await store().write([{ add: 'tag', row: tag(9) }, ...rows.map((row): Change => ({ put: 'script', row }))])
      for (const limit of [1, 2, 3, 7, 50]) {
        const read = await allPages(limit, (page) => store().scripts('tag_9', page))
        assert.deepEqual(read, rows.toReversed())
      }
    })

    test('what is added while a list is paged through neither repeats nor hides a row', async () => {
      await store().write([
        { add: 'team', row: team(8) },
        ...[81, 82, 83].map((n): Change => ({ add: 'tag', row: tag(n, 'team_8') })),
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

    test('a broken cursor is a bad request that names the cursor', async () => {
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

function userLaws(makeHome: () => Promise<StoreHome>): void {
  describe('users', () => {
    const store = opened(makeHome)
    const user = (userId: string, tagId = 'tag_1') => ({ tagId, userId, sealed: new Uint8Array([1, 2, 3]), seenAt: at })

    test('a user is known to the tag it was put on and to no other', async () => {
      await store().users.put(user('usr_1'))
      assert.deepEqual(await store().users.get('tag_1', 'usr_1'), user('usr_1'))
      assert.equal(await store().users.get('tag_2', 'usr_1'), undefined)
      assert.equal(await store().users.get('tag_1', 'usr_9'), undefined)
    })

    test('a user that is put again is replaced', async () => {
      const later = { ...user('usr_2'), sealed: new Uint8Array([9]), seenAt: at + 1 }
      await store().users.put(user('usr_2'))
      await store().users.put(later)
      assert.deepEqual(await store().users.get('tag_1', 'usr_2'), later)
    })
  })
}
