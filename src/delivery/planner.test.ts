import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsIn, openRecord } from '#event/record.ts'
import { until } from '../../test/fake/clock.ts'
import { accept, ends, keys, manyEvents, openHouse } from '../../test/fake/house.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

test('of a repeat that lies beside a fresh event nothing but its names is kept, and it is not sent', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.start()
  const told = { userEmail: 'jane@example.com' }
  await accept(on, anEvent(on.clock.now(), { eventId: 'first', ...told }))
  await ends(on, 'delivered 1', 'first')
  const both = ['first', 'second'].map((eventId) => anEvent(on.clock.now(), { eventId, ...told }))
  await accept(on, both, { userIds: ['usr_1', 'usr_2'] })
  await ends(on, 'delivered 1', 'second')
  const place = (await on.disk.stream.find(keys.team('team_1').eventKey('tag_1', 'second', false)))!
  const kept = async () =>
    eventsIn(openRecord((await on.disk.stream.read(place.position))!.payload, 'tag_1', 'team_1', keys))
  await until('the repeat is purged', async () => (await kept())[0]!.isErased)
  const [repeat, fresh] = await kept()
  assert.deepEqual([repeat?.event.eventId, repeat?.event.userEmail], ['first', undefined])
  assert.equal(fresh?.event.userEmail, 'jane@example.com')
  assert.equal(on.sent.length, 2)
})

test('an event is delivered while what it says of its user is being written, and its body is settled after that', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  const writing = Promise.withResolvers<void>()
  const people = {
    ...on.disk.people,
    change: async (...of: Parameters<typeof on.disk.people.change>) => {
      const { written } = await on.disk.people.change(...of)
      return { written: Promise.all([written, writing.promise]).then(() => {}) }
    },
  }
  on.start({ people })
  await accept(on, anEvent(on.clock.now(), { userEmail: 'jane@example.com' }))
  await ends(on, 'delivered 1')
  assert.equal(on.disk.stream.waiting(), 1)
  writing.resolve()
  await until('the body is settled', () => on.disk.stream.waiting() === 0)
})

test('while a large body is planned others have their turn', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  const planned: number[] = []
  const people = {
    ...on.disk.people,
    async find(...of: Parameters<typeof on.disk.people.find>) {
      planned.push(turns)
      void on.clock.turn(1)
      return on.disk.people.find(...of)
    },
  }
  await accept(on, manyEvents(on, 100))
  turn()
  on.start({ people })
  await ends(on, 'delivered 1', 'event-99')
  isOver = true
  const seen = new Set(planned.slice(0, 100)) // what comes after looks them up to send them
  assert.ok(seen.size >= 10, `planned in ${seen.size} turns`)
})
