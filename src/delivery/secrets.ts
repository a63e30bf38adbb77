import type { Secret } from '#kit/secret.ts'
import { isSensitive } from '#provider/form/secret.ts'
import { openSecrets } from '#script/secret.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { DeliveryWorld } from './world.ts'

/** How many scripts' secrets are held open; the one that was asked for longest ago goes first. */
const most = 20_000

/** The plaintexts of a deployed script, by variable. */
export type Plaintexts = (tag: Pick<Snapshot, 'teamId'>, script: SnapshotScript) => Promise<Record<string, string>>

type Opened = { script: SnapshotScript; secrets: Promise<Record<string, Secret>> }

/** Opens the secrets of a script once per deployment: one that was written again is opened again. */
export function openedSecrets(on: Pick<DeliveryWorld, 'store' | 'keys' | 'environment'>): Plaintexts {
  const opened = new Map<string, Opened>()

  function openOnce({ teamId }: Pick<Snapshot, 'teamId'>, script: SnapshotScript): Opened {
    const known = opened.get(script.scriptId)
    opened.delete(script.scriptId)
    const current =
      known?.script === script ? known : { script, secrets: openSecrets(script.secrets, { ...on, teamId }) }
    opened.set(script.scriptId, current)
    if (opened.size > most) opened.delete(opened.keys().next().value!)
    return current
  }

  return async (tag, script) => {
    const current = openOnce(tag, script)
    try {
      const secrets = Object.entries(await current.secrets)
      return Object.fromEntries(secrets.map(([variable, secret]) => [variable, secret.open()]))
    } catch (error) {
      if (opened.get(script.scriptId) === current) opened.delete(script.scriptId)
      throw error
    }
  }
}

/**
 * What a page may know of a deployed script: nothing, unless its provider does something in the page, and then the variables
 * that are not sensitive.
 */
export function pageVariables(plaintexts: Plaintexts, providers: DeliveryWorld['providers']): Plaintexts {
  return async (tag, script) => {
    const specs = providers[script.providerId]?.secrets ?? {}
    if (!Object.values(specs).some(({ usedBy }) => usedBy === 'browser')) return {}
    const isOpen = (variable: string) => Object.hasOwn(specs, variable) && !isSensitive(specs[variable]!)
    return Object.fromEntries(Object.entries(await plaintexts(tag, script)).filter(([variable]) => isOpen(variable)))
  }
}
