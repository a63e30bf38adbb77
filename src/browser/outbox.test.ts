import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openCourier, pauseMs } from './courier.ts'
import { type Body, openOutbox } from './outbox.ts'
import { type Edge, kind, memory, offline, openPage, settled, tagUrl } from './page.fixture.ts'

type Opened = ReturnType<typeof open>
type Given = NonNullable<Parameters<typeof openPage>[0]>

/** An outbox with its courier, as one page after the other has them. */
function open(given: Given = {}) {
  const fake = openPage(given)
  const outbox = openOutbox(fake.page, 'call:')
  const finish = (event: Body) => event
  const courier = openCourier({ page: fake.page, outbox, urlOf: (path) => tagUrl + path, finish })
  const tell = (eventName: string, more: Body = {}) => {
    const answer = outbox.add('/tag', { eventName, eventId: eventName, ...more })
    void courier.run()
    return answer
  }
  return { ...fake, outbox, courier, tell }
}
const status =
  (code: number): Edge =>
  (ask) =>
    ask.path === '/tag' ? { status: code, json: { message: 'no' } } : kind(ask)

describe('calls to the edge', () => {
  test('go in order, those that gathered meanwhile as one body, another kind of call between them', async () => {
    const on = open()
    const first = on.tell('1')
    const rest = [
      on.tell('2'),
      on.tell('3'),
      on.outbox.add('/consent', { consentString: {} }),
      on.tell('4'),
      on.tell('5'),
    ]
    assert.equal((await first).eventId, '1')
    const answers = await Promise.all(rest)
    assert.deepEqual(
      on.asked.map(({ path, body }) => [path, Array.isArray(body) ? body.length : 1]),
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

  test('of which one event is refused: that one is told, the others are taken', async () => {
    const on = open({
      edge: () => ({ status: 200, json: { result: [{ status: 'accepted' }, { status: 'rejected', message: 'old' }] } }),
    })
    const answers = await Promise.all([on.outbox.add('/tag', {}), on.outbox.add('/tag', {}), on.courier.run()])
    assert.deepEqual([answers[0].status, answers[1].status], ['accepted', 'rejected'])
    assert.match(on.warnings.join(), /old/)
  })

  test('fit into what a browser sends for a page that is gone', async () => {
    const on = open({ edge: offline })
    for (let n = 0; n < 120; n++) void on.tell(`${n}`, n < 10 ? { text: 'x'.repeat(30_000) } : {})
    await settled()
    on.at.edge = kind
    on.resume()
    await settled()
    for (const { body } of on.asked) {
      assert.ok(JSON.stringify(body).length < 60_000)
      assert.ok([body].flat().length <= 50)
    }
    assert.deepEqual(on.eventNames().flat(), ['0', ...Array.from({ length: 120 }, (_, n) => `${n}`)])
  })

  test('that nobody answers wait longer each time, and go again under the same ids', async () => {
    const on = open({ edge: offline })
    const answer = on.tell('1')
    const waits: number[] = []
    for (let n = 0; n < 8; n++) {
      await settled()
      waits.push(...on.pauses.map(({ ms }) => ms))
      on.resume()
    }
    on.at.edge = kind
    await settled()
    on.resume()
    assert.equal((await answer).status, 'accepted')
    assert.deepEqual(
      waits,
      [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000),
    )
    assert.deepEqual(new Set(on.eventNames().flat()), new Set(['1']))
  })

  for (const code of [408, 425, 429, 500, 502, 503, 504])
    test(`answered ${code} are not lost`, async () => {
      const on = open({ edge: status(code) })
      const answer = on.tell('1')
      await settled()
      on.at.edge = kind
      on.resume()
      assert.equal((await answer).status, 'accepted')
    })

  test('answered by something that is no edge are not lost', async () => {
    const on = open({ edge: () => ({ status: 200, json: undefined }) })
    const answer = on.tell('1')
    await settled()
    on.at.edge = kind
    on.resume()
    assert.equal((await answer).status, 'accepted')
  })

  test('of which one breaks the edge go alone, and that one is given up', async () => {
    const isBad = (body: unknown) => [body].flat().some((event) => (event as Body).eventName === 'bad')
    const on = open({ edge: (ask) => (isBad(ask.body) ? { status: 500, json: { message: 'a bug' } } : kind(ask)) })
    const answers = Promise.all(['1', 'bad', '2', '3'].map((name) => on.tell(name)))
    for (let n = 0; n < 10; n++) {
      await settled()
      on.resume()
    }
    assert.deepEqual(
      (await answers).map((answer) => answer.status),
      ['accepted', 'rejected', 'accepted', 'accepted'],
    )
  })

  test('are two hundred at most: of more the oldest is given up, and told', async () => {
    const on = open({ edge: offline })
    const first = on.tell('0')
    for (let n = 1; n <= 200; n++) void on.tell(`${n}`)
    assert.equal((await first).status, 'dropped')
    assert.equal(on.page.local.names().length, 200)
    assert.match(on.warnings.join(), /oldest/)
  })

  test('of every kind have an id and a time, the same however often they go', async () => {
    const on = open({ edge: offline })
    void on.outbox.add('/consent', { consentString: { all: true } })
    void on.courier.run()
    await settled()
    on.at.now += 5
    on.at.edge = kind
    on.resume()
    await settled()
    const [first, again] = on.asked.map(({ body }) => body as Body)
    assert.deepEqual(again, first)
    assert.deepEqual([typeof first!.eventId, first!.timestamp], ['string', on.at.now - 5])
  })
})

describe('a page that is left', () => {
  test('hands to the browser what is not on its way, once', async () => {
    const on = open({ edge: () => new Promise(() => {}) })
    void on.tell('1')
    for (const name of ['2', '3']) void on.tell(name)
    void on.outbox.add('/consent', { consentString: { all: true } })
    on.hide()
    on.courier.hurry()
    on.courier.hurry()
    assert.deepEqual(
      on.beacons.map(({ path, body }) => [path, [body].flat().map((each) => (each as Body).eventName)]),
      [
        ['/tag', ['2', '3']],
        ['/consent', [undefined]],
      ],
    )
  })

  test('leaves to the next page what was not answered, in order and under the same ids', async () => {
    const local = memory()
    const on = open({ local, edge: offline })
    const told = ['1', '2'].map((name) => on.tell(name))
    on.at.now += 1
    told.push(on.tell('3'))
    const next = open({ local })
    await next.courier.run()
    assert.deepEqual(next.eventNames(), [['1', '2', '3']])
    assert.deepEqual(local.names(), [])
    assert.equal(told.length, 3)
  })

  test('leaves nothing of what was answered, and what somebody else wrote is passed over', async () => {
    const local = memory([
      ['call:1', 'no json'],
      ['call:2', 'null'],
      ['other', '{}'],
    ])
    const on = open({ local })
    await on.tell('1')
    assert.deepEqual(on.eventNames(), [['1']])
    assert.deepEqual(local.names(), ['call:1', 'call:2', 'other'])
  })
})

test('whatever the line does, every event is taken at least once, and those of one page in their order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('tell', 'lost', 'answered', 'unheard', 'reload'), { maxLength: 40 }),
      async (steps) => {
        const local = memory()
        const got: string[] = []
        let line = 'answered'
        const edge: Edge = (ask) => {
          if (line === 'lost') return offline()
          got.push(...[ask.body].flat().map((event) => (event as { eventId: string }).eventId))
          return line === 'unheard' ? offline() : kind(ask)
        }
        const reload = ({ at: { now } }: Opened) => {
          const next = open({ local, edge })
          next.at.now = now + 1
          return next
        }
        let on = open({ local, edge })
        let told = 0
        for (const step of steps) {
          if (step === 'tell') void on.tell(`${told++}`)
          else if (step === 'reload') on = reload(on)
          else line = step
          on.at.now += told
          void on.courier.run()
          await settled()
          on.resume()
        }
        line = 'answered'
        on = reload(on)
        await on.courier.run()
        const first = got.filter((id, place) => got.indexOf(id) === place)
        assert.deepEqual(
          first,
          Array.from({ length: told }, (_, n) => `${n}`),
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('a pause is never longer than a minute, and pages do not come back at once', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.double({ min: 0, max: 0.999, noNaN: true }), (failures, random) => {
      const ms = pauseMs(failures, random)
      assert.ok(ms > 500 && ms <= 60_000)
    }),
  )
  assert.notEqual(pauseMs(3, 0.1), pauseMs(3, 0.9))
})
