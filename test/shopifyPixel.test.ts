import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { readPixelEvents } from '#sources/shopifyPixel.ts'

const code = readFileSync(join(import.meta.dirname, '../connectors/shopify/pixel.js'), 'utf8')
const theme = readFileSync(join(import.meta.dirname, '../connectors/shopify/theme.liquid'), 'utf8')

type Answer = Record<
  'analyticsProcessingAllowed' | 'marketingAllowed' | 'preferencesProcessingAllowed' | 'saleOfDataAllowed',
  boolean
>
const yes: Answer = {
  analyticsProcessingAllowed: true,
  marketingAllowed: true,
  preferencesProcessingAllowed: true,
  saleOfDataAllowed: true,
}
const no: Answer = {
  analyticsProcessingAllowed: false,
  marketingAllowed: false,
  preferencesProcessingAllowed: false,
  saleOfDataAllowed: false,
}

type Sent = {
  userId?: string
  consent: object
  cookies?: Record<string, string>
  events: { name: string; data: unknown }[]
}

/** The interfaces of a Shopify custom pixel: those of the page are asynchronous. */
function openPixel({
  answer = yes,
  cookies = {},
  stored = {},
}: {
  answer?: Answer
  cookies?: Record<string, string>
  stored?: Record<string, string>
} = {}) {
  const handlers = new Map<string, (event: object) => void>()
  const storage = new Map(Object.entries(stored))
  const sent: { url: string; body: Sent }[] = []
  const api = {
    analytics: { subscribe: (name: string, handler: (event: object) => void) => void handlers.set(name, handler) },
    customerPrivacy: {
      subscribe: (name: string, handler: (event: object) => void) => void handlers.set(name, handler),
    },
    browser: {
      cookie: { get: async (name: string) => cookies[name] ?? '' },
      localStorage: {
        getItem: async (name: string) => storage.get(name) ?? null,
        setItem: async (name: string, value: string) => void storage.set(name, value),
      },
    },
    init: { customerPrivacy: answer },
  }
  const fetch = async (url: string, { body }: { body: string }) => void sent.push({ url, body: JSON.parse(body) })
  runInContext(code, createContext({ api, fetch, crypto, JSON, Promise, console }))
  const settle = async () => {
    for (let n = 0; n < 50; n++) await Promise.resolve()
  }
  const emit = async (name: string, event: object = {}) => {
    handlers.get(name)?.({
      id: `sh-${name}`,
      name,
      timestamp: '2026-11-20T12:00:00.000Z',
      context: {},
      data: {},
      ...event,
    })
    await settle()
  }
  return { emit, sent, storage, handlers }
}

const receivedAt = Date.UTC(2026, 10, 20, 12)
const read = (body: unknown) =>
  readPixelEvents(body, { brand: 'Service', receivedAt } as Parameters<typeof readPixelEvents>[1])

const variant = {
  id: '808950810',
  sku: 'MUG-1',
  price: { amount: 57, currencyCode: 'EUR' },
  product: { id: 'gid://shopify/Product/632910392', title: 'Mug', vendor: 'Potter' },
}
const checkout = {
  token: 'c0ffee',
  currencyCode: 'EUR',
  email: 'ada@example.com',
  totalPrice: { amount: 119, currencyCode: 'EUR' },
  totalTax: { amount: 19, currencyCode: 'EUR' },
  shippingLine: { price: { amount: 5, currencyCode: 'EUR' } },
  lineItems: [{ title: 'Mug', quantity: 2, variant }],
  order: { id: '820982911946154508' },
  billingAddress: { firstName: 'Ada', lastName: 'Lovelace', city: 'Berlin', zip: '10115', countryCode: 'DE' },
}
const context = {
  document: {
    location: { href: 'https://shop.example/?gclid=abc' },
    title: 'Shop',
    referrer: 'https://www.example.org/',
  },
  navigator: { userAgent: 'Mozilla/5.0' },
}

test('the pixel sends page, cart and checkout with the visitor, the cookies of the page and the answer, and they are read as our events', async () => {
  const pixel = openPixel({ cookies: { tag_user_id: 'usr_1', _fbp: 'fb.1.2.3' } })
  await pixel.emit('page_viewed', { context })
  await pixel.emit('product_added_to_cart', {
    data: {
      cartLine: { quantity: 2, merchandise: variant, cost: { totalAmount: { amount: 114, currencyCode: 'EUR' } } },
    },
  })
  await pixel.emit('checkout_started', { data: { checkout } })
  await pixel.emit('checkout_completed', { data: { checkout } })
  assert.deepEqual(
    pixel.sent.map(({ url }) => url),
    Array(4).fill('https://t.shop.example/shopify/pixel'),
  )
  const events = pixel.sent.flatMap(({ body }) => read(body))
  assert.deepEqual(
    events.map(({ userId, event }) => [userId, event.eventName, (event.data as { value?: number }).value]),
    [
      ['usr_1', 'PageView', undefined],
      ['usr_1', 'AddToCart', 114],
      ['usr_1', 'InitiateCheckout', 119],
      ['usr_1', 'Purchase', 119],
    ],
  )
  assert.deepEqual(
    [events[0]!.event.pageUrl, events[0]!.event.userAgent],
    ['https://shop.example/?gclid=abc', 'Mozilla/5.0'],
  )
  assert.deepEqual(events[0]!.event.storage, {
    data: { shopify: { _fbp: 'fb.1.2.3' } },
    service: { consentCategories: { analytics: true, advertising: true, functional: true, share_pii: true } },
  })
  const [started, bought] = events.slice(2).map(({ event }) => event)
  assert.equal(bought!.eventId, 'purchase-820982911946154508')
  assert.equal(started!.eventId, `checkout-${(bought!.source as { join: string }).join}`)
  assert.ok(!JSON.stringify(bought).includes('c0ffee'))
  assert.deepEqual([bought!.userEmail, bought!.userZip], ['ada@example.com', '10115'])
  assert.deepEqual((bought!.data as { contents: object[] }).contents, [
    {
      id: '632910392',
      variantId: '808950810',
      sku: 'MUG-1',
      title: 'Mug',
      brand: 'Potter',
      item_price: 57,
      quantity: 2,
    },
  ])
})

