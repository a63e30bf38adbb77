import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toolAdapterNames } from '#contract/adapterNames.ts'
import { openAdapters } from './adapters.fixture.ts'

const order = {
  transaction_id: '1001',
  value: '30.5',
  currency: 'EUR',
  items: [{ item_id: 'sku', price: 30.5, quantity: 1 }],
}
const bought = {
  orderId: '1001',
  value: 30.5,
  currency: 'EUR',
  contents: [{ id: 'sku', item_price: 30.5, quantity: 1 }],
}

describe('the dataLayer adapter', () => {
  test('sends each push with an event, past and future ones, with the state of e-commerce', () => {
    const page = openAdapters()
    page.site.dataLayer = [{ ecommerce: order }, { event: 'purchase', method: 'card' }]
    page.start('dataLayer')
    page.site.dataLayer.push({ ecommerce: null }, { event: 'newsletter', place: 'footer' }, { noEvent: true })
    assert.deepEqual(
      page.events().map(({ name, data, source }) => [name, data, source]),
      [
        ['Purchase', { ...bought, method: 'card' }, 'dataLayer'],
        ['newsletter', { place: 'footer' }, 'dataLayer'],
      ],
    )
  })

  test('takes the start of the container for a page view, and no other event of the container', () => {
    const page = openAdapters()
    page.start('dataLayer')
    for (const event of ['gtm.js', 'gtm.dom', 'gtm.load', 'gtm.click', 'gtm.historyChange'])
      page.site.dataLayer.push({ event })
    assert.deepEqual(page.names(), ['PageView'])
  })

  test('passes every push on and returns what the page gets without it, whoever wraps push before or after', () => {
    for (const isEarly of [true, false]) {
      const page = openAdapters()
      const seen: unknown[] = []
      page.site.dataLayer = []
      const wrap = () => {
        const { push } = page.site.dataLayer
        page.site.dataLayer.push = function (...entries: unknown[]) {
          seen.push(...entries)
          return push.apply(this, entries)
        }
      }
      if (isEarly) wrap()
      page.start('dataLayer')
      if (!isEarly) wrap()
      const entry = { event: 'a' }
      assert.equal(page.site.dataLayer.push(entry, { event: 'b' }), 2)
      assert.equal(page.site.dataLayer[0], entry)
      assert.deepEqual([page.names(), seen.length, page.site.dataLayer.length], [['a', 'b'], 2, 2])
    }
  })

  test('follows the page to another list, and to one of another name', () => {
    const page = openAdapters({ options: { dataLayer: 'shopLayer' } })
    page.start('dataLayer')
    page.site.shopLayer.push({ event: 'a' })
    page.site.shopLayer = [{ event: 'b' }]
    page.site.shopLayer.push({ event: 'c' })
    // biome-ignore lint/correctness/noSelfAssign: the usual `dataLayer = dataLayer || []`
    page.site.shopLayer = page.site.shopLayer
    page.site.shopLayer.push({ event: 'd' })
    assert.deepEqual(page.names(), ['a', 'b', 'c', 'd'])
  })

  test('sends the data of a user in clear as keys of the user, and not as data of the event', () => {
    const page = openAdapters()
    page.start('dataLayer')
    const user_data = { email: 'jane@shop.example', phone_number: 'a'.repeat(64), address: { city: 'Bonn' } }
    page.site.dataLayer.push({ event: 'login', user_data })
    assert.deepEqual(page.events()[0]!.data, {})
    assert.deepEqual(page.others(), [
      ['user', 'email', 'jane@shop.example'],
      ['user', 'city', 'Bonn'],
    ])
  })
})

function gtagOf(page: ReturnType<typeof openAdapters>) {
  page.site.dataLayer ??= []
  return function gtag(..._: unknown[]) {
    // biome-ignore lint/complexity/noArguments: as Google's snippet does
    page.site.dataLayer.push(arguments)
  }
}

