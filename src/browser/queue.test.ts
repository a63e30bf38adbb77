import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../test/fake/cases.ts'
import {
  acceptingEdge,
  type FakeEdge,
  failToAnswer,
  memoryStorage,
  nextTask,
  openPage,
  tagUrl,
} from './browserPage.fixture.ts'
import { type CallBody, openCallQueue } from './queue.ts'
import { backoffMs, openUploader } from './uploader.ts'

type Opened = ReturnType<typeof open>
type Given = NonNullable<Parameters<typeof openPage>[0]>

/** A queue with its uploader on a fake page. */
function open(given: Given = {}) {
  const fake = openPage(given)
  const queue = openCallQueue(fake.page, 'call:')
  const finish = (event: CallBody) => event
  const uploader = openUploader({ page: fake.page, queue, urlOf: (path) => tagUrl + path, withCaptures: finish })
  const send = (eventName: string, more: CallBody = {}) => {
    const answer = queue.add('/tag', { eventName, eventId: eventName, ...more })
    void uploader.run()
    return answer
  }
  return { ...fake, queue, uploader, send }
}
const status =
  (code: number): FakeEdge =>
  (ask) =>
    ask.path === '/tag' ? { status: code, json: { message: 'no' } } : acceptingEdge(ask)

describe('calls to the edge', () => {
  test('are sent in order, and consecutive events that wait are sent as one body', async () => {
    const page = open()
    const first = page.send('1')
    const rest = [
      page.send('2'),
      page.send('3'),
      page.queue.add('/consent', { consentString: {} }),
      page.send('4'),
      page.send('5'),
    ]
    assert.equal((await first).eventId, '1')
    const answers = await Promise.all(rest)
    assert.deepEqual(
      page.asked.map(({ path, body }) => [path, Array.isArray(body) ? body.length : 1]),
      [
        ['/tag', 1],
        ['/tag', 2],
        ['/consent', 1],
        ['/tag', 2],
      ],
    )
    assert.deepEqual(
      answers.map(({ eventId }) => eventId),
      ['2', '3', undefined, '4', '5'],
    )
  })

  test('resolve each event of a batch with its own result', async () => {
    const page = open({
      edge: () => ({ status: 200, json: { result: [{ status: 'accepted' }, { status: 'rejected', message: 'old' }] } }),
    })
    const answers = await Promise.all([page.queue.add('/tag', {}), page.queue.add('/tag', {}), page.uploader.run()])
    assert.deepEqual([answers[0].status, answers[1].status], ['accepted', 'rejected'])
    assert.match(page.warnings.join(), /old/)
  })

  test('are split into bodies that a browser sends after the page is closed', async () => {
    const page = open({ edge: failToAnswer })
    for (let n = 0; n < 120; n++) void page.send(`${n}`, n < 10 ? { text: 'x'.repeat(30_000) } : {})
    await nextTask()
    page.at.edge = acceptingEdge
    page.resume()
    await nextTask()
    for (const { body } of page.asked) {
      assert.ok(JSON.stringify(body).length < 60_000)
      assert.ok([body].flat().length <= 50)
    }
    assert.deepEqual(page.eventNames().flat(), ['0', ...Array.from({ length: 120 }, (_, n) => `${n}`)])
  })

  test('without a response are retried with growing pauses and the same ids', async () => {
    const page = open({ edge: failToAnswer })
    const answer = page.send('1')
    const waits: number[] = []
    for (let n = 0; n < 8; n++) {
      await nextTask()
      waits.push(...page.pauses.map(({ ms }) => ms))
      page.resume()
    }
    page.at.edge = acceptingEdge
    await nextTask()
    page.resume()
    assert.equal((await answer).status, 'accepted')
    assert.deepEqual(
      waits,
      [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000),
    )
    assert.deepEqual(new Set(page.eventNames().flat()), new Set(['1']))
  })

  for (const code of [408, 425, 429, 500, 502, 503, 504])
    test(`answered ${code} are not lost`, async () => {
      const page = open({ edge: status(code) })
      const answer = page.send('1')
      await nextTask()
      page.at.edge = acceptingEdge
      page.resume()
      assert.equal((await answer).status, 'accepted')
    })

  test('with a response that is not of the edge are not lost', async () => {
    const page = open({ edge: () => ({ status: 200, json: undefined }) })
    const answer = page.send('1')
    await nextTask()
    page.at.edge = acceptingEdge
    page.resume()
    assert.equal((await answer).status, 'accepted')
  })

  test('of a batch that the edge answers 500 are sent alone, and the failing one is dropped', async () => {
    const isBad = (body: unknown) => [body].flat().some((event) => (event as CallBody).eventName === 'bad')
    const page = open({
      edge: (ask) => (isBad(ask.body) ? { status: 500, json: { message: 'a bug' } } : acceptingEdge(ask)),
    })
    const answers = Promise.all(['1', 'bad', '2', '3'].map((name) => page.send(name)))
    for (let n = 0; n < 10; n++) {
      await nextTask()
      page.resume()
    }
    assert.deepEqual(
      (await answers).map((answer) => answer.status),
      ['accepted', 'rejected', 'accepted', 'accepted'],
    )
  })

  test('are at most two hundred; beyond that the oldest is dropped with a warning', async () => {
    const page = open({ edge: failToAnswer })
    const first = page.send('0')
    for (let n = 1; n <= 200; n++) void page.send(`${n}`)
    assert.equal((await first).status, 'dropped')
    assert.equal(page.page.local.names().length, 200)
    assert.match(page.warnings.join(), /dropped/)
  })

  test('of every kind have an id and a time that stay the same in retries', async () => {
    const page = open({ edge: failToAnswer })
    void page.queue.add('/consent', { consentString: { all: true } })
    void page.uploader.run()
    await nextTask()
    page.at.now += 5
    page.at.edge = acceptingEdge
    page.resume()
    await nextTask()
    const [first, again] = page.asked.map(({ body }) => body as CallBody)
    assert.deepEqual(again, first)
    assert.deepEqual([typeof first!.eventId, first!.timestamp], ['string', page.at.now - 5])
  })
})

