import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { allPages, at, plannedEvent, putUser, readDue } from './store.fixture.ts'
import type { PlannedEvent, Store, StoreChange } from './store.ts'

const user = (userId: string, seenAt = at, sealed = new Uint8Array([1])) => ({ tagId: 'tag_1', userId, sealed, seenAt })
const held = (position: number, userId: string, until: number, overrides: Partial<PlannedEvent> = {}): PlannedEvent => {
  const event = plannedEvent(position, {
    userId,
    held: { waitsFor: userId, until },
    consent: { source: 'none' },
    ...overrides,
  })
  return { ...event, deliveries: event.deliveries.map((each) => ({ ...each, status: 'held', reason: 'consent' })) }
}
const places = (events: readonly { position: number; index: number }[]) =>
  events.map(({ position, index }) => [position, index])

/** The laws of every store for the data of users: events, held events, erasure and custom data. */
export function profileLaws(store: () => Store): void {
  const { write, journal } = lazily(store)

  describe('the events of a user', () => {
    test('are those with its id and those that matched it by e-mail, newest first, in pages', async () => {
      const own = [1, 3, 5].map((position) => plannedEvent(position, { userId: 'usr_list' }))
      const joined = plannedEvent(4, { userId: 'usr_server', emailMatch: 'usr_list' })
      await journal().plan([
        ...own,
        joined,
        plannedEvent(2, { userId: 'usr_else' }),
        plannedEvent(6, { tagId: 'tag_2', userId: 'usr_list' }),
      ])
      for (const limit of [1, 3, 50]) {
        const rows = await allPages(limit, (page) => journal().eventsOf('tag_1', 'usr_list', page))
        assert.deepEqual(places(rows), [
          [5, 0],
          [4, 0],
          [3, 0],
          [1, 0],
        ])
      }
      assert.equal((await journal().event('tag_1', 4, 0))?.emailMatch, 'usr_list')
    })
  })

  describe('a held event', () => {
    test('is found by the user it waits for, in order of arrival, and is not due', async () => {
      await journal().plan([
        held(12, 'usr_h1', at + 60_000),
        held(11, 'usr_h1', at + 60_000),
        held(13, 'usr_h2', at + 60_000),
      ])
      await journal().plan([held(11, 'usr_h1', at + 60_000)])
      assert.deepEqual(places(await journal().heldEvents('tag_1', 'usr_h1')), [
        [11, 0],
        [12, 0],
      ])
      assert.deepEqual(await journal().heldEvents('tag_2', 'usr_h1'), [])
      const due = await readDue({ journal: journal() }, 'scr_1', at + 1e9, 1_000)
      assert.ok(due.every(({ position }) => position < 11))
      assert.equal((await journal().event('tag_1', 11, 0))?.deliveries[0]?.status, 'held')
    })

    test('is found when its hold ends, the oldest first', async () => {
      await journal().plan([held(21, 'usr_h3', at + 20), held(22, 'usr_h3', at + 10), held(23, 'usr_h3', at + 30)])
      assert.deepEqual(places(await journal().overdueHolds(at + 9, 10)), [])
      assert.deepEqual(places(await journal().overdueHolds(at + 20, 10)), [
        [22, 0],
        [21, 0],
      ])
      assert.deepEqual(places(await journal().overdueHolds(at + 20, 1)), [[22, 0]])
    })

    test('is released with new states: pending deliveries are due from the receipt of the event, skipped ones never', async () => {
      const event = held(31, 'usr_h4', at + 1e9, { receivedAt: at + 5 })
      await journal().plan([event])
      const [first, second] = event.deliveries
      const consent = { source: 'stored', at, decided: { consent: { all: true } } } as const
      const released = {
        tagId: 'tag_1',
        position: 31,
        index: 0,
        consent,
        place: { source: 'unknown' } as const,
        deliveries: [
          { ...first!, status: 'pending' as const, reason: undefined! },
          { ...second!, status: 'skipped' as const },
        ],
      }
      await journal().release([released])
      const now = await journal().event('tag_1', 31, 0)
      assert.deepEqual(now?.consent, consent)
      assert.deepEqual(
        now?.deliveries.map(({ status, reason, nextAt }) => [status, reason, nextAt]),
        [
          ['pending', undefined, at + 5],
          ['skipped', 'consent', undefined],
        ],
      )
      assert.deepEqual(await journal().heldEvents('tag_1', 'usr_h4'), [])
    })

    test('is released once, and is not held again when its event is planned again', async () => {
      const event = held(41, 'usr_h5', at + 1e9)
      await journal().plan([event])
      const place = { tagId: 'tag_1', position: 41, index: 0, consent: event.consent, place: event.place }
      const release = () =>
        journal().release([
          { ...place, deliveries: event.deliveries.map(({ reason: _, ...each }) => ({ ...each, status: 'pending' })) },
        ])
      await release()
      await journal().settle(event.deliveries.map(({ deliveryId }) => ({ deliveryId, status: 'delivered' })))
      await release()
      await journal().plan([event])
      assert.deepEqual(
        (await journal().event('tag_1', 41, 0))?.deliveries.map(({ status }) => status),
        ['delivered', 'delivered'],
      )
      assert.deepEqual(await journal().heldEvents('tag_1', 'usr_h5'), [])
    })
  })

  describe('an erased user', () => {
    test('leaves an empty row with the time, no e-mail, and no waiting delivery', async () => {
      const alias = new Uint8Array([50])
      await putUser(store().users, user('usr_e1'), { claims: [alias], confirmed: [alias] })
      const waiting = plannedEvent(51, { userId: 'usr_e1' })
      const joined = plannedEvent(52, { userId: 'usr_server', emailMatch: 'usr_e1' })
      await journal().plan([waiting, joined, held(53, 'usr_e1', at + 1e9), plannedEvent(54, { userId: 'usr_e2' })])
      await journal().settle([{ deliveryId: waiting.deliveries[0]!.deliveryId, status: 'delivered' }])
      await write([{ erase: 'user', tagId: 'tag_1', userId: 'usr_e1', at: at + 9 }])
      assert.deepEqual(await store().users.get('tag_1', 'usr_e1'), {
        ...user('usr_e1', at + 9, new Uint8Array()),
        version: 2,
      })
      assert.deepEqual(await store().users.byEmail('tag_1', alias), { claimants: [], isCrowded: false })
      assert.deepEqual(await journal().heldEvents('tag_1', 'usr_e1'), [])
      const statusesOfEvent = async (position: number) =>
        (await journal().event('tag_1', position, 0))?.deliveries.map(({ status, reason }) =>
          [status, reason].join(' '),
        )
      assert.deepEqual(await statusesOfEvent(51), ['delivered ', 'dead erased'])
      assert.deepEqual(await statusesOfEvent(52), ['dead erased', 'dead erased'])
      assert.deepEqual(await statusesOfEvent(53), ['dead erased', 'dead erased'])
      assert.deepEqual(await statusesOfEvent(54), ['pending ', 'pending '])
    })

    test('keeps its events until they are erased too; then they have no user', async () => {
      await journal().plan([
        plannedEvent(61, { userId: 'usr_e3' }),
        plannedEvent(62, { userId: 'usr_e4', emailMatch: 'usr_e3' }),
      ])
      const [said] = (await journal().event('tag_1', 61, 0))!.deliveries
      const attempt = { deliveryId: said!.deliveryId, number: 1, at, durationMs: 1, message: 'bad page: /jane' }
      await journal().settle(
        [{ deliveryId: said!.deliveryId, status: 'refused', reason: 'payloadRefused', attempt }],
        [],
      )
      const page = { limit: 10 }
      const refs = [61, 62].map((position) => ({ tagId: 'tag_1', position, index: 0 }))
      assert.equal((await journal().eventsOf('tag_1', 'usr_e3', page)).rows.length, 2)
      await write([{ erase: 'events', events: refs }])
      assert.deepEqual((await journal().eventsOf('tag_1', 'usr_e3', page)).rows, [])
      assert.deepEqual((await journal().eventsOf('tag_1', 'usr_e4', page)).rows, [])
      const event = await journal().event('tag_1', 61, 0)
      assert.deepEqual([event?.userId, event?.emailMatch], ['(erased)', undefined])
      const attempts = event?.deliveries.flatMap((each) => each.attempts)
      assert.deepEqual(
        attempts?.map(({ message }) => message),
        [undefined],
        'a vendor may repeat what it got of the user',
      )
    })

    test('is removed from the attempts that sent its click ids, in slices', async () => {
      const events = [71, 72].map((position) => plannedEvent(position, { userId: 'usr_shop' }))
      await journal().plan([...events, plannedEvent(73, { userId: 'usr_shop', tagId: 'tag_2' })])
      const attemptOf = (deliveryId: string, joined: string) => ({
        deliveryId,
        status: 'delivered' as const,
        attempt: { deliveryId, number: 1, at, durationMs: 1, joined, message: 'of both', packed: { pack: 0, part: 3 } },
      })
      const ids = events.map(({ deliveries }) => deliveries[0]!.deliveryId)
      const pack = { tagId: 'tag_1', failed: false, at, sealed: new Uint8Array([1]) }
      await journal().settle(
        ids.map((deliveryId) => attemptOf(deliveryId, 'usr_e5')),
        [pack],
      )
      await journal().settle([attemptOf(events[0]!.deliveries[1]!.deliveryId, 'usr_else')], [pack])
      const attempts = (await journal().event('tag_1', 71, 0))!.deliveries.map((each) => each.attempts[0]?.joined)
      assert.deepEqual(attempts, ['usr_e5', 'usr_else'])
      assert.deepEqual(await journal().joins('tag_2', 'usr_e5', 10), [])
      assert.equal((await journal().joins('tag_1', 'usr_e5', 1)).length, 1)
      const joins = await journal().joins('tag_1', 'usr_e5', 10)
      assert.deepEqual(
        joins.map(({ deliveryId, number, bodies }) => [deliveryId, number, bodies?.part]),
        ids.map((deliveryId) => [deliveryId, 1, 3]),
      )
      await write([{ erase: 'joins', joins }])
      assert.deepEqual(await journal().joins('tag_1', 'usr_e5', 10), [])
      assert.equal((await journal().joins('tag_1', 'usr_else', 10)).length, 1)
      const messages = (await journal().event('tag_1', 71, 0))!.deliveries.map((each) => each.attempts[0]?.message)
      assert.deepEqual(messages, [undefined, 'of both'])
    })

    test('without a profile is erased like any other', async () => {
      await write([{ erase: 'user', tagId: 'tag_never', userId: 'usr_x', at }])
      assert.equal((await store().users.get('tag_never', 'usr_x'))?.sealed.length, 0)
    })
  })

  describe('a write of a user', () => {
    const write = (userId: string, basedOn: number, seenAt = at) => ({ user: user(userId, seenAt), basedOn })

    test('is stored only if it is based on the stored version, which then grows by one', async () => {
      const { users } = store()
      assert.deepEqual(await users.put([write('usr_v1', 1)]), [false])
      assert.deepEqual(await users.put([write('usr_v1', 0)]), [true])
      assert.deepEqual(await users.put([write('usr_v1', 0, at + 1), write('usr_v1', 1, at + 2)]), [false, true])
      assert.deepEqual(await users.put([write('usr_v1', 1, at + 3)]), [false])
      assert.deepEqual(await users.get('tag_1', 'usr_v1'), { ...user('usr_v1', at + 2), version: 2 })
    })

    test('that is not stored changes no lookup key, and does not affect the others', async () => {
      const { users } = store()
      const marks = [151, 152].map((n) => new Uint8Array([n]))
      await putUser(users, user('usr_v2'))
      const lookupKeys = { claims: [marks[0]!], customs: [marks[0]!], isUnnamed: true }
      const stale = { ...write('usr_v2', 7), lookupKeys }
      const fresh = { ...write('usr_v3', 0), lookupKeys: { claims: [marks[1]!] } }
      assert.deepEqual(await users.put([stale, fresh]), [false, true])
      const found = await users.byEmails('tag_1', marks)
      assert.deepEqual(
        found.map(({ claimants }) => claimants),
        [[], ['usr_v3']],
      )
      assert.deepEqual(await users.byCustom('tag_1', marks[0]!, 10), [])
    })

    test('of a user who was erased or dropped meanwhile is not stored', async () => {
      const { users } = store()
      await users.put([write('usr_v4', 0), write('usr_v5', 0)])
      await store().write([
        { erase: 'user', tagId: 'tag_1', userId: 'usr_v4', at: at + 9 },
        { drop: 'user', tagId: 'tag_1', userId: 'usr_v5', seenAt: at },
      ])
      assert.deepEqual(await users.put([write('usr_v4', 1), write('usr_v5', 1)]), [false, false])
      assert.equal((await users.get('tag_1', 'usr_v4'))?.sealed.length, 0)
      assert.equal(await users.get('tag_1', 'usr_v5'), undefined)
    })

    test('users are read at once as one by one', async () => {
      const { users } = store()
      await users.put([write('usr_v6', 0), write('usr_v7', 0)])
      const found = await users.getMany('tag_1', ['usr_v6', 'usr_never', 'usr_v7'])
      assert.deepEqual([...found.keys()].sort(), ['usr_v6', 'usr_v7'])
      assert.deepEqual(found.get('usr_v6'), await users.get('tag_1', 'usr_v6'))
      assert.equal((await users.getMany('tag_2', ['usr_v6'])).size, 0)
    })

    test('users are listed page by page, each once, with what was written last', async () => {
      const { users } = store()
      const ids = ['usr_p1', 'usr_p2', 'usr_p3']
      const inTag = (userId: string, basedOn: number) => {
        return { user: { ...user(userId), tagId: 'tag_pages' }, basedOn }
      }
      await users.put([...ids.map((userId) => inTag(userId, 0)), write('usr_p9', 0)])
      await users.put([inTag('usr_p2', 1)])
      const first = await users.usersAfter('tag_pages', '', 2)
      const rest = await users.usersAfter('tag_pages', first.at(-1)!.userId, 2)
      assert.deepEqual([first.length, rest.length], [2, 1])
      const listed = [...first, ...rest]
      assert.deepEqual(listed.map(({ userId }) => userId).sort(), ids)
      for (const each of listed) assert.deepEqual(each, await users.get('tag_pages', each.userId))
      assert.deepEqual(await users.usersAfter('tag_pages', rest[0]!.userId, 2), [])
    })
  })

  describe('users with custom data', () => {
    test('are found by any of their values; new values replace earlier ones, and a deleted user has none', async () => {
      const marks = [81, 82, 83].map((n) => new Uint8Array([n]))
      const found = (n: number, limit = 10) => store().users.byCustom('tag_1', marks[n]!, limit)
      await putUser(store().users, user('usr_c1'), { customs: marks.slice(0, 2) })
      await putUser(store().users, user('usr_c2'), { customs: marks.slice(1) })
      await putUser(store().users, user('usr_c1', at + 1))
      assert.deepEqual(
        [await found(0), await found(1), await found(1, 1)],
        [['usr_c1'], ['usr_c1', 'usr_c2'], ['usr_c1']],
      )
      assert.deepEqual(await store().users.byCustom('tag_2', marks[0]!, 10), [])
      await putUser(store().users, user('usr_c1', at + 2), { customs: marks.slice(2) })
      assert.deepEqual([await found(0), await found(1), await found(2)], [[], ['usr_c2'], ['usr_c1', 'usr_c2']])
      await write([{ erase: 'user', tagId: 'tag_1', userId: 'usr_c1', at: at + 9 }])
      await write([{ drop: 'user', tagId: 'tag_1', userId: 'usr_c2', seenAt: at }])
      assert.deepEqual([await found(1), await found(2)], [[], []])
    })
  })

  describe('users who were not seen', () => {
    test('are listed with those erased long ago, in slices', async () => {
      const before = { seenBefore: at - 1_000_000, erasedBefore: at - 1_000 }
      await putUser(store().users, user('usr_old', at - 2_000_000))
      await putUser(store().users, user('usr_new', at - 500_000))
      await putUser(store().users, user('usr_grave', at - 2_000, new Uint8Array()))
      await putUser(store().users, user('usr_freshGrave', at - 500, new Uint8Array()))
      await store().users.nextTag('')
      const unseen = await store().users.unseen('tag_1', before, 10)
      assert.deepEqual(unseen.map(({ userId }) => userId).sort(), ['usr_grave', 'usr_old'])
      assert.deepEqual(
        unseen.find(({ userId }) => userId === 'usr_old'),
        { tagId: 'tag_1', userId: 'usr_old', seenAt: at - 2_000_000 },
      )
      assert.equal((await store().users.unseen('tag_1', before, 1)).length, 1)
      assert.deepEqual(await store().users.unseen('tag_9', before, 1), [])
    })

    test('are found tag by tag: each tag with users is the next one of another, once', async () => {
      for (const tagId of ['tag_1', 'tag_2', 'tag_7']) await putUser(store().users, { ...user('usr_next'), tagId })
      const found: string[] = []
      for (let next = await store().users.nextTag(''); next !== undefined; next = await store().users.nextTag(next))
        found.push(next)
      assert.equal(new Set(found).size, found.length)
      for (const tagId of ['tag_1', 'tag_2', 'tag_7']) assert.ok(found.includes(tagId), tagId)
    })

    test('are dropped with their e-mails, unless they were seen since', async () => {
      const [gone, stays] = [new Uint8Array([71]), new Uint8Array([72])]
      await putUser(store().users, user('usr_d1'), { claims: [gone] })
      await putUser(store().users, user('usr_d2', at + 5), { claims: [stays], confirmed: [stays] })
      const drop = (userId: string): StoreChange => ({ drop: 'user', tagId: 'tag_1', userId, seenAt: at })
      await write([drop('usr_d1'), drop('usr_d2')])
      assert.equal(await store().users.get('tag_1', 'usr_d1'), undefined)
      assert.deepEqual((await store().users.byEmail('tag_1', gone)).claimants, [])
      assert.equal((await store().users.get('tag_1', 'usr_d2'))?.seenAt, at + 5)
      const { confirmed, claimants } = await store().users.byEmail('tag_1', stays)
      assert.deepEqual([confirmed, claimants], ['usr_d2', ['usr_d2']])
    })
  })
}

const lazily = (store: () => Store) => ({
  journal: () => store().journal,
  write: (changes: readonly StoreChange[]) => store().write(changes),
})
