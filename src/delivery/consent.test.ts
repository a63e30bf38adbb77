import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventContext } from '#event/record.ts'
import { accept, ends, type House, journeyOf, openHouse } from '../../test/fake/house.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const yes = { storage: { service: { consent: { all: true } } } }
const no = { storage: { service: { consent: { all: false } } } }
const jane = { userEmail: 'jane@example.com' }
const asking = async () => {
  const on = await openHouse(aTag([aScript('scr_1')], { consent: 'enabled' }))
  on.start()
  return on
}

let made = 0
/** Sends an event and waits until it is decided: how it ended. */
async function outcome(on: House, more: object, context: Partial<EventContext> = {}): Promise<string> {
  const eventId = `event-${++made}`
  await accept(on, anEvent(on.clock.now() + made, { eventId, ...more }), context)
  await ends(on, await decided(on, eventId), eventId)
  return (await journeyOf(on, eventId))!.deliveries[0]!.status
}
async function decided(on: House, eventId: string): Promise<string> {
  for (;;) {
    const delivery = (await journeyOf(on, eventId))?.deliveries[0]
    if (delivery?.status === 'skipped') return 'skipped consent 0'
    if (delivery?.status === 'delivered') return 'delivered 1'
    await new Promise(setImmediate)
  }
}
const browser: Partial<EventContext> = { origin: 'https://shop.example', userId: 'usr_browser' }
const offline: Partial<EventContext> = { presented: false, userId: 'usr_server' }

describe('the consent of an event', () => {
  test('is stored where the caller presented the id: the next event without one goes by it', async () => {
    const on = await asking()
    assert.equal(await outcome(on, {}, browser), 'skipped')
    assert.equal(await outcome(on, yes, browser), 'delivered')
    assert.equal(await outcome(on, {}, browser), 'delivered')
    assert.equal(await outcome(on, no, browser), 'skipped')
    assert.equal(await outcome(on, {}, browser), 'skipped')
  })

  test('is not stored where nobody presented an id: it decides for that event alone', async () => {
    const on = await asking()
    assert.equal(await outcome(on, yes, offline), 'delivered')
    assert.equal(await outcome(on, {}, { ...offline, presented: true }), 'skipped')
  })

  test('never loosens what a user refused who is found by the e-mail, and is not stored for it', async () => {
    const on = await asking()
    await outcome(on, { ...jane, ...no }, browser)
    assert.equal(await outcome(on, { ...jane, ...yes }, offline), 'skipped')
    assert.equal(await outcome(on, { ...jane, ...yes }, { userId: 'usr_eve' }), 'skipped')
    assert.equal(await outcome(on, {}, browser), 'skipped')
    assert.equal(await outcome(on, {}, { userId: 'usr_eve' }), 'skipped')
  })

  test('of a trusted call is stored for the user of the e-mail, and changes nothing for who only claims it', async () => {
    const on = await asking()
    await outcome(on, { ...jane, ...no }, browser)
    assert.equal(await outcome(on, { ...jane, ...yes }, { ...offline, trusted: true }), 'delivered')
    assert.equal(await outcome(on, jane, { ...offline, trusted: true }), 'delivered')
    assert.equal(await outcome(on, {}, browser), 'skipped')
  })

  test('of a page is stored, and of those who are known by the e-mail the user of a trusted call decides about it', async () => {
    const on = await asking()
    await outcome(on, { ...jane, ...no }, { ...offline, trusted: true })
    assert.equal(await outcome(on, { ...jane, ...yes }, browser), 'skipped')
    await outcome(on, { ...jane, ...yes }, { ...offline, trusted: true })
    assert.equal(await outcome(on, { ...jane, ...yes }, browser), 'delivered')
  })
})

test('an offline purchase goes by the consent of the browser that claims its e-mail, and its journey says since when', async () => {
  const on = await asking()
  for (const trusted of [false, true]) assert.equal(await outcome(on, jane, { ...offline, trusted }), 'skipped')
  const at = on.clock.now()
  await outcome(on, { ...jane, ...yes }, browser)
  for (const trusted of [false, true]) {
    assert.equal(await outcome(on, jane, { ...offline, trusted }), 'delivered')
    const { consent } = (await journeyOf(on, `event-${made}`))!
    assert.deepEqual(consent, { source: 'stored', at, decided: { consent: { all: true } }, joinedBy: 'email' })
  }
})
