import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import type { EnvironmentName } from '#contract/me.ts'
import { deriveKey, open, seal } from '#kit/cipher.ts'
import { wrongRootKeyError } from './rootKey.ts'
import { createTeamKeys, type TeamKeys, type TeamKeyVersions } from './teamKeys.ts'

export type { TeamKeys } from './teamKeys.ts'

/** The keys of one environment, sealed by the root key: the environment key, and one or more keys for each team. */
export type Keyring = {
  /** Throws if the team is not loaded, which is a bug: teams are loaded at start and when they are created. */
  team(teamId: string): TeamKeys
  /** Creates and loads the key of a new team. Returns it sealed by the root key. */
  createTeamKey(teamId: string): Uint8Array
  /** Keys that are loaded stay loaded. Throws RootKeyError if the keys were sealed by another root key. */
  loadTeamKey(teamId: string, sealedKey: Uint8Array): void
  /** True if the team is loaded and has the key that sealed these bytes. */
  hasTeamKey(teamId: string, sealed?: Uint8Array): boolean
  /** Reads the team's keys from the store unless `hasTeamKey`, because another process may have just created them. */
  findTeamKey(teamId: string, sealed?: Uint8Array): Promise<void>
  /** Creates a further key for a team. It is used after `use`, which must be called once `sealedKey` is on disk. */
  addTeamKey(teamId: string): { sealedKey: Uint8Array; use(): void }
  /** True if the current root key sealed the keys of this team, not the previous one. */
  isTeamKeyCurrent(teamId: string, sealedKey: Uint8Array): boolean
  /** The keys of a team, sealed by the current root key. */
  sealedTeamKey(teamId: string): Uint8Array
  /** The environment key, sealed by the current root key. */
  sealedEnvironmentKey(): Uint8Array
  /** Seals by another root key from now on. Keys that are open stay open. */
  useRootKey(rootKey: Uint8Array): void
  /** HMAC-SHA-256 with the pepper. Tokens are stored as this hash. */
  hashToken(token: string): Buffer
  /** Seals the private keys of sealing keys, and other secrets of the environment. */
  sealSecret(plain: Uint8Array, kid: string): Uint8Array
  /** Throws RootKeyError if it was sealed by another environment key. */
  openSecret(sealed: Uint8Array, kid: string): Buffer
}

/**
 * `environmentKey` is sealed; without it a new one is created. `before` is the previous root key during a rotation.
 * `readTeamKey`: the keys of a team in the store, sealed.
 */
type KeyringOptions = {
  environmentKey?: Uint8Array | undefined
  before?: Uint8Array | undefined
  readTeamKey?(teamId: string): Promise<Uint8Array | undefined>
}

const keyLength = 32

/** Seals by the root key of one environment. Opens by it or by the previous root key. */
function createRootCipher(rootKey: Uint8Array, before: Uint8Array | undefined, environment: EnvironmentName) {
  const deriveWrapKey = (root: Uint8Array) => deriveKey(root, `aglet 1 ${environment} root`)
  const olderKeys = before ? [deriveWrapKey(before)] : []
  let inUse = deriveWrapKey(rootKey)
  return {
    use(root: Uint8Array) {
      inUse = deriveWrapKey(root)
    },
    seal: (plain: Uint8Array, aad: string) => seal(inUse, plain, aad),
    open: (sealed: Uint8Array, aad: string) => openWithAny([inUse, ...olderKeys], sealed, aad),
    isCurrent(sealed: Uint8Array, aad: string): boolean {
      try {
        return open(inUse, sealed, aad).length > 0
      } catch {
        return false
      }
    },
  }
}

function openWithAny([key, ...more]: readonly KeyObject[], sealed: Uint8Array, aad: string): Buffer {
  if (!key) throw wrongRootKeyError()
  try {
    return open(key, sealed, aad)
  } catch {
    return openWithAny(more, sealed, aad)
  }
}

/** The keys of a team are concatenated. */
const splitKeys = (keys: Buffer) =>
  Array.from({ length: keys.length / keyLength }, (_, at) => keys.subarray(at * keyLength, (at + 1) * keyLength))

/**
 * The keyring of one environment, for a root key of 32 bytes. The environment's name is part of the key derivation, so
 * that data of one environment does not open in the other although both have the same root key. Throws RootKeyError if
 * the environment key was sealed by another root key.
 */
export function openKeyring(
  rootKey: Uint8Array,
  environment: EnvironmentName,
  { environmentKey: sealedKey, before, readTeamKey = async () => undefined }: KeyringOptions = {},
): Keyring {
  const root = createRootCipher(rootKey, before, environment)
  const environmentKey = sealedKey ? root.open(sealedKey, environment) : randomBytes(keyLength)
  const privateWrap = deriveKey(environmentKey, 'sealing key')
  const pepper = deriveKey(environmentKey, 'token pepper')
  const teams = new Map<string, TeamKeyVersions>()
  const loadedTeam = (teamId: string) => {
    const keys = teams.get(teamId)
    if (!keys) throw new Error(`The key of ${teamId} is not loaded.`)
    return keys
  }
  function loadTeamKey(teamId: string, sealed: Uint8Array): void {
    const keys = splitKeys(root.open(sealed, teamId))
    // Teams only gain keys, so a list with fewer keys is outdated.
    if (keys.length > (teams.get(teamId)?.all().length ?? 0)) teams.set(teamId, createTeamKeys(keys))
  }
  function hasTeamKey(teamId: string, sealed?: Uint8Array): boolean {
    const keys = teams.get(teamId)
    return keys !== undefined && (sealed === undefined || keys.hasVersionOf(sealed))
  }
  return {
    team: loadedTeam,
    createTeamKey(teamId) {
      const key = randomBytes(keyLength)
      teams.set(teamId, createTeamKeys([key]))
      return root.seal(key, teamId)
    },
    loadTeamKey,
    hasTeamKey,
    async findTeamKey(teamId, sealed) {
      if (hasTeamKey(teamId, sealed)) return
      const sealedKey = await readTeamKey(teamId)
      if (sealedKey) loadTeamKey(teamId, sealedKey)
    },
    addTeamKey(teamId) {
      const keys = loadedTeam(teamId)
      const key = randomBytes(keyLength)
      return { sealedKey: root.seal(Buffer.concat([...keys.all(), key]), teamId), use: () => keys.add(key) }
    },
    isTeamKeyCurrent: (teamId, sealed) => root.isCurrent(sealed, teamId),
    sealedTeamKey: (teamId) => root.seal(Buffer.concat(loadedTeam(teamId).all()), teamId),
    sealedEnvironmentKey: () => root.seal(environmentKey, environment),
    useRootKey: root.use,
    hashToken: (token) => createHmac('sha256', pepper).update(token).digest(),
    sealSecret: (plain, kid) => seal(privateWrap, plain, kid),
    openSecret: (sealed, kid) => openWithAny([privateWrap], sealed, kid),
  }
}
