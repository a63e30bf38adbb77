import type { Provider } from '#provider/form/provider.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import { type CaptureRules, type CaptureSource, compileCaptureRules } from '#user/captureRules.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import type { Plaintexts } from './scriptSecrets.ts'

/** The rules for capturing click ids and cookies. */
export type CaptureRuleSource = ReturnType<typeof openCaptureRules>

/** The click id parameter that a script configures; none if its provider has no such variable. */
function customClickParam(
  { clickParam, secrets = {} }: Pick<Provider, 'clickParam' | 'secrets'>,
  values: Record<string, string>,
) {
  const query = clickParam && (values[clickParam] || secrets[clickParam]?.default)
  return query ? [{ query }] : []
}

export function openCaptureRules(providers: DeliveryDeps['providers'], plaintexts: Plaintexts) {
  const all = Object.values(providers).flatMap(({ captures = [] }) => captures)
  const common = compileCaptureRules(all)
  const byTag = new WeakMap<Snapshot, Promise<CaptureRules>>()

  /** The sources of one script. */
  async function ofScript(tag: Snapshot, script: SnapshotScript): Promise<readonly CaptureSource[]> {
    const provider = providers[script.providerId]
    if (!provider) return []
    const custom = provider.clickParam ? customClickParam(provider, await plaintexts(tag, script)) : []
    return [...(provider.captures ?? []), ...custom]
  }
  async function compile(tag: Snapshot): Promise<CaptureRules> {
    const sources = await Promise.all(tag.scripts.map((script) => ofScript(tag, script)))
    return compileCaptureRules([...all, ...sources.flat()])
  }

  return {
    ofScript,
    /**
     * The sources of every provider and those that the tag's scripts configure. Synchronous if no script configures any.
     */
    ofTag(tag: Snapshot): CaptureRules | Promise<CaptureRules> {
      if (!tag.scripts.some(({ providerId }) => providers[providerId]?.clickParam)) return common
      const cached = byTag.get(tag)
      if (cached) return cached
      const compiled = compile(tag)
      byTag.set(tag, compiled)
      compiled.catch(() => byTag.delete(tag))
      return compiled
    },
  }
}