describe('the gtag adapter', () => {
  test('reads events by their GA4 names, with what was set before', () => {
    const page = openAdapters()
    const gtag = gtagOf(page)
    gtag('js', new Date())
    gtag('set', { country: 'DE' })
    page.start('gtag')
    gtag('set', 'tier', 'gold')
    gtag('event', 'purchase', { ...order, event_id: 'given', event_callback: () => {} })
    gtag('event', 'conversion', { send_to: 'AW-1/label', value: 1 })
    gtag('event', 'page_view', { page_location: 'https://shop.example/b', page_title: 'B' })
    const [purchase, view] = page.events()
    assert.deepEqual(
      [purchase!.name, purchase!.eventId, purchase!.data],
      ['Purchase', 'given', { ...bought, country: 'DE', tier: 'gold' }],
    )
    assert.deepEqual([view!.name, view!.pageUrl, view!.pageTitle], ['PageView', 'https://shop.example/b', 'B'])
    assert.equal(page.events().length, 2)
  })

  test('takes the first config of a measurement id for the page view, unless it says otherwise', () => {
    const page = openAdapters()
    page.start('gtag')
    const gtag = gtagOf(page)
    gtag('config', 'AW-1')
    gtag('config', 'G-1', { send_page_view: false, user_id: 7 })
    assert.deepEqual([page.names(), page.others()], [[], [['user', 'customerId', 7]]])
    gtag('config', 'G-2')
    gtag('config', 'G-3')
    assert.deepEqual(page.names(), ['PageView'])
  })

  test('passes on no default of the consent; an update is the answer, completed by the defaults', () => {
    const page = openAdapters()
    page.start('gtag')
    const gtag = gtagOf(page)
    const denied = { ad_storage: 'denied', analytics_storage: 'denied', ad_user_data: 'denied', wait_for_update: 500 }
    gtag('consent', 'default', denied)
    gtag('consent', 'default', { ad_storage: 'granted', region: ['US'] })
    assert.deepEqual(page.others(), [])
    gtag('consent', 'update', { analytics_storage: 'granted' })
    gtag('consent', 'update', { ad_storage: 'granted', ad_user_data: 'granted' })
    gtag('consent', 'update', { analytics_storage: 'denied' })
    gtag('consent', 'update', {})
    const answers = page.others().map(([, , categories]: [string, null, object]) => categories)
    assert.deepEqual(answers.slice(0, 3), [
      { advertising: false, analytics: true, share_pii: false },
      { advertising: true, analytics: true, share_pii: true },
      { advertising: true, analytics: false, share_pii: true },
    ])
  })

  test('and the dataLayer adapter count what both see once', () => {
    const page = openAdapters()
    page.start('dataLayer', 'gtag')
    const gtag = gtagOf(page)
    gtag('event', 'purchase', order)
    page.site.dataLayer.push({ event: 'purchase', ecommerce: order })
    assert.deepEqual(page.names(), ['Purchase'])
  })
})

/** The base code of a tool in the page: it creates the global, before the tool's script is loaded. */
const stub = (page: ReturnType<typeof openAdapters>, name: string, queue: string) => {
  const waiting: unknown[][] = []
  const called = Object.assign((...call: unknown[]) => waiting.push(call), { [queue]: waiting })
  page.site[name] = called
  return waiting
}

