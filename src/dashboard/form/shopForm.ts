import type { SecretEntry } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'
import type { Shop, ShopWrite } from '#contract/shop.ts'
import { type ShopName, type ShopSecretName, shopSecretNames } from '#contract/shopNames.ts'
import type { Tag } from '#contract/tag.ts'
import type { SealFor } from './channelForm.ts'
import { linesOf } from './tagForm.ts'

/** The form of a shop. A secret that stays empty is kept. */
export type ShopDraft = Omit<Shop, 'salesChannels' | 'joinMs' | 'secrets'> & {
  salesChannels: string
  joinSeconds: string
  secrets: Readonly<Record<ShopSecretName, string>>
}

/** The secrets that the webhooks of a shop need. For BigCommerce these include its API token. */
export const secretsOf = (source: ShopName): ShopSecretName[] =>
  shopSecretNames.filter((name) => name !== 'API_TOKEN' || source === 'bigcommerce')

export function shopDraftOf(source: ShopName, shop: Shop | undefined): ShopDraft {
  const noSecrets = Object.fromEntries(shopSecretNames.map((name) => [name, ''])) as ShopDraft['secrets']
  const { shop: name = '', purchaseOn = 'create', orderId = 'name', productIdFrom = 'product' } = shop ?? {}
  const { salesChannels = ['web'], joinMs = 60_000, sendRefunds = true, sendTests = false } = shop ?? {}
  return {
    ...{ source, shop: name, purchaseOn, orderId, productIdFrom, sendRefunds, sendTests, secrets: noSecrets },
    ...{ salesChannels: salesChannels.join('\n'), joinSeconds: `${joinMs / 1_000}` },
  }
}

/** A shop without its secrets, so that a write leaves them unchanged. */
const kept = ({ secrets: _, ...shop }: Shop): ShopWrite => shop

/** The shops of a tag with one added, replaced, or (`draft` undefined) removed. Seals the secrets. */
export async function shopsWith(
  { shops = [] }: Pick<Tag, 'shops'>,
  source: ShopName,
  draft: ShopDraft | undefined,
  sealFor: SealFor,
): Promise<ShopWrite[]> {
  const others = shops.filter((each) => each.source !== source).map(kept)
  if (!draft) return others
  const given = secretsOf(source).filter((name) => draft.secrets[name].trim() !== '')
  const secrets = await Promise.all(
    given.map((variable): Promise<SecretEntry> => {
      const { environment, teamId, key } = sealFor
      const plaintext = draft.secrets[variable].trim()
      return sealEntry({ environment, teamId, providerId: source, variable, type: 'PASSWORD', plaintext, key })
    }),
  )
  const { salesChannels, joinSeconds, secrets: _, ...shop } = draft
  const write = { ...shop, salesChannels: linesOf(salesChannels), joinMs: Math.round(Number(joinSeconds) * 1_000) }
  return [...others, { ...write, ...(secrets.length > 0 && { secrets }) }]
}