describe('a page that is left', () => {
  test('sends by beacon each call that is not in flight, once', async () => {
    const page = open({ edge: () => new Promise(() => {}) })
    void page.send('1')
    for (const name of ['2', '3']) void page.send(name)
    void page.queue.add('/consent', { consentString: { all: true } })
    page.hide()
    page.uploader.flushWithBeacon()
    page.uploader.flushWithBeacon()
    assert.deepEqual(
      page.beacons.map(({ path, body }) => [path, [body].flat().map((each) => (each as CallBody).eventName)]),
      [
        ['/tag', ['2', '3']],
        ['/consent', [undefined]],
      ],
    )
  })

  test('leaves unanswered calls to the next page, in order and with the same ids', async () => {
    const local = memoryStorage()
    const page = open({ local, edge: failToAnswer })
    const count = ['1', '2'].map((name) => page.send(name))
    page.at.now += 1
    count.push(page.send('3'))
    const next = open({ local })
    await next.uploader.run()
    assert.deepEqual(next.eventNames(), [['1', '2', '3']])
    assert.deepEqual(local.names(), [])
    assert.equal(count.length, 3)
  })

  test('leaves no answered call in the storage, and ignores values of others', async () => {
    const local = memoryStorage([
      ['call:1', 'no json'],
      ['call:2', 'null'],
      ['other', '{}'],
    ])
    const page = open({ local })
    await page.send('1')
    assert.deepEqual(page.eventNames(), [['1']])
    assert.deepEqual(local.names(), ['call:1', 'call:2', 'other'])
  })
})

test('every event is accepted at least once whatever the connection does, and those of one page in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('send', 'lost', 'answered', 'unanswered', 'reload'), { maxLength: 40 }),
      async (steps) => {
        const local = memoryStorage()
        const got: string[] = []
        let connection = 'answered'
        const edge: FakeEdge = (ask) => {
          if (connection === 'lost') return failToAnswer()
          got.push(...[ask.body].flat().map((event) => (event as { eventId: string }).eventId))
          return connection === 'unanswered' ? failToAnswer() : acceptingEdge(ask)
        }
        const reload = ({ at: { now } }: Opened) => {
          const next = open({ local, edge })
          next.at.now = now + 1
          return next
        }
        let page = open({ local, edge })
        let count = 0
        for (const step of steps) {
          if (step === 'send') void page.send(`${count++}`)
          else if (step === 'reload') page = reload(page)
          else connection = step
          page.at.now += count
          void page.uploader.run()
          await nextTask()
          page.resume()
        }
        connection = 'answered'
        page = reload(page)
        await page.uploader.run()
        const first = got.filter((id, place) => got.indexOf(id) === place)
        assert.deepEqual(
          first,
          Array.from({ length: count }, (_, n) => `${n}`),
        )
      },
    ),
    { numRuns: cases(300) },
  )
})

test('a pause is at most a minute and has jitter', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.double({ min: 0, max: 0.999, noNaN: true }), (failures, random) => {
      const ms = backoffMs(failures, random)
      assert.ok(ms > 500 && ms <= 60_000)
    }),
  )
  assert.notEqual(backoffMs(3, 0.1), backoffMs(3, 0.9))
})
