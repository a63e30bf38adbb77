import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openAdapters } from './adapters.fixture.ts'

/** The part of Meta's base code that defines the pixel, without loading Meta's script. */
function runBaseCode(site: Record<string, unknown>) {
  if (site.fbq) return
  // biome-ignore lint/suspicious/noExplicitAny: as in a page
  const pixel: any = (...call: unknown[]) =>
    pixel.callMethod ? pixel.callMethod.apply(pixel, call) : pixel.queue.push(call)
  site.fbq = pixel
  if (!site._fbq) site._fbq = pixel
  Object.assign(pixel, { push: pixel, loaded: true, version: '2.0', queue: [] })
}

/** Simulates the loading of Meta's script: it makes the waiting calls, and handles later ones. */
// biome-ignore lint/suspicious/noExplicitAny: as in a page
function runPixelScript(site: Record<string, any>): unknown[][] {
  const received: unknown[][] = []
  site.fbq.callMethod = (...call: unknown[]) => {
    received.push(call)
    return 'result'
  }
  while (site.fbq.queue.length > 0) site.fbq.callMethod(...site.fbq.queue.shift())
  return received
}

const purchase = { value: 30, currency: 'EUR', order_id: '1001', content_ids: ['sku'] }
const idOf = (call: unknown[]) => (call.at(-1) as { eventID?: string }).eventID

describe('the fbq adapter', () => {
  const steps = ['adapter', 'base code', 'page', 'script', 'page again'] as const
  const orders = [
    steps,
    ['base code', 'adapter', 'page', 'script', 'page again'],
    ['base code', 'page', 'adapter', 'script', 'page again'],
    ['base code', 'adapter', 'script', 'page', 'page again'],
    ['adapter', 'base code', 'script', 'page', 'page again'],
    ['base code', 'script', 'adapter', 'page', 'page again'],
  ] as const
  for (const order of orders)
    test(`sees the calls that the pixel sees, with the same ids: ${order.join(', ')}`, () => {
      const page = openAdapters()
      let received: unknown[][] = []
      const run: Record<(typeof steps)[number], () => void> = {
        adapter: () => page.start('fbq'),
        'base code': () => runBaseCode(page.site),
        script: () => {
          received = runPixelScript(page.site)
        },
        page() {
          page.site.fbq('init', '42', { em: 'jane@shop.example', external_id: 'c'.repeat(64) })
          page.site.fbq('track', 'PageView')
          page.site.fbq('track', 'Purchase', purchase, { eventID: 'given' })
          page.site.fbq('trackSingle', '42', 'Search', { search_string: 'shirt' })
        },
        'page again': () => page.site.fbq('trackCustom', 'Configured', { size: 'M' }),
      }
      for (const step of order) run[step]()
      const tracked = received.filter(([method]) => method !== 'init')
      assert.deepEqual(page.names(), ['PageView', 'Purchase', 'Search', 'Configured'])
      assert.deepEqual(
        tracked.map(idOf),
        page.events().map(({ eventId }) => eventId),
      )
      assert.equal(page.events()[1]!.eventId, 'given')
      assert.deepEqual(
        tracked.map((call) => call.slice(0, -1)),
        [
          ['track', 'PageView', {}],
          ['track', 'Purchase', purchase],
          ['trackSingle', '42', 'Search', { search_string: 'shirt' }],
          ['trackCustom', 'Configured', { size: 'M' }],
        ],
      )
      assert.deepEqual(page.events()[1]!.data, {
        value: 30,
        currency: 'EUR',
        orderId: '1001',
        contents: [{ id: 'sku' }],
      })
      assert.deepEqual(page.others(), [['user', 'email', 'jane@shop.example']])
      assert.equal(page.site.fbq, page.site._fbq)
      assert.equal(page.site.fbq('track', 'Lead'), 'result')
    })

  test('leaves the calls as they are where no id is to be added', () => {
    for (const deps of [{ passEventId: 'false' }, { options: { passEventId: false } }]) {
      const page = openAdapters(deps)
      page.start('fbq')
      runBaseCode(page.site)
      page.site.fbq('track', 'PageView')
      assert.deepEqual([...page.site.fbq.queue], [['track', 'PageView']])
      assert.deepEqual(page.names(), ['PageView'])
    }
    const page = openAdapters({ passEventId: 'false', options: { passEventId: true } })
    page.start('fbq')
    runBaseCode(page.site)
    page.site.fbq('track', 'PageView')
    assert.equal(idOf(page.site.fbq.queue[0]), page.events()[0]!.eventId)
  })

  test('takes the calls of a page whose pixel is gone, if the page says so; else it defines no pixel', () => {
    const page = openAdapters({ options: { stubs: true } })
    page.start('fbq')
    page.site.fbq('track', 'Lead', { value: 1, currency: 'EUR' })
    assert.deepEqual(page.names(), ['Lead'])
    const other = openAdapters()
    other.start('fbq')
    assert.equal(other.site.fbq, undefined)
  })

  test('does not read the calls of a channel’s own pixel', () => {
    const page = openAdapters()
    runBaseCode(page.site)
    page.start('fbq')
    page.site.fbq.aglet('trackSingle', '42', 'Purchase', purchase, { eventID: 'of the tag' })
    assert.deepEqual([page.calls, page.site.fbq.queue.length], [[], 1])
  })
})

