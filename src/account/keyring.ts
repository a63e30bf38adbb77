import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import type { EnvironmentName } from '#contract/me.ts'
import { deriveKey, open, seal } from '#kit/cipher.ts'
import { rootKeyDoesNotFit } from './rootKey.ts'
import { type TeamKeys, type TeamKeyVersions, teamKeys } from './teamKeys.ts'

export type { TeamKeys } from './teamKeys.ts'

/** The keys of one environment: under the root key one key of its own, and one or more for each team. */
export type Keyring = {
  /** Throws when the team is not loaded: a bug, teams are loaded at start and when they are made. */
  team(teamId: string): TeamKeys
  /** A new team's key, sealed by the root key, loaded here as well. */
  makeTeam(teamId: string): Uint8Array
  /** Throws RootKeyProblem when the keys were sealed by another root key. */
  loadTeam(teamId: string, sealedKey: Uint8Array): void
  /** One more key for a team. It seals nothing until `use` is called, which must wait until `sealedKey` is on disk. */
  renewTeam(teamId: string): { sealedKey: Uint8Array; use(): void }
  /** The keys of a team, sealed by the root key that is in use. */
  sealedTeam(teamId: string): Uint8Array
  /** The environment's own key, sealed by the root key that is in use. */
  sealedEnvironment(): Uint8Array
  /** From here on another root key is in use; what is open stays open. */
  useRoot(rootKey: Uint8Array): void
  /** HMAC-SHA-256 under the pepper: how tokens are kept. */
  tokenHash(token: string): Buffer
  /** For the sealing keys' private halves. */
  sealPrivate(plain: Uint8Array, kid: string): Uint8Array
  /** Throws RootKeyProblem when it was sealed under another environment key. */
  openPrivate(sealed: Uint8Array, kid: string): Buffer
}

/** `environmentKey`: as it is kept, sealed; without it a new one is made. `before`: the root key that is on its way out. */
export type KeyringOptions = { environmentKey?: Uint8Array | undefined; before?: Uint8Array | undefined }

const keyLength = 32

/** What the root key seals in one environment. Opens what it, or the root key before it, has sealed. */
function rootSeals(rootKey: Uint8Array, before: Uint8Array | undefined, environment: EnvironmentName) {
  const wrapOf = (root: Uint8Array) => deriveKey(root, `aglet 1 ${environment} root`)
  const older = before ? [wrapOf(before)] : []
  let inUse = wrapOf(rootKey)
  return {
    use(root: Uint8Array) {
      inUse = wrapOf(root)
    },
    seal: (plain: Uint8Array, aad: string) => seal(inUse, plain, aad),
    open: (sealed: Uint8Array, aad: string) => openByOne([inUse, ...older], sealed, aad),
  }
}

function openByOne([key, ...more]: readonly KeyObject[], sealed: Uint8Array, aad: string): Buffer {
  if (!key) throw rootKeyDoesNotFit()
  try {
    return open(key, sealed, aad)
  } catch {
    return openByOne(more, sealed, aad)
  }
}

/** The keys of a team lie one behind the other. */
const split = (keys: Buffer) =>
  Array.from({ length: keys.length / keyLength }, (_, at) => keys.subarray(at * keyLength, (at + 1) * keyLength))

/**
 * The keyring of one environment under a root key of 32 bytes. Every key is derived with the environment's name, so
 * that nothing of one environment opens in the other although both hang on the same root key. Throws RootKeyProblem
 * when the environment's key was sealed by another root key.
 */
export function openKeyring(
  rootKey: Uint8Array,
  environment: EnvironmentName,
  { environmentKey: sealedKey, before }: KeyringOptions = {},
): Keyring {
  const root = rootSeals(rootKey, before, environment)
  const environmentKey = sealedKey ? root.open(sealedKey, environment) : randomBytes(keyLength)
  const privateWrap = deriveKey(environmentKey, 'sealing key')
  const pepper = deriveKey(environmentKey, 'token pepper')
  const teams = new Map<string, TeamKeyVersions>()
  const known = (teamId: string) => {
    const keys = teams.get(teamId)
    if (!keys) throw new Error(`The key of ${teamId} is not loaded.`)
    return keys
  }
  return {
    team: known,
    makeTeam(teamId) {
      const key = randomBytes(keyLength)
      teams.set(teamId, teamKeys([key]))
      return root.seal(key, teamId)
    },
    loadTeam: (teamId, sealed) => void teams.set(teamId, teamKeys(split(root.open(sealed, teamId)))),
    renewTeam(teamId) {
      const keys = known(teamId)
      const key = randomBytes(keyLength)
      return { sealedKey: root.seal(Buffer.concat([...keys.all(), key]), teamId), use: () => keys.add(key) }
    },
    sealedTeam: (teamId) => root.seal(Buffer.concat(known(teamId).all()), teamId),
    sealedEnvironment: () => root.seal(environmentKey, environment),
    useRoot: root.use,
    tokenHash: (token) => createHmac('sha256', pepper).update(token).digest(),
    sealPrivate: (plain, kid) => seal(privateWrap, plain, kid),
    openPrivate: (sealed, kid) => openByOne([privateWrap], sealed, kid),
  }
}
