import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Customer, makeSourceKey, openAglet } from '../fake/aglet.ts'
import { openVendors } from '../vendors/server.ts'
import { assertArrived, assertRefused, customerId, email, journeyNamed, landing, openShop, orderId } from './shop.ts'

/**
 * gtag.js is loaded from its vendor, so tests cannot install it. These are its requests: the query, the body lines and the
 * headers are built like gtag's.
 */
const vendors = await openVendors()
after(vendors.close)
const aglet = await openAglet('ga4', { AGLET_VENDORS_URL: vendors.url })

const origin = 'http://localhost:8080'
const clientId = '1870424133.1763600000'

/** The fields that all hits of a page share. `number`: of the hit since the page was loaded. */
const shared = (number: number, { gcs, gcd }: { gcs: string; gcd: string }) =>
  new URLSearchParams({
    v: '2',
    tid: 'G-ABC123',
    gtm: '45je5bk0v9101890000za200zd890000',
    _p: '1763640000000',
    gcs,
    gcd,
    npa: '0',
    dma: '1',
    dma_cps: 'syphamo',
    tag_exp: '101509157~103116026~115583767',
    cid: clientId,
    ecid: '829014433',
    ul: 'en-us',
    sr: '1920x1080',
    uaa: 'x86',
    uab: '64',
    uafvl: 'Chromium;142.0.7444.60|Not_A%20Brand;99.0.0.0',
    uamb: '0',
    uap: 'Linux',
    are: '1',
    frm: '0',
    pscdl: 'noapi',
    'sst.rnd': '1265473843.1763640000',
    'sst.tft': '1763640000000',
    'sst.lpc': '5012345',
    'sst.navt': 'n',
    'sst.ude': '0',
    'sst.sw_exp': '1',
    _s: `${number}`,
    sid: '1763640000',
    sct: '1',
    seg: '1',
    dl: landing,
    dr: 'https://search.example/',
    dt: 'Home',
  })
const granted = { gcs: 'G111', gcd: '13r3r3r3r5l1' }
const denied = { gcs: 'G100', gcd: '13q3q3q3q5l1' }
const line = (fields: Record<string, string>) => `${new URLSearchParams(fields)}`

/** Sends a hit like `fetch` of a page. gtag only reads the status of the answer. */
async function hit({ tagUrl }: Customer, query: string, body = ''): Promise<void> {
  const headers = { origin, 'content-type': 'text/plain;charset=UTF-8', 'user-agent': 'Mozilla/5.0 (a visitor)' }
  const answer = await fetch(`${tagUrl}/g/collect?${query}&tfd=2214&richsstsse`, { method: 'POST', headers, body })
  assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [204, origin])
}

/** A first visit, then an identify and a scroll in one request, then a purchase with its parameters in the body. */
async function visitShop(customer: Customer, consent: typeof granted): Promise<void> {
  await hit(customer, `${shared(1, consent)}&${line({ en: 'page_view', _fv: '1', _nsi: '1', _ss: '1', _ee: '1' })}`)
  const login = { en: 'login', _ee: '1', _et: '12', 'ep.method': 'password', 'ep.user_data.email': email }
  const scroll = { en: 'scroll', 'epn.percent_scrolled': '90', _et: '4870' }
  await hit(customer, `${shared(2, consent)}&uid=${customerId}`, `${line(login)}\r\n${line(scroll)}`)
  const purchase = {
    'ep.transaction_id': orderId,
    'epn.value': '59.98',
    'epn.tax': '9.58',
    'ep.coupon': 'AUTUMN',
    pr1: 'idsku-1~nmRunner~brAcme~caShoes~pr29.99~qt2~k0size~v0M',
  }
  await hit(customer, `${shared(3, consent)}&en=purchase&cu=EUR&_c=1&uid=${customerId}`, line(purchase))
}

test('gtag: a first visit, an identify and a purchase arrive at Meta and GA4 with user, click id and order', async () => {
  const customer = await openShop(aglet, 'gtag', 'ga4')
  vendors.received.length = 0
  await visitShop(customer, granted)
  const visit = await journeyNamed(customer, 'PageView')
  const purchase = await journeyNamed(customer, 'Purchase')
  assertArrived(vendors, visit, purchase)
  const scroll = await journeyNamed(customer, 'scroll')
  assert.deepEqual([scroll.userId, scroll.received?.data], [visit.userId, { percent_scrolled: 90 }])
  const ga = vendors.received.filter(({ vendor }) => vendor === 'googleAnalytics4')
  for (const { got } of ga) assert.equal((got.json as { client_id: string }).client_id, clientId)
})

test('gtag: nothing is sent where the consent state refuses', async () => {
  const customer = await openShop(aglet, 'gtag, refused', 'ga4')
  vendors.received.length = 0
  await visitShop(customer, denied)
  assertRefused(vendors, await journeyNamed(customer, 'Purchase'))
})

test('the Measurement Protocol: a purchase of a server joins the visit of the page', async () => {
  const customer = await openShop(aglet, 'measurement protocol', 'ga4')
  const key = await makeSourceKey(aglet, customer)
  vendors.received.length = 0
  await hit(customer, `${shared(1, granted)}&${line({ en: 'page_view', _fv: '1', _ss: '1' })}`)
  const visit = await journeyNamed(customer, 'PageView')
  await hit(customer, `${shared(2, granted)}&${line({ en: 'login', 'ep.user_data.email': email })}`)
  await journeyNamed(customer, 'login')
  const items = [{ item_id: 'sku-1', item_name: 'Runner', price: 29.99, quantity: 2 }]
  const params = { transaction_id: orderId, value: 59.98, currency: 'EUR', items }
  const body = JSON.stringify({ client_id: clientId, events: [{ name: 'purchase', params }] })
  const answer = await fetch(`${customer.tagUrl}/mp/collect?measurement_id=G-ABC123&api_secret=${key}`, {
    method: 'POST',
    body,
  })
  assert.equal(answer.status, 204)
  const purchase = await journeyNamed(customer, 'Purchase')
  assert.equal(purchase.trusted, true)
  assertArrived(vendors, visit, purchase)
})