describe('the adapters of pixels', () => {
  const item = { id: 'sku', title: 'Shirt', item_price: 30.5, quantity: 1 }
  const pixels = [
    [
      'pintrk',
      'queue',
      [
        'track',
        'checkout',
        {
          value: 30.5,
          currency: 'EUR',
          order_id: '1001',
          line_items: [{ product_id: 'sku', product_name: 'Shirt', product_price: '30.5', product_quantity: 1 }],
        },
      ],
      'event_id',
    ],
    [
      'snaptr',
      'queue',
      ['track', 'PURCHASE', { price: 30.5, currency: 'EUR', transaction_id: 1001, item_ids: ['sku'] }],
      'client_dedup_id',
    ],
    [
      'rdt',
      'callQueue',
      [
        'track',
        'Purchase',
        {
          value: 30.5,
          currency: 'EUR',
          transactionId: '1001',
          products: [{ id: 'sku', name: 'Shirt', item_price: 30.5, quantity: 1 }],
        },
      ],
      'conversionId',
    ],
  ] as const
  for (const [name, queue, call, key] of pixels)
    test(`${name}: a purchase, waiting or made later, with one id for both`, () => {
      const page = openAdapters()
      const waiting = stub(page, name, queue)
      page.site[name](...call)
      page.start(name)
      const [first] = page.events()
      assert.deepEqual([first!.name, first!.data.orderId, first!.data.value], ['Purchase', '1001', 30.5])
      const expected = name === 'snaptr' ? { id: 'sku' } : item
      assert.deepEqual(first!.data.contents, [expected])
      assert.equal((waiting[0]![2] as Record<string, unknown>)[key], first!.eventId)
      page.site[name]('track', 'Other', { [key]: 'given' })
      page.site[name]('init', 'pixel')
      assert.deepEqual(page.events()[1], { name: 'Other', data: {}, eventId: 'given', source: name })
      assert.deepEqual(waiting.slice(1), [
        ['track', 'Other', { [key]: 'given' }],
        ['init', 'pixel'],
      ])
    })

  test('rdt: a custom event has its own name', () => {
    const page = openAdapters()
    stub(page, 'rdt', 'callQueue')
    page.start('rdt')
    page.site.rdt('track', 'Custom', { customEventName: 'Configured' })
    page.site.rdt('init', 'a2', { email: 'jane@shop.example' })
    assert.deepEqual([page.names(), page.others()], [['Configured'], [['user', 'email', 'jane@shop.example']]])
  })

  test('uetq: events before and after the script of Microsoft replaces the list', () => {
    const page = openAdapters()
    const list: unknown[] = [
      'set',
      {},
      'event',
      'add_to_cart',
      { revenue_value: 5, currency: 'EUR' },
      'event',
      'signup',
    ]
    page.site.uetq = list
    page.start('uetq')
    assert.deepEqual(
      page.events().map(({ name, data }) => [name, data]),
      [['AddToCart', { value: 5, currency: 'EUR' }]],
    )
    assert.equal((list[4] as Record<string, unknown>).event_id, page.events()[0]!.eventId)
    const pushed: unknown[][] = []
    page.site.uetq = { push: (...call: unknown[]) => pushed.push(call) }
    page.site.uetq.push('pageLoad')
    page.site.uetq.push('event', 'purchase', {
      revenue_value: 30,
      currency: 'EUR',
      transaction_id: '7',
      ecomm_prodid: ['sku'],
    })
    const [, view, purchase] = page.events()
    assert.deepEqual([view!.name, purchase!.name, purchase!.data.contents], ['PageView', 'Purchase', [{ id: 'sku' }]])
    assert.deepEqual(pushed[0], ['pageLoad', { event_id: view!.eventId }])
  })

  test('ttq: the list, its methods, and the methods of the script of TikTok', () => {
    const page = openAdapters()
    const ttq: { push(call: unknown): void; track?: unknown } = Object.assign(
      [['page'], ['track', 'SubmitForm', { value: 1 }]],
      {},
    )
    page.site.ttq = ttq
    page.start('ttq')
    ttq.track = (...call: unknown[]) => ttq.push(['track', ...call])
    page.site.ttq.track('CompletePayment', { content_id: 'sku', value: 30, currency: 'EUR' })
    const real: unknown[][] = []
    ttq.track = (...call: unknown[]) => real.push(call)
    // TikTok's script makes the waiting calls
    for (const [method, ...call] of ttq as unknown as [string, ...unknown[]][])
      if (method === 'track') page.site.ttq.track(...call)
    page.site.ttq.track('AddToCart', undefined, { event_id: 'given' })
    assert.deepEqual(page.names(), ['PageView', 'Lead', 'Purchase', 'AddToCart'])
    assert.deepEqual(page.events()[2]!.data, { value: 30, currency: 'EUR', contents: [{ id: 'sku' }] })
    assert.deepEqual(
      real.map(([, , options]) => (options as { event_id: string }).event_id),
      [
        ...page
          .events()
          .slice(1, 3)
          .map(({ eventId }) => eventId),
        'given',
      ],
    )
  })
})

