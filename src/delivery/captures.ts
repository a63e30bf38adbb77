import type { Provider } from '#provider/form/provider.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import { type Capture, type Captures, compileCaptures } from '#user/capture.ts'
import type { Plaintexts } from './secrets.ts'
import type { DeliveryWorld } from './world.ts'

/** What is captured in the page: for a script, and on a tag for all that is learnt of its users. */
export type CapturesOf = {
  ofScript(tag: Snapshot, script: SnapshotScript): Promise<readonly Capture[]>
  /** What every provider wants, and besides what the tag's customer names. At once where nothing is named. */
  ofTag(tag: Snapshot): Captures | Promise<Captures>
}

/** The parameter that the customer names for a script; none where its provider has no such variable. */
function namedIn(
  { clickParam, secrets = {} }: Pick<Provider, 'clickParam' | 'secrets'>,
  given: Record<string, string>,
) {
  const query = clickParam && (given[clickParam] || secrets[clickParam]?.default)
  return query ? [{ query }] : []
}

export function openCaptures(providers: DeliveryWorld['providers'], plaintexts: Plaintexts): CapturesOf {
  const all = Object.values(providers).flatMap(({ captures = [] }) => captures)
  const common = compileCaptures(all)
  const named = new WeakMap<Snapshot, Promise<Captures>>()

  async function ofScript(tag: Snapshot, script: SnapshotScript): Promise<readonly Capture[]> {
    const provider = providers[script.providerId]
    if (!provider) return []
    const own = provider.clickParam ? namedIn(provider, await plaintexts(tag, script)) : []
    return [...(provider.captures ?? []), ...own]
  }
  async function compile(tag: Snapshot): Promise<Captures> {
    const wanted = await Promise.all(tag.scripts.map((script) => ofScript(tag, script)))
    return compileCaptures([...all, ...wanted.flat()])
  }

  return {
    ofScript,
    ofTag(tag) {
      if (!tag.scripts.some(({ providerId }) => providers[providerId]?.clickParam)) return common
      const known = named.get(tag)
      if (known) return known
      const compiled = compile(tag)
      named.set(tag, compiled)
      compiled.catch(() => named.delete(tag))
      return compiled
    },
  }
}