describe('two adapters', () => {
  const pushed = {
    event: 'purchase',
    ecommerce: { transaction_id: '1001', value: 30, currency: 'EUR', items: [{ item_id: 'sku' }] },
  }
  const open = (primary: string, deps: object = {}) => {
    const page = openAdapters({ primary, ...deps })
    runBaseCode(page.site)
    page.start('dataLayer', 'fbq')
    return {
      ...page,
      layer: (entry: object) => page.site.dataLayer.push(entry),
      fbq: (...call: unknown[]) => page.site.fbq(...call),
    }
  }

  test('send one event for one order within ten seconds, with the id that the pixel gets', () => {
    for (const isPixelFirst of [true, false]) {
      const page = open('')
      const tell = [() => page.fbq('track', 'Purchase', purchase), () => page.layer(pushed)]
      for (const each of isPixelFirst ? tell : tell.reverse()) each()
      page.at.now += 9_999
      page.fbq('track', 'Purchase', purchase)
      assert.deepEqual(
        page.events().map(({ source }) => source),
        [isPixelFirst ? 'fbq' : 'dataLayer'],
      )
      for (const call of page.site.fbq.queue) assert.equal(idOf(call), page.events()[0]!.eventId)
      page.at.now += 1
      page.layer(pushed)
      assert.equal(page.events().length, 2)
    }
  })

  test('send the event of the primary one alone, and the others pass its id', () => {
    for (const deps of [{}, { options: { primary: 'dataLayer' } }]) {
      const page = open(Object.keys(deps).length > 0 ? 'fbq' : 'dataLayer', deps)
      page.fbq('track', 'Purchase', purchase)
      assert.deepEqual(page.events(), [])
      page.layer(pushed)
      page.layer({ ecommerce: null })
      page.layer({ event: 'add_to_cart', ecommerce: { items: [{ item_id: 'b' }] } })
      page.fbq('track', 'AddToCart', {})
      page.fbq('track', 'Subscribe', {})
      assert.deepEqual(
        page.events().map(({ name, source }) => [name, source]),
        [
          ['Purchase', 'dataLayer'],
          ['AddToCart', 'dataLayer'],
        ],
      )
      const ids = page.site.fbq.queue.map(idOf)
      assert.deepEqual(
        ids.slice(0, 2),
        page.events().map(({ eventId }) => eventId),
      )
      assert.ok(ids[2])
    }
  })

  test('do not wait for a primary one that the page does not load', () => {
    const page = open('segment')
    page.fbq('track', 'Lead')
    assert.deepEqual(page.names(), ['Lead'])
  })

  test('pair calls without an order, and two calls of one adapter are two events', () => {
    const page = open('')
    const added = { event: 'add_to_cart', ecommerce: { items: [{ item_id: 'a' }] } }
    for (let time = 0; time < 2; time++) {
      page.layer(added)
      page.fbq('track', 'AddToCart', { content_ids: ['a'] })
      page.at.now += 1_000
    }
    assert.deepEqual(page.names(), ['AddToCart', 'AddToCart'])
    assert.deepEqual(
      page.site.fbq.queue.map(idOf),
      page.events().map(({ eventId }) => eventId),
    )
  })

  test('send a call once whose id the page repeats', () => {
    const page = open('')
    for (const pixel of ['1', '2']) page.fbq('trackSingle', pixel, 'Lead', {}, { eventID: 'x' })
    assert.deepEqual([page.names(), page.site.fbq.queue.length], [['Lead'], 2])
  })
})