test('before an answer nothing is sent and nothing is stored; after a yes the events go out together', async () => {
  const pixel = openPixel({ answer: no })
  await pixel.emit('page_viewed')
  await pixel.emit('product_viewed', { data: { productVariant: variant } })
  assert.deepEqual([pixel.sent, [...pixel.storage]], [[], []])
  await pixel.emit('visitorConsentCollected', { customerPrivacy: yes })
  assert.deepEqual(
    pixel.sent[0]!.body.events.map(({ name }) => name),
    ['page_viewed', 'product_viewed'],
  )
  const made = pixel.storage.get('aglet_user')
  assert.match(made ?? '', /^[0-9a-f-]{36}$/)
  assert.deepEqual(
    pixel.sent.map(({ body }) => body.userId),
    [made, made],
  )
})

test('after a no nothing is sent of a stranger; the refusal of somebody who is known is stored', async () => {
  const stranger = openPixel({ answer: no })
  await stranger.emit('page_viewed')
  await stranger.emit('visitorConsentCollected', { customerPrivacy: no })
  await stranger.emit('checkout_completed', { data: { checkout } })
  assert.deepEqual([stranger.sent, [...stranger.storage]], [[], []])
  const known = openPixel({ stored: { aglet_user: 'usr_2' } })
  await known.emit('visitorConsentCollected', { customerPrivacy: no })
  await known.emit('page_viewed')
  const [{ body } = assert.fail('nothing was sent'), ...more] = known.sent
  assert.deepEqual(more, [])
  const [update] = read(body)
  assert.deepEqual([update!.kind, update!.userId], ['consent', 'usr_2'])
  assert.deepEqual((update!.event.storage as { service: object }).service, {
    consentCategories: { analytics: false, advertising: false, functional: false, share_pii: false },
  })
})

test('a refused sale of data refuses advertising and personal data, as Sec-GPC does', () => {
  const [page] = read({
    userId: 'usr_1',
    consent: { analytics: true, marketing: true, saleOfData: false },
    events: [{ name: 'page_viewed' }],
  })
  assert.deepEqual((page!.event.storage as { service: object }).service, {
    consentCategories: { analytics: true, advertising: false, share_pii: false },
  })
})

test('the pixel waits with at most fifty events', async () => {
  const pixel = openPixel({ answer: no })
  for (let n = 0; n < 60; n++) await pixel.emit('page_viewed')
  await pixel.emit('visitorConsentCollected', { customerPrivacy: yes })
  assert.equal(pixel.sent[0]!.body.events.length, 50)
})

test('the theme stores the visitor, click ids and the answer with the cart: after a yes only the answer and they, after a no the answer alone', async () => {
  const script = /<script>([\s\S]*)<\/script>/.exec(theme)![1]!
  const open = async (isYes: boolean) => {
    const posted: { url: string; body: { attributes: Record<string, string> } }[] = []
    const storage = () => {
      const kept = new Map<string, string>()
      return {
        getItem: (name: string) => kept.get(name) ?? null,
        setItem: (name: string, value: string) => void kept.set(name, value),
      }
    }
    const privacy = Object.fromEntries(
      ['analyticsProcessingAllowed', 'marketingAllowed', 'preferencesProcessingAllowed', 'saleOfDataAllowed'].map(
        (name) => [name, () => isYes],
      ),
    )
    const window = {
      Shopify: {
        customerPrivacy: privacy,
        routes: { root: '/' },
        loadFeatures: (_: unknown, done: (error?: Error) => void) => done(),
      },
    }
    const fetch = async (url: string, { body }: { body: string }) => {
      posted.push({ url, body: JSON.parse(body) })
      return { ok: true }
    }
    const document = { cookie: 'a=b; _fbp=fb.1.2.3; tag_user_id=usr_9', addEventListener() {} }
    runInContext(
      script,
      createContext({
        window,
        document,
        fetch,
        crypto,
        URLSearchParams,
        localStorage: storage(),
        sessionStorage: storage(),
        location: { search: '?gclid=abc&x=1' },
      }),
    )
    return posted
  }
  const [agreed] = await open(true)
  assert.equal(agreed!.url, '/cart/update.js')
  const { _aglet_consent: consent, ...others } = agreed!.body.attributes
  assert.deepEqual(others, { _aglet_user: 'usr_9', _fbp: 'fb.1.2.3', _gclid: 'abc' })
  assert.deepEqual(JSON.parse(consent!), { analytics: true, marketing: true, preferences: true, saleOfData: true })
  const [refused] = await open(false)
  assert.deepEqual(Object.keys(refused!.body.attributes), ['_aglet_consent'])
})
