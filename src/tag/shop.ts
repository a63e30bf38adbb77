import type { Keyring } from '#account/keyring.ts'
import type { Shop } from '#contract/shop.ts'
import { type ShopName, type ShopSecretName, shopSecretNames } from '#contract/shopNames.ts'
import type { StoredShop } from '#store/snapshot.ts'

type Owner = { teamId: string; tagId: string }
type Keys = Pick<Keyring, 'team'>

const defaults: Omit<Shop, 'source' | 'shop' | 'secrets'> = {
  purchaseOn: 'create',
  orderId: 'name',
  productIdFrom: 'product',
  salesChannels: ['web'],
  joinMs: 60_000,
  sendRefunds: true,
  sendTests: false,
}

const aadOf = ({ tagId }: Owner, source: ShopName, variable: string) =>
  JSON.stringify(['shop', tagId, source, variable])

/** Seals a secret of a shop by the team's key, in base64. */
export const sealShopSecret = (
  value: string,
  { source, variable, ...owner }: Owner & { source: ShopName; variable: ShopSecretName },
  keys: Keys,
): string =>
  Buffer.from(keys.team(owner.teamId).wrapKey(Buffer.from(value), aadOf(owner, source, variable))).toString('base64')

/** A shop as the API returns it. */
export const showShop = ({ secrets, ...shop }: StoredShop): Shop => ({
  ...defaults,
  ...shop,
  secrets: shopSecretNames.filter((name) => secrets[name] !== undefined),
})

/** A shop with its secrets in plain text, for one call. */
export type OpenShop = Omit<Shop, 'secrets'> & { secrets: Partial<Record<ShopSecretName, string>> }

/** Undefined if the tag has no shop for the source. */
export function openShop(
  source: string,
  { shops = [], ...owner }: Owner & { shops?: readonly StoredShop[] | undefined },
  keys: Keys,
): OpenShop | undefined {
  const stored = shops.find((each) => each.source === source)
  if (!stored) return undefined
  const team = keys.team(owner.teamId)
  const opened = Object.entries(stored.secrets).map(([variable, sealed]) => [
    variable,
    team.unwrapKey(Buffer.from(sealed, 'base64'), aadOf(owner, stored.source, variable)).toString(),
  ])
  return { ...defaults, ...stored, secrets: Object.fromEntries(opened) }
}
