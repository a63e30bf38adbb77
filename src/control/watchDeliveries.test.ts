import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { readEventStream } from '#contract/eventStream.ts'
import { until } from '../../test/fake/clock.ts'
import {
  type Customer,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  withChangedDeps,
} from '../../test/fake/testControl.ts'
import { makeEvent } from '../../test/fake/testEvents.ts'

const control = await openTestControl()
after(control.close)
const { clock } = control
const { store, intakeLog } = control.environments.production

type Message = { event: string; id: string; data: Record<string, unknown> }

/** Advances the clock while a stream waits for it, because queries take real time. */
const advanceUntil = (what: string, isDone: () => boolean) =>
  until(what, async () => {
    if (clock.sleeping() > 0) await clock.turn(500)
    return isDone()
  })

/** Opens a stream and collects its messages until it is cut. */
async function watch({ token, teamId, tagId }: Customer, query = '', lastEventId?: string) {
  const cutting = new AbortController()
  const headers = {
    authorization: `Bearer ${token}`,
    'team-id': teamId,
    ...(lastEventId && { 'last-event-id': lastEventId }),
  }
  const url = `/v1/tag/${tagId}/live${query}`
  const opening = control.app.inject({ url, headers, payloadAsStream: true, signal: cutting.signal })
  let isOpen = false
  void opening.finally(() => {
    isOpen = true
  })
  await advanceUntil('the stream opens', () => isOpen)
  const answer = await opening
  assert.equal(answer.statusCode, 200)
  const messages: Message[] = []
  const reading = (async () => {
    const body = Readable.toWeb(answer.stream()) as ReadableStream<Uint8Array>
    for await (const message of readEventStream(body)) messages.push(message as Message)
  })().catch(() => {})
  const cut = async () => {
    cutting.abort()
    await reading
    await clock.turn(500)
  }
  const ids = () => messages.map(({ data }) => data.eventId)
  return { messages, cut, ids }
}

const makeEvents = async (customer: Customer, ...eventIds: string[]) => {
  for (const eventId of eventIds) await makeEvent(control, customer, eventId)
}

test('each message has an id of its own; whoever resumes after any of them misses nothing and gets nothing twice', async () => {
  const customer = await makeCustomer(control)
  const first = await watch(customer)
  const all = ['one', 'two', 'three', 'four', 'five', 'six']
  await makeEvents(customer, ...all)
  await advanceUntil('all messages', () => first.messages.length === all.length)
  const idList = first.messages.map(({ id }) => id)
  assert.equal(new Set(idList).size, all.length)
  for (const [n, id] of idList.entries()) {
    const again = await watch(customer, '', id)
    await makeEvents(customer, `after ${n}`)
    await advanceUntil('the last message', () => again.ids().includes(`after ${n}`))
    const since = Array.from({ length: n + 1 }, (_, m) => `after ${m}`)
    assert.deepEqual(again.ids(), [...all.slice(n + 1), ...since])
    await again.cut()
  }
  await first.cut()
})

test('a stream that was cut gets what came while nobody watched', async () => {
  const customer = await makeCustomer(control)
  const first = await watch(customer)
  await makeEvents(customer, 'one')
  await advanceUntil('the first message', () => first.messages.length === 1)
  await first.cut()
  await makeEvents(customer, 'two', 'three')
  const again = await watch(customer, '', first.messages[0]!.id)
  await advanceUntil('the others', () => again.messages.length === 2)
  assert.deepEqual(again.ids(), ['two', 'three'])
  await again.cut()
})

test('without the messages that the server kept, a stream resumes from the journal and misses nothing', async () => {
  const customer = await makeCustomer(control)
  const first = await watch(customer)
  await makeEvents(customer, 'one')
  await advanceUntil('the first message', () => first.messages.length === 1)
  await first.cut()
  // The feed of a tag without streams is dropped after two minutes, when the next stream opens.
  await until('the stream has ended', async () => {
    await clock.turn(500)
    return clock.sleeping() === 0
  })
  await clock.turn(121_000)
  await makeEvents(customer, 'two', 'three')
  const again = await watch(customer, '', first.messages[0]!.id)
  await makeEvents(customer, 'four')
  await advanceUntil('the others', () => again.ids().includes('four'))
  assert.deepEqual(again.ids(), ['two', 'three', 'four'])
  assert.equal(new Set(again.messages.map(({ id }) => id)).size, 3)
  await again.cut()
})

test('a stream ends when its tag is deleted', async () => {
  const customer = await makeCustomer(control)
  const stream = await watch(customer)
  await callControl(control, 'deleteTag', customer, { values: { tagId: customer.tagId } })
  await advanceUntil('the end', () => stream.messages.length > 0)
  assert.deepEqual([stream.messages[0]?.event, stream.messages[0]?.data.message], ['closed', 'Tag not found.'])
  await stream.cut()
})

test('several streams of a tag share one look at the journal', async () => {
  const customer = await makeCustomer(control)
  let polls = 0
  const queries: typeof store.queries = (teamId) => {
    const own = store.queries(teamId)
    return {
      ...own,
      watch: async (...asked) => {
        polls++
        return own.watch(...asked)
      },
    }
  }
  await withChangedDeps(control, { store: { ...store, queries } }, async () => {
    const streams = await Promise.all(Array.from({ length: 5 }, () => watch(customer)))
    const before = polls
    for (let n = 1; n <= 3; n++) await advanceUntil('a look', () => polls > before + n - 1)
    assert.ok(polls - before <= 4, `${polls - before} polls`)
    await makeEvents(customer, 'shared')
    await advanceUntil('everybody gets it', () => streams.every(({ messages }) => messages.length === 1))
    assert.equal(new Set(streams.map(({ messages }) => messages[0]!.id)).size, 1)
    for (const { cut } of streams) await cut()
  })
})

test('a stream sends the kinds that it asks for, each as the event that it names', async () => {
  const customer = await makeCustomer(control)
  const { tagId } = customer
  const scriptId = await makeScript(control, customer, { name: 'sink' })
  const all = await watch(customer, '?kinds=event,refusal,delivery,channel,deployment')
  const deliveries = await watch(customer, '?eventName=Nothing')
  // Later polls are compared with the first one.
  await until('the streams wait', () => clock.sleeping() > 0)
  await clock.turn(500)
  await until('the streams wait again', () => clock.sleeping() > 0)
  await makeEvents(customer, 'live')
  intakeLog.addRefusal(tagId, { code: 'ORIGIN_REFUSED', method: 'POST', path: '/tag' })
  await callControl(control, 'pauseScript', customer, { values: { scriptId } })
  await callControl(control, 'deployTag', customer, { values: { tagId } })
  const kinds = () => new Set(all.messages.map(({ event }) => event))
  await advanceUntil('every kind', () => kinds().size === 5)
  const dataOf = (kind: string) => all.messages.find(({ event }) => event === kind)!.data
  assert.deepEqual([dataOf('event').eventId, dataOf('event').counts], ['live', { skipped: 1 }])
  assert.equal(dataOf('delivery').eventId, 'live')
  assert.equal(dataOf('refusal').code, 'ORIGIN_REFUSED')
  assert.deepEqual([dataOf('channel').scriptId, dataOf('channel').state], [scriptId, 'paused'])
  assert.equal(typeof dataOf('deployment').number, 'number')
  assert.deepEqual(deliveries.messages, [])
  await all.cut()
  await deliveries.cut()
})