describe('the zaraz adapter', () => {
  test('reads events and e-commerce, where Zaraz comes before, later, or not at all', async () => {
    for (const order of ['before', 'later', 'never']) {
      const page = openAdapters()
      const seen: unknown[] = []
      const make = () => {
        page.site.zaraz = {}
        for (const name of ['track', 'ecommerce', 'set'])
          page.site.zaraz[name] = async (...call: unknown[]) => seen.push([name, ...call])
      }
      if (order === 'before') make()
      page.start('zaraz')
      if (order === 'later') make()
      await page.site.zaraz.track('Signed up', { plan: 'pro' })
      await page.site.zaraz.ecommerce('Order Completed', {
        order_id: 1001,
        total: 30,
        revenue: 20,
        currency: 'EUR',
        products: [{ product_id: 'sku', price: 30, quantity: 1 }],
      })
      await page.site.zaraz.ecommerce('Product Added', {
        product_id: 'sku',
        price: '10.10',
        quantity: 3,
        currency: 'EUR',
      })
      await page.site.zaraz.set('email', 'jane@shop.example')
      assert.deepEqual(
        page.events().map(({ name, data }) => [name, data]),
        [
          ['Signed up', { plan: 'pro' }],
          [
            'Purchase',
            { orderId: '1001', value: 30, currency: 'EUR', contents: [{ id: 'sku', item_price: 30, quantity: 1 }] },
          ],
          ['AddToCart', { value: 30.3, currency: 'EUR', contents: [{ id: 'sku', item_price: 10.1, quantity: 3 }] }],
        ],
      )
      assert.deepEqual(page.others(), [['user', 'email', 'jane@shop.example']])
      assert.equal(seen.length, order === 'never' ? 0 : 4)
    }
  })
})

describe('the segment adapter', () => {
  test('reads the calls of the stub and of the library that takes its place', () => {
    const page = openAdapters()
    page.site.analytics = [
      ['page', 'Docs', 'Index', { path: '/docs' }],
      ['load', 'key'],
    ]
    page.start('segment')
    const calls: unknown[] = []
    class Library {
      track(...call: unknown[]) {
        calls.push(call)
        return this
      }
      identify() {}
      page() {}
      group() {}
    }
    const library = new Library()
    page.site.analytics = library
    assert.equal(
      page.site.analytics.track('Order Completed', { order_id: '1', revenue: 20, tax: 3, shipping: '5' }),
      library,
    )
    page.site.analytics.identify('c-7', { email: 'jane@shop.example', plan: 'pro' })
    page.site.analytics.group('g', { size: 3 })
    assert.deepEqual(
      page.events().map(({ name, data }) => [name, data]),
      [
        ['PageView', { path: '/docs', name: 'Index', category: 'Docs' }],
        ['Purchase', { orderId: '1', value: 28, tax: 3, shipping: 5 }],
        ['Group', { size: 3, groupId: 'g' }],
      ],
    )
    assert.deepEqual(page.others(), [
      ['user', 'email', 'jane@shop.example'],
      ['user', 'customerId', 'c-7'],
    ])
    assert.equal(calls.length, 1)
  })
})

test('every adapter is tried here', () => assert.equal(toolAdapterNames.length, 10))
