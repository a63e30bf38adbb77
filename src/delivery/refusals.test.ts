import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { EventContext } from '#event/record.ts'
import { acceptEvents, type DeliveryHarness, journeyOf, openDeliveryHarness } from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const consent = (all: boolean) => ({ storage: { service: { consent: { all } } } })
const email = { userEmail: 'jane@example.com' }
const device = (userId: string): Partial<EventContext> => ({ origin: 'https://shop.example', userId })
const trusted: Partial<EventContext> = { trusted: true, hasExplicitUserId: false, userId: 'usr_server' }

type Sent = [event: object, context: Partial<EventContext>]

/** The events before the refusal, and the event that is decided after it, by column of the table. */
const events: Record<string, { before: Sent[]; event: Sent }> = {
  'event with consent, from the device': { before: [], event: [{ ...email, ...consent(true) }, device('usr_jane')] },
  'event without, from a device that agreed': {
    before: [[{ ...email, ...consent(true) }, device('usr_jane')]],
    event: [email, device('usr_jane')],
  },
  'trusted event with consent': { before: [], event: [{ ...email, ...consent(true) }, trusted] },
  'trusted event without, the person agreed by a trusted call': {
    before: [[{ ...email, ...consent(true) }, trusted]],
    event: [email, trusted],
  },
  'trusted event without, only devices that claim the e-mail agreed': {
    before: [[{ ...email, ...consent(true) }, device('usr_jane')]],
    event: [email, trusted],
  },
}

/** How each person refuses, by row of the table. */
const refusals: Record<string, Sent[]> = {
  nobody: [],
  'the device itself': [[{ ...email, ...consent(false) }, device('usr_jane')]],
  'a stranger with the e-mail, without a token': [[{ ...email, ...consent(false) }, device('usr_eve')]],
  'a trusted call with the e-mail': [[{ ...email, ...consent(false) }, trusted]],
  'a device that a trusted call joined to the e-mail': [
    [email, { trusted: true, userId: 'usr_phone' }],
    [consent(false), device('usr_phone')],
  ],
}

async function send(harness: DeliveryHarness, [event, context]: Sent, n: number): Promise<string> {
  const eventId = `event-${n}`
  await acceptEvents(harness, anEvent(harness.clock.now() + n, { eventId, ...event }), context)
  for (;;) {
    const status = (await journeyOf(harness, eventId))?.deliveries[0]?.status
    if (status === 'delivered' || status === 'skipped') return status
    await new Promise(setImmediate)
  }
}

/** The table of docs/consent.md: its head, and one row per refusing person. */
function readTable(): { columns: string[]; rows: [who: string, ...effects: string[]][] } {
  const text = readFileSync(new URL('../../docs/consent.md', import.meta.url), 'utf8')
  const [head, , ...rows] = text
    .slice(text.indexOf('| who refused |'))
    .split('\n\n')[0]!
    .trim()
    .split('\n')
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
  return { columns: head!.slice(1), rows: rows as [string, ...string[]][] }
}

const table = readTable()

test('the table of refusals has a row for each who may refuse, and a column for each event', () => {
  assert.deepEqual(table.columns, Object.keys(events))
  assert.deepEqual(
    table.rows.map(([who]) => who),
    Object.keys(refusals),
  )
})

for (const [who, ...effects] of table.rows)
  for (const [at, effect] of effects.entries())
    test(`${who} refused: the ${table.columns[at]} is ${effect}`, async () => {
      const harness = await openDeliveryHarness(aTag([aScript('scr_1')], { consent: 'enabled' }))
      harness.start()
      const { before, event } = events[table.columns[at]!]!
      let n = 0
      for (const sent of [...before, ...refusals[who]!]) await send(harness, sent, ++n)
      assert.equal(await send(harness, event, ++n), effect)
    })