describe('an adapter on a hostile page', () => {
  const cycle: Record<string, unknown> = { event: 'cycle' }
  cycle.self = cycle
  const throwing = {
    event: 'throwing',
    get value() {
      throw new Error('no')
    },
  }
  const huge = { event: 'huge', text: 'x'.repeat(1_000_000) }
  const node = { event: 'click', element: { nodeType: 1, self: cycle }, run: () => {} }
  const odd = [
    1n,
    Symbol('s'),
    null,
    undefined,
    7,
    'text',
    [],
    new Map(),
    Object.create(null),
    new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('no')
        },
      },
    ),
  ]

  test('skips what it cannot copy, passes everything on, and says so once for each where asked', () => {
    const page = openAdapters({ options: { debug: true } })
    page.start('dataLayer', 'gtag', 'fbq')
    runBaseCode(page.site)
    for (const entry of [cycle, throwing, huge, node, ...odd]) {
      const before = page.site.dataLayer.length
      assert.equal(page.site.dataLayer.push(entry), before + 1)
      assert.equal(page.site.dataLayer.at(-1), entry)
    }
    for (const data of [cycle, throwing, huge, ...odd]) page.site.fbq('track', data, data, data)
    for (const data of [cycle, throwing, huge]) page.site.fbq('track', 'X', data)
    assert.deepEqual(page.names(), ['click', 'text'])
    assert.deepEqual(page.events()[0]!.data, {})
    assert.equal(page.site.fbq.queue.length, odd.length + 6)
    for (const what of ['circular', 'no', '1000026 characters'])
      assert.ok(
        page.warnings.some((warning) => warning.includes(what)),
        `${what} in ${page.warnings}`,
      )
  })

  test('says nothing otherwise, except of a frozen data layer, of which it reads what is there', () => {
    const page = openAdapters()
    page.site.dataLayer = Object.freeze([{ event: 'a' }, cycle])
    page.start('dataLayer')
    assert.deepEqual([page.names(), page.warnings], [['a'], ['the data layer is frozen']])
    assert.throws(() => page.site.dataLayer.push(1), TypeError)
  })

  test('is started once, however often its script is loaded', () => {
    const page = openAdapters()
    for (let time = 0; time < 3; time++) {
      page.install()
      page.start('dataLayer', 'fbq')
    }
    page.site.dataLayer.push({ event: 'a' })
    assert.deepEqual(page.names(), ['a'])
  })

  test('throws nothing into the page: not an error of the SDK, nor one of a setter, and passes on those of the tool', async () => {
    const page = openAdapters()
    page.site.aglet = async () => Promise.reject(new Error('the SDK'))
    Object.defineProperty(page.site, 'rdt', {
      configurable: false,
      set() {
        throw new Error('the page')
      },
      get: () => () => {
        throw new Error('the tool')
      },
    })
    page.start('dataLayer', 'rdt')
    page.site.dataLayer.push({ event: 'a' })
    page.site.aglet = () => {
      throw new Error('the SDK')
    }
    page.site.dataLayer.push({ event: 'b' })
    assert.throws(() => page.site.rdt('track', 'Lead'), /the tool/)
    await new Promise(setImmediate) // an unhandled rejection would fail the test
  })

  test('follows a global that is declared by var, which cannot be watched', () => {
    const page = openAdapters()
    const waiting: unknown[] = []
    Object.defineProperty(page.site, 'snaptr', {
      configurable: false,
      writable: true,
      enumerable: true,
      value: Object.assign((...call: unknown[]) => waiting.push(call), { queue: waiting }),
    })
    page.start('snaptr')
    page.site.snaptr('track', 'SIGN_UP', {})
    assert.deepEqual([page.names(), waiting.length], [['CompleteRegistration'], 1])
  })

  test('changes no object of the page', () => {
    const page = openAdapters()
    runBaseCode(page.site)
    page.start('fbq', 'dataLayer')
    const frozen = Object.freeze({ ...purchase, content_ids: Object.freeze(['a']) })
    const options = Object.freeze({ other: 1 })
    page.site.fbq('track', 'Purchase', frozen, options)
    const push = Object.freeze({ event: 'x', ecommerce: Object.freeze({ items: Object.freeze([]) }) })
    page.site.dataLayer.push(push)
    assert.deepEqual(page.names(), ['Purchase', 'x'])
    assert.deepEqual(page.site.fbq.queue[0][3], { other: 1, eventID: page.events()[0]!.eventId })
  })

  test('keeps its calls for an SDK that is loaded later', async () => {
    const page = openAdapters()
    page.site.aglet = undefined
    page.start('dataLayer')
    page.site.dataLayer.push({ event: 'a' })
    const [[resolve, call]] = page.site.aglet.q
    assert.deepEqual([typeof resolve, call.slice(0, 2)], ['function', ['tag', 'a']])
  })
})
