import { createLruCache } from '#kit/lruCache.ts'
import type { Secret } from '#kit/secret.ts'
import { isSensitive } from '#provider/form/secret.ts'
import { openSecrets } from '#script/secret.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'

/** The maximum scripts whose secrets are cached; the least recently used one is dropped first. */
const maxOpened = 20_000

/**
 * Returns the plaintext secrets of a deployed script, by variable. Returns the same frozen object until the next
 * deployment; synchronous if they are already decrypted.
 */
export type Plaintexts = (
  tag: Pick<Snapshot, 'teamId'>,
  script: SnapshotScript,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>

type Opened = { script: SnapshotScript; texts: ReturnType<Plaintexts> }

const textsOf = (secrets: Record<string, Secret>) =>
  Object.freeze(Object.fromEntries(Object.entries(secrets).map(([variable, secret]) => [variable, secret.open()])))

/** Decrypts the secrets of a script once per deployment and caches them. A failure is not cached. */
export function openScriptSecrets(deps: Pick<DeliveryDeps, 'store' | 'keys' | 'environment'>): Plaintexts {
  const opened = createLruCache<string, Opened>(maxOpened)

  function open({ teamId }: Pick<Snapshot, 'teamId'>, script: SnapshotScript): Opened['texts'] {
    const opening = openSecrets(script.secrets, { ...deps, teamId }).then(textsOf)
    const current: Opened = { script, texts: opening }
    opened.set(script.scriptId, current)
    opening.then(
      (texts) => {
        current.texts = texts
      },
      () => {
        if (opened.get(script.scriptId) === current) opened.delete(script.scriptId)
      },
    )
    return opening
  }
  return (tag, script) => {
    const cached = opened.get(script.scriptId)
    return cached?.script === script ? cached.texts : open(tag, script)
  }
}

/**
 * The variables of a deployed script that pages get: the non-sensitive ones if its provider uses any in the browser;
 * else none.
 */
export function browserVariables(plaintexts: Plaintexts, providers: DeliveryDeps['providers']): Plaintexts {
  return async (tag, script) => {
    const specs = providers[script.providerId]?.secrets ?? {}
    if (!Object.values(specs).some(({ usedBy }) => usedBy === 'browser')) return {}
    const isPublic = (variable: string) => Object.hasOwn(specs, variable) && !isSensitive(specs[variable]!)
    return Object.fromEntries(Object.entries(await plaintexts(tag, script)).filter(([variable]) => isPublic(variable)))
  }
}
