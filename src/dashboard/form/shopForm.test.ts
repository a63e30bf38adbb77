import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Shop } from '#contract/shop.ts'
import { shopNames } from '#contract/shopNames.ts'
import { sealingKey } from './form.fixture.ts'
import { secretsOf, shopDraftOf, shopsWith } from './shopForm.ts'

const known: Shop = {
  source: 'shopify',
  shop: 'potter.myshopify.com',
  purchaseOn: 'paid',
  orderId: 'id',
  productIdFrom: 'sku',
  salesChannels: ['web', 'pos'],
  joinMs: 1_500,
  sendRefunds: false,
  sendTests: true,
  secrets: ['WEBHOOK_KEY'],
}
const woo: Shop = { ...known, source: 'woocommerce', shop: 'shop.example' }
const sealFor = { environment: 'sandbox' as const, teamId: 'team_1', key: await sealingKey() }

test('a shop that is saved without a change is the same, and its secrets are not sent', async () => {
  const { secrets: _, ...same } = known
  const { secrets: __, ...other } = woo
  assert.deepEqual(await shopsWith({ shops: [known, woo] }, 'shopify', shopDraftOf('shopify', known), sealFor), [
    other,
    same,
  ])
})

test('a new shop has the defaults of the server, and a key that only the server can open', async () => {
  const draft = { ...shopDraftOf('shopify', undefined), shop: 'new.myshopify.com' }
  const typed = { ...draft, secrets: { ...draft.secrets, WEBHOOK_KEY: ' shpss_0123456789abcdef ' } }
  const [shop] = await shopsWith({}, 'shopify', typed, sealFor)
  const { secrets, ...rest } = shop!
  assert.deepEqual(rest, {
    source: 'shopify',
    shop: 'new.myshopify.com',
    purchaseOn: 'create',
    orderId: 'name',
    productIdFrom: 'product',
    salesChannels: ['web'],
    joinMs: 60_000,
    sendRefunds: true,
    sendTests: false,
  })
  assert.deepEqual(
    secrets?.map(({ variable }) => variable),
    ['WEBHOOK_KEY'],
  )
  assert.doesNotMatch(JSON.stringify(shop), /shpss_/)
})

test('a shop that is removed leaves the others as they are, without their secrets', async () => {
  const { secrets: _, ...rest } = woo
  assert.deepEqual(await shopsWith({ shops: [known, woo] }, 'shopify', undefined, sealFor), [rest])
})

test('only BigCommerce is asked for the token of its API', () => {
  assert.deepEqual(
    shopNames.filter((name) => secretsOf(name).includes('API_TOKEN')),
    ['bigcommerce'],
  )
})
