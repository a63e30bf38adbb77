import type { OutgoingHttpHeaders } from 'node:http'
import type { TestContext } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import type { ShopSecretName } from '#contract/shopNames.ts'
import { recordEvents } from '#event/record.ts'
import type { ShopOrder, SourceEvent } from '#sources/source.ts'
import type { StoredShop } from '#store/snapshot.ts'
import { sealShopSecret } from '#tag/shop.ts'
import { openTestEdge, tagId, teamId } from './edge.fixture.ts'
import type { EdgeDeps } from './edgeDeps.ts'

export const shopKey = 'shpss_0123456789abcdef0123456789'

/** An edge whose tag has this shop, with the stored orders. */
export async function openShopEdge(
  t: TestContext,
  shop: Omit<StoredShop, 'secrets'>,
  secrets: Partial<Record<ShopSecretName, string>> = { WEBHOOK_KEY: shopKey },
  deps: Partial<EdgeDeps> = {},
) {
  const keys = openKeyring(Buffer.alloc(32, 7), 'production')
  keys.createTeamKey(teamId)
  const owner = { teamId, tagId, source: shop.source }
  const sealed = Object.entries(secrets).map(([variable, value]) => [
    variable,
    sealShopSecret(value, { ...owner, variable: variable as ShopSecretName }, keys),
  ])
  const orders: { order: ShopOrder & { source: string }; purchase?: SourceEvent | undefined }[] = []
  const edge = await openTestEdge(t, {
    tag: { sources: [shop.source], shops: [{ ...shop, secrets: Object.fromEntries(sealed) }] },
    deps: {
      keys,
      orders: {
        keep: async (_, order, purchase) => {
          orders.push({ order, purchase })
          return undefined
        },
      },
      ...deps,
    },
  })
  const post = (path: string, { headers, body }: { headers: OutgoingHttpHeaders; body: string }) =>
    edge.ask({ path: `/t/${tagId}${path}`, headers, body })
  const records = () => edge.appended.flatMap(({ payload }) => edge.openRecords(payload, keys))
  return { ...edge, orders, post, records, events: () => recordEvents(records()) }
}
