import { resealByRootKey, rotateRootKey, rotateTeamKeys } from '#account/keyRotation.ts'
import { createNextRootKey, finishRootKeyRotation, readNextRootKey, readRootKeys } from '#account/rootKey.ts'
import { openSealingKeys } from '#account/sealingKeys.ts'
import type { OperatorCall } from '#cli/operatorCall.ts'
import { badRequest } from '#contract/fault.ts'
import type { Log } from '#kit/log.ts'
import type { EnvironmentStore, EnvironmentStoreOptions } from './environmentStore.ts'

const auditActor = 'operator'
const keysLease = 'keys'

/** Rotates the sealing key of one environment, or the key of one team or of every team. */
export async function rotateKey(
  { what, team }: { what: 'sealing' | 'team'; team?: string },
  deps: EnvironmentStore,
): Promise<Record<string, unknown>> {
  if (what === 'sealing' && team !== undefined)
    throw badRequest({ path: 'team', message: 'is accepted only with --what team' })
  // Two concurrent rotations would each discard the other's key.
  return deps.cluster.leases.exclusive(keysLease, async () => {
    if (what === 'team') return rotateTeamKeys(deps, team, auditActor)
    const sealingKeys = deps.sealingKeys ?? (await openSealingKeys(deps.store, deps.keys, deps.clock))
    return sealingKeys.rotate(auditActor)
  })
}

/** Rotating the root key affects the whole data directory, not one environment. */
export const isRootKeyRotation = ({ command, input }: OperatorCall) => command === 'key rotate' && input.what === 'root'

type RotationTarget = Pick<EnvironmentStoreOptions, 'dir' | 'settings'>

const rotateSharedInstruction =
  'of a shared database: set AGLET_ROOT_KEY to a new key and AGLET_ROOT_KEY_BEFORE to the current one, and restart every process'

const finishInstruction = ({ dir }: RotationTarget) =>
  `Set AGLET_ROOT_KEY to the content of ${dir.rootKey}.next and restart: until then the key is read from that file.`

/** Rotates the root key: encrypts the keys of both environments with a new one. */
export async function rotateRootKeyEverywhere(
  stores: readonly EnvironmentStore[],
  target: RotationTarget,
): Promise<Record<string, unknown>> {
  if (target.settings.databaseUrl !== undefined) throw badRequest({ path: 'what', message: rotateSharedInstruction })
  const next = await createNextRootKey(target.dir.path)
  await rotateRootKey(stores, next, auditActor)
  const isDone = await finishRootKeyRotation(target.dir.path, target.settings.rootKey)
  return isDone
    ? { rootKey: target.dir.rootKey }
    : { rootKey: `${target.dir.rootKey}.next`, next: finishInstruction(target) }
}

/** Completes a rotation that a crash interrupted. Every start calls it. */
export async function resumeRootKeyRotation(
  stores: readonly EnvironmentStore[],
  target: RotationTarget,
  log: Log,
): Promise<void> {
  const next = await readNextRootKey(target.dir.path)
  if (!next) return
  await rotateRootKey(stores, next, auditActor)
  if (!(await finishRootKeyRotation(target.dir.path, target.settings.rootKey)))
    log({ level: 'warn', message: finishInstruction(target) })
}

/**
 * Reseals everything with the new root key of a shared database, while AGLET_ROOT_KEY_BEFORE is set. Every start calls
 * it, and one process at a time runs it.
 */
export async function resealSharedKeys(
  stores: readonly EnvironmentStore[],
  { dir, settings }: RotationTarget,
  log: Log,
): Promise<void> {
  if (settings.databaseUrl === undefined || settings.rootKeyBefore === undefined) return
  const { inUse } = await readRootKeys(dir.path, settings.rootKey)
  for (const each of stores) {
    const { environment, cluster } = each
    const keys = await cluster.leases.exclusive(keysLease, () => resealByRootKey(each, inUse, auditActor))
    const message =
      'everything is encrypted with AGLET_ROOT_KEY: once every process has it, unset AGLET_ROOT_KEY_BEFORE'
    log({ level: 'warn', message, environment, keys })
  }
}
