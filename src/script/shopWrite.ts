import type { Keyring } from '#account/keyring.ts'
import type { SealingKeys } from '#account/sealingKeys.ts'
import { badRequest } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { ShopWrite } from '#contract/shop.ts'
import { type ShopSecretName, shopSecretNames } from '#contract/shopNames.ts'
import type { Secret } from '#kit/secret.ts'
import type { StoredShop } from '#store/snapshot.ts'
import { sealShopSecret } from '#tag/shop.ts'
import { openEntries } from './secret.ts'

type SealDeps = { environment: EnvironmentName; keys: Pick<Keyring, 'team'>; sealingKeys: SealingKeys }
type Owner = { teamId: string; tagId: string }

/** Vendors' keys have 32 characters or more. A guessable key would let strangers write orders. */
const minKeyLength = 16

/** `https://Shop.example/` and `Shop.example` are the shop `shop.example`. */
const shopForm = /^(?:https?:\/\/)?([a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::\d{1,5})?)\/?$/

function readShopName(text: string, path: string): string {
  const name = shopForm.exec(text.trim().toLowerCase())?.[1]
  if (!name) throw badRequest({ path, message: 'must be the name of a shop, such as name.myshopify.com' })
  return name
}

/** The secrets of a shop after a write: sealed by the team's key, in base64. */
function nextSecrets(
  before: StoredShop['secrets'],
  opened: ReadonlyMap<string, Secret>,
  seal: (variable: ShopSecretName, value: string) => string,
  path: string,
): StoredShop['secrets'] {
  const secrets = { ...before }
  for (const [name, secret] of opened) {
    const variable = name as ShopSecretName
    const value = secret.open()
    if (value === '') delete secrets[variable]
    else if (value.length < minKeyLength)
      throw badRequest({
        path: `${path}.secrets`,
        message: `${variable} must have at least ${minKeyLength} characters`,
      })
    else secrets[variable] = seal(variable, value)
  }
  return secrets
}

/** The shops of a tag after a write, which lists all of them. Throws badRequest and secretRefused. */
export async function readShops(
  write: readonly ShopWrite[],
  before: readonly StoredShop[],
  owner: Owner,
  { environment, keys, sealingKeys }: SealDeps,
): Promise<StoredShop[]> {
  const specs = Object.fromEntries(shopSecretNames.map((name) => [name, { type: 'PASSWORD' as const }]))
  const read: StoredShop[] = []
  for (const [at, { source, shop, secrets, ...options }] of write.entries()) {
    const path = `shops.${at}`
    if (read.some((each) => each.source === source))
      throw badRequest({ path: `${path}.source`, message: 'is listed twice: a tag can have one shop of each source' })
    const expected = { environment, teamId: owner.teamId, providerId: source, specs }
    const opened = await openEntries(secrets ?? [], expected, sealingKeys)
    const seal = (variable: ShopSecretName, value: string) =>
      sealShopSecret(value, { ...owner, source, variable }, keys)
    const known = before.find((each) => each.source === source)?.secrets ?? {}
    const given = Object.entries(options).filter(([, value]) => value != null)
    read.push({
      source,
      shop: readShopName(shop, `${path}.shop`),
      ...(Object.fromEntries(given) as Partial<StoredShop>),
      secrets: nextSecrets(known, opened, seal, path),
    })
  }
  return read
}
