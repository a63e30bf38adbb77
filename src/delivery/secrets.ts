import type { Secret } from '#kit/secret.ts'
import { openSecrets } from '#script/secret.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { DeliveryWorld } from './world.ts'

/** How many scripts' secrets are held open; the one that was asked for longest ago goes first. */
const most = 1_000

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
