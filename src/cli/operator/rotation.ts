import { makeNextRootKey, readNextRootKey, settleRootKey } from '#account/rootKey.ts'
import { rotateRootKey, rotateTeamKeys } from '#account/rotate.ts'
import { openSealingKeys } from '#account/sealingKeys.ts'
import { badRequest } from '#contract/fault.ts'
import type { Log } from '#kit/log.ts'
import type { Call } from '../call.ts'
import type { Home, HomeOptions } from './home.ts'

const by = 'operator'

/** What of one environment is rotated: its sealing key, or the key of a team or of all of them. */
export async function rotateKeys(
  { what, team }: { what: 'sealing' | 'team'; team?: string },
  on: Home,
): Promise<Record<string, unknown>> {
  if (what === 'team') return rotateTeamKeys(on, team, by)
  if (team !== undefined) throw badRequest({ path: 'team', message: 'goes with --what team' })
  const sealingKeys = on.sealingKeys ?? (await openSealingKeys(on.store, on.keys, on.clock))
  return sealingKeys.rotate(by)
}

/** The root key is of the whole data directory, not of one environment. */
export const asksForRoot = ({ command, input }: Call) => command === 'key rotate' && input.what === 'root'

type At = Pick<HomeOptions, 'dir' | 'settings'>

const howToEnd = ({ dir }: At) =>
  `Set AGLET_ROOT_KEY to what is in ${dir.rootKey}.next and start again: until then the key is read from there.`

/** Puts both environments under a new root key. */
export async function rotateRoot(homes: readonly Home[], at: At): Promise<Record<string, unknown>> {
  const next = await makeNextRootKey(at.dir.path)
  await rotateRootKey(homes, next, by)
  const isDone = await settleRootKey(at.dir.path, at.settings.rootKey)
  return isDone ? { rootKey: at.dir.rootKey } : { rootKey: `${at.dir.rootKey}.next`, next: howToEnd(at) }
}

/** Ends a rotation that a crash interrupted, as each start must. */
export async function finishRotation(homes: readonly Home[], at: At, log: Log): Promise<void> {
  const next = await readNextRootKey(at.dir.path)
  if (!next) return
  await rotateRootKey(homes, next, by)
  if (!(await settleRootKey(at.dir.path, at.settings.rootKey))) log({ level: 'warn', message: howToEnd(at) })
}
