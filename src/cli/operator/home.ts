import type { Keyring } from '#account/keyring.ts'
import { loadKeyring } from '#account/loadKeyring.ts'
import { readRootKeys } from '#account/rootKey.ts'
import type { LiveSealingKeys } from '#account/sealingKeys.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Settings } from '#contract/settings.ts'
import type { Clock } from '#kit/clock.ts'
import { liveSnapshots, type Snapshots } from '#script/snapshot.ts'
import type { QueryLimits } from '#store/queries.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import { type ServedHosts, servedHosts } from '#tag/servedHosts.ts'
import type { DataDir } from './dataDir.ts'

/** How what is kept and what flows is opened. Chosen by main alone. */
export type Adapters = {
  openStore(path: string, queries?: QueryLimits): Promise<Store>
  openStream(path: string, clock: Clock): Promise<Stream>
}

/** What one environment keeps, opened. */
export type Home = {
  environment: EnvironmentName
  clock: Clock
  store: Store
  keys: Keyring
  /** While the server runs: changed here, they are changed for callers. */
  sealingKeys?: LiveSealingKeys
  snapshots: Snapshots
  /** Which host names lead to which tag. */
  servedHosts: ServedHosts
  tagUrl(tagId: string): string
  /** Ends with the version segment. */
  baseUrl: string
}

const segment = (environment: EnvironmentName) => (environment === 'sandbox' ? '/sandbox' : '')

/** What the path of every tag URL of the environment begins with. */
export const tagPrefix = (environment: EnvironmentName) => `${segment(environment)}/t/`
export const basePath = (environment: EnvironmentName) => `${segment(environment)}/v1`

export type HomeOptions = { dir: DataDir; settings: Settings; adapters: Adapters; clock: Clock }

/** Opens what an environment keeps. Throws a sentence when a file or the root key is not as it must be. */
export async function openHome(
  environment: EnvironmentName,
  { dir, settings, adapters, clock }: HomeOptions,
): Promise<Home> {
  const rootKeys = await readRootKeys(dir.path, settings.rootKey)
  const store = await adapters.openStore(dir.store(environment), {
    perTeam: settings.queriesPerTeam,
    limitMs: settings.querySeconds * 1_000,
  })
  try {
    const keys = await loadKeyring(store, environment, rootKeys)
    const deployments = await store.deployments()
    const hosts = servedHosts(await store.hostClaims('all'))
    return {
      environment,
      clock,
      store,
      keys,
      snapshots: liveSnapshots(
        deployments.map(({ snapshot }) => snapshot),
        hosts,
      ),
      servedHosts: hosts,
      baseUrl: settings.origin + basePath(environment),
      tagUrl: (tagId) => `${settings.tagOrigin}${tagPrefix(environment)}${tagId}`,
    }
  } catch (problem) {
    await store.close()
    throw problem
  }
}
